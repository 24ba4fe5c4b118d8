"""The configurations of a bucket: how each is read in the declared shape, and how the declared one is written.

A part is one property of AWS::S3::Bucket and its pair of calls. Most differ between the two worlds in names only; the
two translation functions of each say where.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tenuto.errors import ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types import s3_configurations, s3_lifecycle
from tenuto.providers.aws.types import s3_shapes as shapes
from tenuto.providers.aws.types.facts import untried

_ABSENT = frozenset(
    {
        "MethodNotAllowed",
        "NoSuchCORSConfiguration",
        "NoSuchLifecycleConfiguration",
        "NoSuchPublicAccessBlockConfiguration",
        "NoSuchWebsiteConfiguration",
        "ObjectLockConfigurationNotFoundError",
        "OwnershipControlsNotFoundError",
        "ReplicationConfigurationNotFoundError",
        "ServerSideEncryptionConfigurationNotFoundError",
        "UnsupportedArgument",
    }
)
"""The codes by which S3 says that a configuration is not set, or cannot be in this region."""

REFUSED = {
    "AbacStatus": untried("aws s3api put-bucket-abac"),
    "BucketNamePrefix BucketNamespace": "Buckets in the namespace of an account are not served by any "
    "emulator. Write the whole name of the bucket as BucketName.",
    "MetadataConfiguration MetadataTableConfiguration": "S3 makes tables of it, in a bucket of its own, that "
    "no process would own. Take it out, and set it with `aws s3api create-bucket-metadata-configuration`.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One configuration. `read` gives None when it is not set, and `write` takes None to take it away: by the call that
    is named as `drop`, or by an empty one."""

    property: str
    put: str
    """The name of the writing call."""
    read: Callable[[AccountClient, str], Json]
    write: Callable[[Work, str, Json], None]
    drop: str = ""
    """The name of the call that takes it away."""
    key: str = ""
    """The name of a member, where the part is a list of which S3 puts and drops each member by itself."""


def _part(
    name: str,
    get: str,
    put: str,
    *,
    drop: str = "",
    parameter: str = "",
    declared: Callable[[JsonMap], Json],
    api: Callable[[JsonMap], Json],
    shown_as: str | None = None,
) -> Part:
    """`parameter` holds the configuration in the put call, `shown_as` (the same unless given) in the get call's answer.

    Empty means that the call's own parameters, or the answer's own members, are the configuration.
    """
    place = shown_as if shown_as is not None else parameter

    def read(client: AccountClient, bucket: str) -> Json:
        try:
            answer = client.read("s3", get, Bucket=bucket)
        except ProviderError as error:
            if error.code in _ABSENT:
                return None
            raise
        found = answer.get(place) if place else {key: one for key, one in answer.items() if key != "ResponseMetadata"}
        return declared(found) if found else None

    def write(work: Work, bucket: str, value: Json) -> None:
        if value is None and drop:
            work.change("s3", drop, Bucket=bucket)
            return
        work.change("s3", put, Bucket=bucket, **({parameter: api(value)} if parameter else api(value)))

    return Part(property=name, put=put, read=read, write=write, drop=drop)


def _same(value: JsonMap) -> Json:
    return value


def _read_acl(client: AccountClient, bucket: str) -> Json:
    return shapes.canned_acl(client.read("s3", "GetBucketAcl", Bucket=bucket))


def _write_acl(work: Work, bucket: str, value: Json) -> None:
    work.change("s3", "PutBucketAcl", Bucket=bucket, ACL=shapes.acl_to_api(str(value)))


def _read_logging(client: AccountClient, bucket: str) -> Json:
    found = client.read("s3", "GetBucketLogging", Bucket=bucket).get("LoggingEnabled")
    return shapes.logging_declared(found) if found else None


def _write_logging(work: Work, bucket: str, value: Json) -> None:
    status = shapes.logging_to_api(value, bucket) if value is not None else {}
    work.change("s3", "PutBucketLogging", Bucket=bucket, BucketLoggingStatus=status)


