"""AWS::S3::BucketPolicy. A bucket has one policy at most, so the bucket's name names it."""

import json

from tenuto.core.planning.equality.others import with_services
from tenuto.errors import TakenError
from tenuto.model.ids import Json
from tenuto.model.outcome import Done, Outcome
from tenuto.model.spelling import ServiceMembers
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import AwsType, Seen, Source, Work, by_key
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts
from tenuto.providers.aws.types.s3_principals import CANONICAL, by_canonical_ids

NAME = "AWS::S3::BucketPolicy"
_STATEMENTS = "PolicyDocument.Statement"
_LOG_DELIVERY = ServiceMembers(
    texts={
        "Sid": "AWSLogDelivery[A-Za-z]*[0-9]*",
        "Effect": "Allow",
        "Principal": r'\{"Service":"delivery\.logs\.amazonaws\.com"\}',
    }
)
"""The statements that AWS adds to the policy of a bucket when flow logs, or other logs of a service, are to be
delivered there. Without them the delivery ends, and AWS does not add them again."""


def read(client: AccountClient, buckets: list[str]) -> list[Seen]:
    """The policies of those of the buckets that have one."""
    documents = client.each_there(lambda bucket: _document(client, bucket), buckets)
    return [_seen(client, bucket, document) for bucket, document in documents.items()]


def _seen(client: AccountClient, bucket: str, document: Json) -> Seen:
    other = by_canonical_ids(client, document)
    spelled = {"PolicyDocument": (CANONICAL, other)} if other is not None else None
    return seen(NAME, bucket, {"Bucket": bucket, "PolicyDocument": document}, spelled=spelled)


def _document(client: AccountClient, bucket: str) -> Json:
    text = client.read("s3", "GetBucketPolicy", Bucket=bucket)["Policy"]
    try:
        return json.loads(text)
    except ValueError as damaged:
        # The SDK hands over the body as it came, half of it too.
        raise faults.not_of_aws("s3 GetBucketPolicy") from damaged


def _put(work: Work) -> Outcome:
    text = text_of(with_services(work.need("PolicyDocument"), "Statement", work.of_services(_STATEMENTS)))
    work.change("s3", "PutBucketPolicy", Bucket=str(work.need("Bucket")), Policy=text)
    return Done(physical_id=work.need("Bucket"))


def _create(work: Work) -> Outcome:
    """Create the bucket policy. PutBucketPolicy overwrites, so whether there is one already must be asked before."""
    bucket = str(work.need("Bucket"))
    if faults.unless_gone(lambda: _document(work.client, bucket)) is not None:
        raise TakenError(f"The bucket {bucket} has a policy already.")
    return _put(work)


def _modify(work: Work) -> Outcome:
    return _put(work) if work.differs("PolicyDocument") else Done(physical_id=work.id)


def _delete(work: Work) -> Outcome:
    work.change("s3", "DeleteBucketPolicy", Bucket=work.id)
    return Done(physical_id=work.id)


def policy_type(source: Source) -> AwsType:
    """The block of the type; policies are seen where buckets are."""
    return AwsType(
        facts=facts(
            NAME,
            source,
            calls=calls("s3:PutBucketPolicy", "s3:DeleteBucketPolicy", "s3:PutBucketPolicy"),
            compare_as={"PolicyDocument": POLICY},
            of_services={_STATEMENTS: _LOG_DELIVERY},
            exclusive=[("Bucket",)],
            is_tagged=False,
        ),
        source=source,
        create=_create,
        modify=_modify,
        delete=_delete,
        is_found=by_key(lambda properties: str(properties.get("Bucket"))),
        find_name=lambda request: str(request.properties.get("Bucket")),
    )
