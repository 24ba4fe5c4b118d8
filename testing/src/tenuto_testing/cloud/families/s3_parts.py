"""The configurations of a bucket: a read returns the one that was put, and a table has the demands of AWS on each.

A part is kept as the structure that was put. Where nothing was put, each has its own way of saying so.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.s3_bucket import BUCKET, bucket_of, checked_tags
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

Check = Callable[[Call, Thing, Data], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """`put_as` is the parameter of the put call, `got_as` the member of the get call's answer ("": its members)."""

    get: str
    put: str
    delete: str = ""
    put_as: str
    got_as: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the put call, and members of the answer, beside the part; each with its default."""
    absent: str = ""
    """The code for a part that is not set; without one, the answer is empty."""
    check: Check | None = None


def _with_rules(call: Call, bucket: Thing, value: Data) -> None:
    if not value.get("Rules"):
        raise _malformed()


def _malformed() -> Refusal:
    return Refusal("MalformedXML", "The XML you provided did not validate against our published schema")


def _cors(call: Call, bucket: Thing, value: Data) -> None:
    if not value.get("CORSRules"):
        raise _malformed()
    for rule in value["CORSRules"]:
        if not rule.get("AllowedMethods") or not rule.get("AllowedOrigins"):
            raise _malformed()
        for method in rule["AllowedMethods"]:
            if method not in ("GET", "PUT", "POST", "DELETE", "HEAD"):
                raise Refusal("InvalidRequest", f"Found unsupported HTTP method in CORS config. It is {method}")


_CLASSES = frozenset({"DEEP_ARCHIVE", "GLACIER", "GLACIER_IR", "INTELLIGENT_TIERING", "ONEZONE_IA", "STANDARD_IA"})
_SMALLEST = "TransitionDefaultMinimumObjectSize"
_ACTIONS = (
    "AbortIncompleteMultipartUpload",
    "Expiration",
    "NoncurrentVersionExpiration",
    "NoncurrentVersionTransitions",
    "Transitions",
)


def _lifecycle(call: Call, bucket: Thing, value: Data) -> None:
    _with_rules(call, bucket, value)
    for rule in value["Rules"]:
        if not any(rule.get(name) for name in _ACTIONS):
            raise Refusal("InvalidRequest", "At least one action needs to be specified in a rule")
        if "Filter" not in rule and "Prefix" not in rule:
            raise _malformed()
        transitions = [*(rule.get("Transitions") or ()), *(rule.get("NoncurrentVersionTransitions") or ())]
        if any(one.get("StorageClass") not in _CLASSES for one in transitions):
            raise _malformed()
    ids = [rule["ID"] for rule in value["Rules"] if rule.get("ID")]
    if len(set(ids)) < len(ids):
        raise Refusal("InvalidArgument", "Rule ID must be unique.")


def _website(call: Call, bucket: Thing, value: Data) -> None:
    if not value.get("IndexDocument") and not value.get("RedirectAllRequestsTo"):
        raise Refusal("InvalidArgument", "A value for IndexDocument Suffix must be provided")


def _versioning(call: Call, bucket: Thing, value: Data) -> None:
    if "object-lock" in bucket.hidden["parts"] and value.get("Status") != "Enabled":
        raise Refusal(
            "InvalidBucketState", "An Object Lock configuration is present, so versioning cannot be suspended."
        )


def _replication(call: Call, bucket: Thing, value: Data) -> None:
    if (bucket.hidden["parts"].get("versioning") or {}).get("Status") != "Enabled":
        raise Refusal(
            "InvalidRequest", "Versioning must be 'Enabled' on the bucket to apply a replication configuration"
        )


def _object_lock(call: Call, bucket: Thing, value: Data) -> None:
    if (bucket.hidden["parts"].get("versioning") or {}).get("Status") != "Enabled":
        raise Refusal("InvalidBucketState", "Versioning must be 'Enabled' on the bucket to apply an Object Lock", 409)


def _notification(call: Call, bucket: Thing, value: Data) -> None:
    """S3 answers with capitals."""
    for kind in ("LambdaFunctionConfigurations", "QueueConfigurations", "TopicConfigurations"):
        for one in value.get(kind) or ():
            for rule in ((one.get("Filter") or {}).get("Key") or {}).get("FilterRules") or ():
                rule["Name"] = rule["Name"].capitalize()


def _logging(call: Call, bucket: Thing, value: Data) -> None:
    target = (value.get("LoggingEnabled") or {}).get("TargetBucket")
    if target and target not in call.place.table(BUCKET).things:
        raise Refusal("InvalidTargetBucketForLogging", "The target bucket for logging does not exist")


def _tagging(call: Call, bucket: Thing, value: Data) -> None:
    checked_tags(value.get("TagSet") or [])


def _accelerate(call: Call, bucket: Thing, value: Data) -> None:
    if "." in bucket.id:
        raise Refusal(
            "InvalidRequest", "S3 Transfer Acceleration is not supported for buckets with periods in their names"
        )


_PARTS: Mapping[str, _Part] = {
    "accelerate": _Part(
        get="GetBucketAccelerateConfiguration",
        put="PutBucketAccelerateConfiguration",
        put_as="AccelerateConfiguration",
        check=_accelerate,
    ),
    "cors": _Part(
        get="GetBucketCors",
        put="PutBucketCors",
        delete="DeleteBucketCors",
        put_as="CORSConfiguration",
        absent="NoSuchCORSConfiguration",
        check=_cors,
    ),
    "encryption": _Part(
        get="GetBucketEncryption",
        put="PutBucketEncryption",
        delete="DeleteBucketEncryption",
        put_as="ServerSideEncryptionConfiguration",
        got_as="ServerSideEncryptionConfiguration",
        absent="ServerSideEncryptionConfigurationNotFoundError",
        check=_with_rules,
    ),
    "lifecycle": _Part(
        get="GetBucketLifecycleConfiguration",
        put="PutBucketLifecycleConfiguration",
        delete="DeleteBucketLifecycle",
        put_as="LifecycleConfiguration",
        beside={_SMALLEST: "all_storage_classes_128K"},
        absent="NoSuchLifecycleConfiguration",
        check=_lifecycle,
    ),
    "logging": _Part(get="GetBucketLogging", put="PutBucketLogging", put_as="BucketLoggingStatus", check=_logging),
    "notification": _Part(
        get="GetBucketNotificationConfiguration",
        put="PutBucketNotificationConfiguration",
        put_as="NotificationConfiguration",
        check=_notification,
    ),
    "object-lock": _Part(
        get="GetObjectLockConfiguration",
        put="PutObjectLockConfiguration",
        put_as="ObjectLockConfiguration",
        got_as="ObjectLockConfiguration",
        absent="ObjectLockConfigurationNotFoundError",
        check=_object_lock,
    ),
    "ownership": _Part(
        get="GetBucketOwnershipControls",
        put="PutBucketOwnershipControls",
        delete="DeleteBucketOwnershipControls",
        put_as="OwnershipControls",
        got_as="OwnershipControls",
        absent="OwnershipControlsNotFoundError",
        check=_with_rules,
    ),
    "public-access": _Part(
        get="GetPublicAccessBlock",
        put="PutPublicAccessBlock",
        delete="DeletePublicAccessBlock",
        put_as="PublicAccessBlockConfiguration",
        got_as="PublicAccessBlockConfiguration",
        absent="NoSuchPublicAccessBlockConfiguration",
    ),
    "replication": _Part(
        get="GetBucketReplication",
        put="PutBucketReplication",
        delete="DeleteBucketReplication",
        put_as="ReplicationConfiguration",
        got_as="ReplicationConfiguration",
        absent="ReplicationConfigurationNotFoundError",
        check=_replication,
    ),
    "tagging": _Part(
        get="GetBucketTagging",
        put="PutBucketTagging",
        delete="DeleteBucketTagging",
        put_as="Tagging",
        absent="NoSuchTagSet",
        check=_tagging,
    ),
    "versioning": _Part(
        get="GetBucketVersioning", put="PutBucketVersioning", put_as="VersioningConfiguration", check=_versioning
    ),
    "website": _Part(
        get="GetBucketWebsite",
        put="PutBucketWebsite",
        delete="DeleteBucketWebsite",
        put_as="WebsiteConfiguration",
        absent="NoSuchWebsiteConfiguration",
        check=_website,
    ),
}


def _getter(name: str, part: _Part) -> Callable[[Call], Data]:
    def get(call: Call) -> Data:
        value = bucket_of(call).hidden["parts"].get(name)
        if value is None and part.absent:
            raise Refusal(part.absent, "The configuration does not exist")
        return {part.got_as: value} if part.got_as else {**(value or {}), **_beside(call, part)}

    return get


def _beside(call: Call, part: _Part) -> Data:
    parts = bucket_of(call).hidden["parts"]
    return {name: parts[name] for name in part.beside if name in parts}


def _putter(name: str, part: _Part) -> Callable[[Call], Data]:
    def put(call: Call) -> Data:
        bucket, value = bucket_of(call), call.want(part.put_as)
        if value is None:
            raise _malformed()
        if part.check is not None:
            part.check(call, bucket, value)
        bucket.hidden["parts"][name] = value
        for beside, usual in part.beside.items():
            bucket.hidden["parts"][beside] = call.want(beside) or usual
        return {}

    return put


def _deleter(name: str) -> Callable[[Call], Data]:
    def delete(call: Call) -> Data:
        bucket_of(call).hidden["parts"].pop(name, None)
        return {}

    return delete


_MANY = ("Analytics", "IntelligentTiering", "Inventory", "Metrics")
"""The kinds of configurations of which a bucket has many, each with an id."""


def _lister(kind: str) -> Callable[[Call], Data]:
    def show(call: Call) -> Data:
        there = bucket_of(call).hidden["parts"].get(kind, {})
        return {"IsTruncated": False, f"{kind}ConfigurationList": [there[name] for name in sorted(there)]}

    return show


def _member_getter(kind: str) -> Callable[[Call], Data]:
    def get(call: Call) -> Data:
        there = bucket_of(call).hidden["parts"].get(kind, {})
        if call.want("Id") not in there:
            raise _no_configuration()
        return {f"{kind}Configuration": there[call.want("Id")]}

    return get


def _no_configuration() -> Refusal:
    return Refusal("NoSuchConfiguration", "The specified configuration does not exist.", 404)


def _member_putter(kind: str) -> Callable[[Call], Data]:
    def put(call: Call) -> Data:
        bucket, value = bucket_of(call), call.want(f"{kind}Configuration")
        if not value or value.get("Id") != call.want("Id"):
            raise _malformed()
        there = bucket.hidden["parts"].get(kind, {})
        bucket.hidden["parts"][kind] = {**there, value["Id"]: value}
        return {}

    return put


def _member_deleter(kind: str) -> Callable[[Call], Data]:
    def delete(call: Call) -> Data:
        bucket, name = bucket_of(call), call.want("Id")
        there = bucket.hidden["parts"].get(kind, {})
        if name not in there:
            raise _no_configuration()
        bucket.hidden["parts"][kind] = {other: one for other, one in there.items() if other != name}
        return {}

    return delete


HANDLERS: Mapping[str, Any] = {
    **{f"ListBucket{kind}Configurations": _lister(kind) for kind in _MANY},
    **{f"GetBucket{kind}Configuration": _member_getter(kind) for kind in _MANY},
    **{f"PutBucket{kind}Configuration": _member_putter(kind) for kind in _MANY},
    **{f"DeleteBucket{kind}Configuration": _member_deleter(kind) for kind in _MANY},
    **{part.get: _getter(name, part) for name, part in _PARTS.items()},
    **{part.put: _putter(name, part) for name, part in _PARTS.items()},
    **{part.delete: _deleter(name) for name, part in _PARTS.items() if part.delete},
}
