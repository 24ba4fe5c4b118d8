"""AWS::AppSync::GraphQLSchema: the schema of a GraphQL API. Its Ref is the API's id, and the word GraphQLSchema.

It is a part of its API and no thing: AppSync takes a document, works on it, and tells by a state whether it could. The
document that it shows later is another text of the same meaning, so a document is sent when another one is declared,
and a state that says that there is no schema has it sent again. A schema ends with its API; a deletion alone leaves it,
as in CloudFormation, since AppSync has no call for it.
"""

from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Scope, Seen, Source, Work, declared
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.cloud_control_model import SENT, is_sent_anew, sent
from tenuto.providers.aws.types.facts import calls, facts
from tenuto.providers.aws.types.s3_text import text_at

_NAME = "AWS::AppSync::GraphQLSchema"
_TEXT, _PLACE = "Definition", "DefinitionS3Location"
_ENDING = "GraphQLSchema"
_START = "appsync:StartSchemaCreation"
_POLL_S = 2.0
_LARGEST_BYTES = 1024 * 1024
_MADE, _NONE, _WORKING = ("ACTIVE", "SUCCESS"), "NOT_APPLICABLE", "PROCESSING"


def _api(physical_id: str) -> str:
    return str(physical_id).removesuffix(_ENDING)


def _state(client: AccountClient, api: str) -> JsonMap:
    return client.read("appsync", "GetSchemaCreationStatus", apiId=api)


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    asked = scope.ids(_NAME) if scope.names is None else scope.named(_NAME)
    states = client.each_there(lambda one: _state(client, _api(one)), [str(one) for one in asked])
    return [
        seen(_NAME, one, {"ApiId": _api(one)}, attributes={"Id": one})
        for one, state in states.items()
        if state.get("status") not in (None, _NONE)
    ]


def _create(work: Work) -> Outcome:
    physical_id = PhysicalId(f"{work.need('ApiId')}{_ENDING}")
    _start(work, str(work.need("ApiId")))
    return Done(physical_id=physical_id, attributes={"Id": physical_id, SENT: sent(work.request)})


def _modify(work: Work) -> Outcome:
    """Send another document, or one that AppSync could not take when it was sent before, and wait for the end."""
    api, is_sent = _api(work.id), bool(work.request.progress.get("sent"))
    is_new = any(is_sent_anew(work.request, name) for name in (_TEXT, _PLACE))
    state = {} if is_new and not is_sent else _state(work.client, api)
    if not is_sent and state.get("status") not in (*_MADE, _WORKING):
        _start(work, api)
        state = {"status": _WORKING}
    if state.get("status") == _WORKING:
        return Pending(message="AppSync reads the schema", delay_s=_POLL_S, progress={"sent": True})
    if state.get("status") not in _MADE:
        return Refused(
            message=f"AppSync cannot take the schema of {work.request.logical_id}: "
            f"{str(state.get('details') or state.get('status'))[:1000]}",
            code="SchemaRefused",
            hint="Correct the schema.",
        )
    return Done(physical_id=work.id, attributes={SENT: sent(work.request)})


def _start(work: Work, api: str) -> None:
    work.change("appsync", "StartSchemaCreation", apiId=api, definition=_document(work).encode())


def _document(work: Work) -> str:
    text = work.want(_TEXT)
    if text is not None:
        return str(text)
    bucket, _, key = str(work.need(_PLACE)).removeprefix("s3://").partition("/")
    return text_at(work, _placed(bucket, key), _LARGEST_BYTES, "AppSync")


def _placed(bucket: str, key: str) -> dict[str, Json]:
    return {"Bucket": bucket, "Key": key}


def _leave(work: Work) -> Outcome:
    return Done(physical_id=work.id)


SOURCE = Source(name=_NAME, read=_read, shows_all=False)


def _id_of(request: Request) -> str:
    return f"{request.properties.get('ApiId')}{_ENDING}"


SCHEMA = AwsType(
    facts=facts(
        _NAME,
        SOURCE,
        goes_in_steps=True,
        calls=calls(_START, _START, _START),
        create_only="ApiId",
        write_only=f"{_TEXT} {_PLACE}",
        is_tagged=False,
        makes_once=True,
    ),
    source=SOURCE,
    create=_create,
    modify=_modify,
    delete=_leave,
    is_found=lambda request, item: item.physical_id == _id_of(request),
    find_name=_id_of,
    known_as=declared(_id_of),
)
TYPES = (SCHEMA,)
