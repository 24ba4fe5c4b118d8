"""The codes that the services of AWS refuse with, by their meaning for us.

There are hundreds, and no complete list. One that is in none of these tables is final, because another try of a call
that was refused for an unknown reason costs calls and hides the reason.
"""

import re

THROTTLED = re.compile(
    "Throttl|TooManyRequests|SlowDown|RequestLimitExceeded|BandwidthLimitExceeded|ThroughputExceeded|"
    "PriorRequestNotComplete"
)
"""The service did not even begin: certainly nothing was done. Each service has a code of its own for it, or several."""

BUSY = frozenset(
    {
        "HandlerInternalFailureException",
        "InternalError",
        "InternalFailure",
        "InternalServerError",
        "NetworkFailureException",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServerInternal",
        "ServiceInternalErrorException",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Unavailable",
    }
)

CLASH = "ConflictException"
NOT_NOW = "NotNow"
CLASHES = frozenset(
    {
        "ConcurrentAccess",
        "ConcurrentAccessException",
        "ConcurrentModification",
        "ConcurrentModificationException",
        "ConcurrentOperationException",
        "ConcurrentTagAccess",
        "OperationAborted",
        "OperationAbortedException",
        "ResourceInUseException",
        "TooManyUpdates",
        "WAFOptimisticLockException",
        CLASH,
    }
)
"""The codes that say that another request is being carried out on this very thing. It may be the same one, arrived
twice: so the result of a creation that is told so is not known."""
HELD = frozenset(
    {
        "ClusterContainsCapacityProviderException",
        "ClusterContainsContainerInstancesException",
        "ClusterContainsServicesException",
        "ClusterContainsTasksException",
        "DeleteConflict",
        "DependencyViolation",
        "InvalidGroup.InUse",
        "InvalidIPAddress.InUse",
        "InvalidNetworkInterface.InUse",
        "InvalidPlacementGroup.InUse",
        "KMSInvalidStateException",
        "LastDeliveryChannelDeleteFailedException",
        "NoAvailableConfigurationRecorderException",
        "ResourceInUse",
        "VolumeInUse",
        "WAFAssociatedItemException",
        CLASH,
    }
)
"""The codes that name no moment of AWS's own, but something that a user made, or do not say which of the two it is: it
may never clear by itself."""

MAY_CLEAR = (
    CLASHES
    | HELD
    | {
        "AWS.SimpleQueueService.QueueDeletedRecently",
        "ConcurrentSnapshotLimitExceeded",
        "ContinuousBackupsUnavailableException",
        "DependencyTimeoutException",
        "EntityTemporarilyUnmodifiable",
        "IncorrectInstanceState",
        "IncorrectModificationState",
        "IncorrectState",
        "InsufficientAddressCapacity",
        "InsufficientHostCapacity",
        "InsufficientInstanceCapacity",
        "InsufficientVolumeCapacity",
        "NoAvailableDeliveryChannelException",
        "PendingSnapshotLimitExceeded",
        "QueueDeletedRecently",
        "SnapshotCreationPerVolumeRateExceeded",
        "StaleTag",
        "StaleTagException",
        "StateMachineDeleting",
        "VolumeModificationRateExceeded",
        "WAFUnavailableEntityException",
        NOT_NOW,
    }
)
"""The codes of refusals because something else is under way now; it may be otherwise in a minute."""

