"""The policies of a DynamoDB table and of its stream: each is kept under the ARN of its table or stream.

A policy of a stream goes with the stream. So a policy that was read of one is told only as long as the table has that
stream.
"""

from collections.abc import Mapping

from tenuto.errors import ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Rule
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Work

NAME = "ResourcePolicy"
STREAM = "StreamSpecification"
OF_STREAM = f"{STREAM}.{NAME}"
RULES: Mapping[str, Rule] = {f"{name}.PolicyDocument": POLICY for name in (NAME, OF_STREAM)}
DEFAULTS: JsonMap = {NAME: None, OF_STREAM: None}
_NONE = "PolicyNotFoundException"


def of_table(client: AccountClient, table: JsonMap) -> Json:
    return _read(client, table["TableArn"])


def of_stream(client: AccountClient, table: JsonMap) -> Json:
    """The policy of the latest stream, by its ARN."""
    arn = table.get("LatestStreamArn")
    return {arn: faults.unless_gone(lambda: _read(client, arn))} if arn else {}


def _read(client: AccountClient, arn: str) -> Json:
    try:
        answer = client.read("dynamodb", "GetResourcePolicy", ResourceArn=arn)
    except ProviderError as error:
        if error.code == _NONE:
            return None
        raise
    return {"PolicyDocument": answer.get("Policy")}


def at_birth(work: Work) -> dict[str, Json]:
    """The policy of a new table: it is in force from the first moment on."""
    wanted = work.want(NAME)
    return {NAME: text_of(wanted["PolicyDocument"])} if wanted else {}


def put(work: Work) -> dict[str, Json]:
    return _put(work.want(NAME), work.request.attributes.get("Arn"))


def drop(work: Work) -> dict[str, Json]:
    return _drop(work.want(NAME), work.request.attributes.get("Arn"))


def put_on_stream(work: Work) -> dict[str, Json]:
    return _put(_of_stream(work.want(STREAM)), _stream_arn(work))


def drop_from_stream(work: Work) -> dict[str, Json]:
    is_there = _of_stream(work.seen(STREAM)) is not None
    return _drop(_of_stream(work.want(STREAM)), _stream_arn(work)) if is_there else {}


def _of_stream(specification: Json) -> Json:
    return (specification or {}).get(NAME)


def _stream_arn(work: Work) -> Json:
    """The ARN of the stream that the table has now."""
    return work.request.attributes.get("StreamArn") if work.seen(STREAM) else None


def _put(wanted: Json, arn: Json) -> dict[str, Json]:
    return {"ResourceArn": arn, "Policy": text_of(wanted["PolicyDocument"])} if wanted and arn else {}


def _drop(wanted: Json, arn: Json) -> dict[str, Json]:
    return {"ResourceArn": arn} if wanted is None and arn else {}