PARTS: tuple[Part, ...] = (
    _part(
        "OwnershipControls",
        "GetBucketOwnershipControls",
        "PutBucketOwnershipControls",
        parameter="OwnershipControls",
        declared=_same,
        api=_same,
    ),
    _part(
        "PublicAccessBlockConfiguration",
        "GetPublicAccessBlock",
        "PutPublicAccessBlock",
        parameter="PublicAccessBlockConfiguration",
        declared=_same,
        api=shapes.public_access_to_api,
    ),
    Part(property="AccessControl", put="PutBucketAcl", read=_read_acl, write=_write_acl),
    _part(
        "BucketEncryption",
        "GetBucketEncryption",
        "PutBucketEncryption",
        parameter="ServerSideEncryptionConfiguration",
        declared=shapes.encryption_declared,
        api=shapes.encryption_to_api,
    ),
    _part(
        "VersioningConfiguration",
        "GetBucketVersioning",
        "PutBucketVersioning",
        parameter="VersioningConfiguration",
        shown_as="",
        declared=lambda found: {"Status": found["Status"]} if "Status" in found else None,
        api=_same,
    ),
    _part(
        "ObjectLockConfiguration",
        "GetObjectLockConfiguration",
        "PutObjectLockConfiguration",
        parameter="ObjectLockConfiguration",
        declared=_same,
        api=_same,
    ),
    _part(
        "LifecycleConfiguration",
        "GetBucketLifecycleConfiguration",
        "PutBucketLifecycleConfiguration",
        drop="DeleteBucketLifecycle",
        declared=s3_lifecycle.lifecycle_declared,
        api=s3_lifecycle.lifecycle_to_api,
    ),
    _part(
        "CorsConfiguration",
        "GetBucketCors",
        "PutBucketCors",
        drop="DeleteBucketCors",
        parameter="CORSConfiguration",
        shown_as="",
        declared=shapes.cors_declared,
        api=shapes.cors_to_api,
    ),
    _part(
        "WebsiteConfiguration",
        "GetBucketWebsite",
        "PutBucketWebsite",
        drop="DeleteBucketWebsite",
        parameter="WebsiteConfiguration",
        shown_as="",
        declared=shapes.website_declared,
        api=shapes.website_to_api,
    ),
    _part(
        "AccelerateConfiguration",
        "GetBucketAccelerateConfiguration",
        "PutBucketAccelerateConfiguration",
        parameter="AccelerateConfiguration",
        shown_as="",
        declared=lambda found: {"AccelerationStatus": found["Status"]} if "Status" in found else None,
        api=lambda value: {"Status": value.get("AccelerationStatus")},
    ),
    Part(property="LoggingConfiguration", put="PutBucketLogging", read=_read_logging, write=_write_logging),
    _part(
        "NotificationConfiguration",
        "GetBucketNotificationConfiguration",
        "PutBucketNotificationConfiguration",
        parameter="NotificationConfiguration",
        shown_as="",
        declared=shapes.notification_declared,
        api=lambda value: shapes.notification_to_api(value or {}),
    ),
    _part(
        "ReplicationConfiguration",
        "GetBucketReplication",
        "PutBucketReplication",
        drop="DeleteBucketReplication",
        parameter="ReplicationConfiguration",
        declared=shapes.replication_declared,
        api=shapes.replication_to_api,
    ),
    *(
        Part(property=one.name, put=one.put, read=one.read, write=one.write, drop=one.drop, key="Id")
        for one in s3_configurations.KINDS
    ),
)
"""The parts in the order of writing: versioning before object lock and replication, access before everything."""
BORN_WITH = frozenset({"AccessControl", "BucketEncryption", "OwnershipControls", "PublicAccessBlockConfiguration"})
"""The parts that every new bucket has in some way already, so that it may or may not have to be written."""
DEFAULTS: JsonMap = {
    "AccelerateConfiguration": {"AccelerationStatus": "Suspended"},
    "BucketEncryption": {
        "ServerSideEncryptionConfiguration": [{"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
    },
    "CorsConfiguration": None,
    "LifecycleConfiguration": None,
    "LoggingConfiguration": None,
    "NotificationConfiguration": None,
    "ReplicationConfiguration": None,
    "VersioningConfiguration": {"Status": "Suspended"},
    "WebsiteConfiguration": None,
    **{one.name: None for one in s3_configurations.KINDS},
}
"""The configurations of a bucket for which nothing was ever declared. Versions are never switched off, only suspended;
those that let others in (the ownership of objects, the public access, the ACL) and the lock stay as they are until a
composition declares them: their defaults changed over the years, and each can shut a user out."""