GONE = frozenset(
    {
        "AWS.SimpleQueueService.NonExistentQueue",
        "Gateway.NotAttached",
        "InvalidPlacementGroup.Unknown",
        "InvalidResourceId",
        "NatGatewayNotFound",
        "NoSuchBucket",
        "NoSuchBucketPolicy",
        "NoSuchEntity",
        "NotFound",
        "ParameterNotFound",
        "QueueDoesNotExist",
        "ResourceNotFound",
    }
)
UNSERVED = "NotImplemented"
"""The code of ours for a status that says nothing else: 501."""
UNSERVED_CODES = frozenset(
    {
        "InvalidAction",
        "NotImplementedException",
        "UnknownOperation",
        "UnknownOperationException",
        UNSERVED,
    }
)
"""The endpoint has no such call: a region or an emulator may lack it, or the whole service. It lasts."""
UNSUPPORTED = frozenset({"OperationNotSupportedException", "UnsupportedOperation", "UnsupportedOperationException"})
"""The endpoint has the call, and not for this very thing."""
NOT_IN_REGION = "NotInRegion"
"""A code of our own: the host of a service has no address, in a region that is not known to have the service."""
NOT_ABOUT_THINGS = frozenset({"RequestTokenNotFoundException", "TypeNotFoundException"})
"""The codes that end like those of things that are gone, and say that there is no such request, or no such type."""
EXISTS = frozenset(
    {
        "AlreadyExistsException",
        "BucketAlreadyExists",
        "BucketAlreadyOwnedByYou",
        "EntityAlreadyExists",
        "InvalidGroup.Duplicate",
        "InvalidKeyPair.Duplicate",
        "InvalidPermission.Duplicate",
        "InvalidPlacementGroup.Duplicate",
        "InvalidSubnet.Conflict",
        "NetworkAclEntryAlreadyExists",
        "ParameterAlreadyExists",
        "QueueAlreadyExists",
        "QueueNameExists",
        "Resource.AlreadyAssociated",
        "ResourceAlreadyExists",
        "ResourceAlreadyExistsException",
        "RouteAlreadyExists",
    }
)
DENIED = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "AuthFailure",
        "AuthorizationError",
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "NoCredentials",
        "InvalidSignatureException",
        "OptInRequired",
        "ProfileNotFound",
        "RequestExpired",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
        "UnauthorizedOperation",
        "UnrecognizedClientException",
    }
)
DENIED_ALONE = frozenset({"AccessDenied", "AccessDeniedException", "AuthorizationError", "UnauthorizedOperation"})
"""The codes among them that need not be about the account: a bucket, a queue or a key may refuse by a policy of its
own."""
SPENT = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "RequestExpired",
        "UnrecognizedClientException",
    }
)
"""The credentials are not good any more; others of the same account may be."""

_WORDS = (
    (re.compile(r"NotFound|Non[Ee]xist|DoesNotExist|NoSuch"), "ResourceNotFound"),
    (re.compile(r"AlreadyExist|Duplicate|AlreadyInUse"), "ResourceAlreadyExists"),
    (re.compile(r"InUse"), "ResourceInUse"),
    (
        re.compile(r"^Invalid\w+State(Fault)?$|^Incorrect\w+State$|NotReady|(Activity|Refresh|Update)InProgress"),
        "IncorrectState",
    ),
    (re.compile(r"^Insufficient\w+Capacity(Fault)?$"), "InsufficientInstanceCapacity"),
)


def meaning_of(code: str) -> str:
    """The code of these tables that a code of a service's model stands for, by its words; itself when by none.

    Each service has codes of its own for the same few things (`TargetGroupNotFound`, `DBInstanceAlreadyExists`). Only
    those that the model of a service lists are read so: any other text may come from anywhere.
    """
    return next((meant for words, meant in _WORDS if words.search(code)), code)


ROLE_NOT_YET = re.compile(
    r"\bassum(e|ed|ing)\b(?!-role).*\brole|\brole\b.*\bassum(e|ed|ing)\b(?!-role)|\bassumerole\b"
    r"|\btrust(ed)? (relationship|entity|policy)|\brole is not authorized to access\b"
)
"""The words of services that cannot assume a role, or not do their work by it: one that is some seconds old is not
known to them yet. An `assumed-role` is the caller."""
NOT_YET_WORDS = re.compile(
    r"\b(invalid|unsupported) (\w+ )?principals?\b|\bprincipal ?not ?found|\bprincipal was invalid|\bvalid principal\b"
    r"|instance ?profile\b"
    r"|\brole\b.*\b(permission|privilege)s?\b|\bservice[- ]linked role\b"
    r"|\btest message\b|could not execute the lambda function|unable to validate the following destination"
    r"|access denied for bucket|access denied\. check the permissions"
)
"""The words of services that do not know a permission yet: of a role, for a principal in a policy, or to send a test to
where something is to be told."""
NOT_YET_CODES = re.compile(
    r"Argument|BadRequest|ClientException|Configuration|Input|Insufficient|Invalid|Malformed|Parameter|Permission|Policy|"
    r"Principal|Refused|Role|Structure|Validation"
)
"""The words in the codes with which they say so: those of a request that is wrong, and of a permission or another thing
that it lacks."""
NOT_YET = (
    ("AccessDeniedFault", "is not configured properly"),
    ("CloudWatchLogsDeliveryUnavailableException", ""),
    ("InsufficientDeliveryPolicyException", ""),
    ("InsufficientS3BucketPolicyException", ""),
    # SQS does not name the mistake of a policy.
    ("InvalidAttributeValue", "the parameter policy"),
    ("InvalidParameterException", "invalid repository policy"),
    ("InvalidParameterValue", "belong to different networks"),
    ("InvalidPolicyException", ""),
    ("KMSKeyNotAccessibleFault", ""),
    # The permissions of the bucket that takes the logs may be as fresh as the bucket, which S3 does not tell apart.
    ("InvalidTargetBucketForLogging", ""),
)
"""The other answers of services that do not know a new thing yet: a code, and words of the message. A route to a
gateway is refused until the gateway is seen as attached.
"""

AGAIN_LATER = (
    ("LimitExceededException", "simultaneously"),
    ("ValidationException", "multiple times within a fixed interval"),
)
"""A refusal for now that has the code of one for good: DynamoDB makes so many tables at once, or one index of a table,
and changes a table's time to live once in an hour.
"""

GONE_BY_WORDS = (
    ("ClientException", "unable to describe task definition"),
    ("InvalidDocument", "does not exist"),
    ("InvalidRequestException", "cluster id"),
    ("UnauthorizedException", "access to topic rule"),
    ("ValidationError", "autoscalinggroup name not found"),
    ("ValidationError", "no lifecycle hook found"),
    ("ValidationError", "scheduled action name not found"),
)
"""The refusals that say that the thing is gone, with the code of those that say that the request is wrong, or is not
allowed: Auto Scaling, ECS, EMR and IoT have no other. The words name the very thing: a launch configuration that is
missing says nothing of a group.
"""

CLASHING = re.compile("Concurrent|Conflict|InProgress")
"""The words in codes that mean a clash; for codes that are in no table, and come with the status of one."""
TAKEN = "already exists"
"""The words of a clash that is none: DynamoDB says so of a name, with the code that it has for a table in use."""

FAMILIAR = re.compile(
    "Already|Argument|Available|BadRequest|Blocked|Bucket|Cannot|ClientException|Conflict|Deleted|Denied|Disabled|"
    "Duplicate|Empty|Exceed|Exist|Illegal|Incompatible|Incorrect|Insufficient|InUse|Invalid|Limit|Malformed|Max|Min|"
    "Mismatch|Missing|Must|Not[A-Z]|NoSuch|Parameter|Permi|Policy|Protect|Require|Reserved|Specified|State|TooMany|"
    "Unsupported|Validation|Verification"
)
"""Words of which services make the codes that speak of a request."""

OF_ANOTHER = "OtherAnswer"
"""An answer that is about something else than the thing that was asked for."""
DAMAGED = "BadAnswer"
"""An answer that cannot be understood: of a proxy in between, or of an endpoint that does not serve the call."""

OURS = frozenset(
    {"ManagedElsewhere", "NoClient", "NoCredentialsInTime", "OtherProvider", "UnknownAccount", "UnknownType"}
)
"""Codes of our own without such a word."""
