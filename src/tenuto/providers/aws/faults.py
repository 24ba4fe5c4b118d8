"""What an AWS error means: worth another try, final for now, or simply gone.

Every botocore exception is turned into a `ProviderError` here, at the only place where calls are made, so that no
other module imports one. The tables hold codes; a code that is in none of them is final, because trying again what
was refused for an unknown reason costs calls and hides the reason.
"""

import re
from collections.abc import Iterable

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)
from botocore.parsers import ResponseParserError

from tenuto.errors import PermanentError, ProviderError, TransientError

THROTTLED = frozenset(
    {
        "BandwidthLimitExceeded",
        "EC2ThrottledException",
        "PriorRequestNotComplete",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "ThrottledException",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)
"""The service did not even begin: certainly nothing was done."""

_BUSY = frozenset(
    {
        "InternalError",
        "InternalFailure",
        "InternalServerError",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServerInternal",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Unavailable",
    }
)
_MAY_CLEAR = frozenset(
    {
        "AWS.SimpleQueueService.QueueDeletedRecently",
        "ConcurrentModification",
        "ConcurrentModificationException",
        "ContinuousBackupsUnavailableException",
        "DeleteConflict",
        "DependencyViolation",
        "EntityTemporarilyUnmodifiable",
        "IncorrectInstanceState",
        "IncorrectState",
        "InsufficientAddressCapacity",
        "InsufficientHostCapacity",
        "InsufficientInstanceCapacity",
        "InvalidIPAddress.InUse",
        "InvalidNetworkInterface.InUse",
        "OperationAborted",
        "OperationAbortedException",
        "QueueDeletedRecently",
        "ResourceInUse",
        "ResourceInUseException",
        "TooManyUpdates",
        "VolumeInUse",
        "VolumeModificationRateExceeded",
    }
)
"""Refused because of what something else is doing now; nothing was done, and it may be otherwise in a minute."""

_HELD = frozenset(
    {
        "DeleteConflict",
        "DependencyViolation",
        "InvalidIPAddress.InUse",
        "InvalidNetworkInterface.InUse",
        "ResourceInUse",
        "VolumeInUse",
    }
)
"""Those of them that name no moment of AWS's own, but something that somebody made: it may never clear by itself."""

_GONE = frozenset(
    {
        "404",
        "AWS.SimpleQueueService.NonExistentQueue",
        "Gateway.NotAttached",
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
_EXISTS = frozenset(
    {
        "BucketAlreadyExists",
        "BucketAlreadyOwnedByYou",
        "EntityAlreadyExists",
        "InvalidGroup.Duplicate",
        "InvalidKeyPair.Duplicate",
        "InvalidPermission.Duplicate",
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
_DENIED = frozenset(
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
        "WrongAccount",
    }
)
_SPENT = frozenset(
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

_NOT_YET = (
    ("InvalidParameterValue", "iaminstanceprofile"),
    ("InvalidParameterValue", "iam instance profile"),
    ("InvalidParameterValue", "belong to different networks"),
    ("MalformedPolicy", "invalid principal"),
    ("MalformedPolicyDocument", "invalid principal"),
)
"""How services say that they do not know something fresh yet: a code of theirs, and words of the message.

IAM entities reach other services late, and a route to a gateway is refused until the gateway is seen as attached.
"""

_AGAIN_LATER = (("ValidationException", "multiple times within a fixed interval"),)
"""A refusal for now that has the code of one for good: DynamoDB changes a table's time to live once in an hour."""

_FAMILIAR = re.compile(
    "Already|Argument|Available|Blocked|Bucket|Cannot|Conflict|Deleted|Denied|Disabled|Duplicate|Empty|Exceed|Exist|Illegal|"
    "Incompatible|Incorrect|Insufficient|InUse|Invalid|Limit|Malformed|Max|Min|Mismatch|Missing|Must|Not[A-Z]|NoSuch|"
    "Parameter|Permi|Policy|Protect|Require|Reserved|Specified|State|TooMany|Unsupported|Validation|Verification"
)
"""Words of which services make the codes that speak of a request. There are hundreds of codes, and no complete list."""

_OURS = frozenset({"ManagedElsewhere", "NoClient", "UnknownAccount", "UnknownType"})
"""Codes of our own without such a word."""

STUMBLES = (BotoCoreError, ClientError, ResponseParserError, AttributeError, LookupError, TypeError, ValueError)
"""What a call of the SDK raises; the last four come of parsers that meet an answer that nobody has thought of."""

_LONGEST = 500
"""Authorization failures carry kilobytes of encoded context that tells people nothing."""


def translate(error: Exception, call: str) -> ProviderError:
    """The error in our own words. `call` names what was tried, such as `ec2 CreateVpc`."""
    if isinstance(error, ClientError):
        return _translate_answer(error, call)
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return PermanentError(f"{call} was not tried: there are no AWS credentials.", code="NoCredentials")
    if isinstance(error, ParamValidationError):
        return PermanentError(f"{call} was not tried: {_words(error)}", code="InvalidParameter")
    if isinstance(error, EndpointConnectionError | ConnectTimeoutError):
        return TransientError(f"{call}: the endpoint cannot be reached: {_words(error)}", code="NotConnected")
    if isinstance(error, HTTPClientError):
        return TransientError(f"{call}: the answer was lost: {_words(error)}", code="NoAnswer")
    if not isinstance(error, BotoCoreError):
        return not_of_aws(call)
    return PermanentError(f"{call} could not be called: {_words(error)}", code=type(error).__name__)


def not_of_aws(call: str) -> TransientError:
    """What was read is damaged or comes from somebody else."""
    return TransientError(
        f"{call}: the answer is not one of AWS, or only a part of one. A proxy may be in between; an emulator may "
        "lack this operation.",
        code="BadAnswer",
    )


def _translate_answer(error: ClientError, call: str) -> ProviderError:
    code = str(error.response.get("Error", {}).get("Code", ""))
    metadata = error.response.get("ResponseMetadata", {})
    status = int(metadata.get("HTTPStatusCode", 0))
    if code in ("", str(status)) and not _is_bodiless(call):
        # Only the status was understood. AWS always says more; to take a bare 404 for "there is no such thing" would
        # make anew what a proxy hid for a moment.
        return not_of_aws(call)
    message = str(error.response.get("Error", {}).get("Message", "")).split("Encoded authorization failure")[0].strip()
    is_for_now = is_transient_code(code) or status >= 500 or _says(_AGAIN_LATER, code, message)
    family = TransientError if is_for_now else PermanentError
    return family(
        f"{call}: {message[:_LONGEST] or 'no reason given'} ({code})",
        code=code,
        request_id=str(metadata.get("RequestId", "")),
    )


def _is_bodiless(call: str) -> bool:
    """HEAD: the one kind of request whose refusals have no body."""
    return call.split()[-1].startswith("Head")


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:_LONGEST]


def is_transient_code(code: str) -> bool:
    return code in THROTTLED or code in _BUSY or code in _MAY_CLEAR


def is_undone(error: ProviderError) -> bool:
    """Whether the provider certainly did nothing, so that a create need not be looked up before another one."""
    return error.code in THROTTLED or error.code in _MAY_CLEAR or error.code == "NotConnected"


def is_held(error: ProviderError) -> bool:
    """Whether something else, which somebody made, is in the way."""
    return error.code in _HELD


def is_denied(error: ProviderError) -> bool:
    """Whether it is about who we are, or what we may."""
    return error.code in _DENIED


def is_unfamiliar(error: ProviderError) -> bool:
    """Whether its code says nothing of the request that we understand: it may be about anything on the way to AWS."""
    is_known = any(error.code in known for known in (_OURS, _DENIED, _EXISTS, _GONE)) or is_transient_code(error.code)
    return bool(error.code) and not is_known and _FAMILIAR.search(error.code) is None


def may_pass(error: ProviderError) -> bool:
    """Whether it may be over without anybody correcting the composition, although trying again cannot hasten it."""
    return is_denied(error) or is_unfamiliar(error)


def is_spent(error: ProviderError) -> bool:
    """Whether the credentials themselves are not good any more."""
    return error.code in _SPENT


def is_gone(error: ProviderError) -> bool:
    """Whether it says that the thing, or something it refers to, does not exist."""
    return error.code in _GONE or error.code.endswith(".NotFound") or error.code.endswith("NotFoundException")


def is_taken(error: ProviderError) -> bool:
    """Whether it says that there is one of that name, or in that place, already."""
    return error.code in _EXISTS


def is_maybe_early(error: ProviderError) -> bool:
    """Whether it may be that a fresh thing is not known everywhere yet: gone for one service, there for the next."""
    return is_gone(error) or _says(_NOT_YET, error.code, str(error))


def _says(table: Iterable[tuple[str, str]], code: str, message: str) -> bool:
    return any(code == one and words in message.casefold() for one, words in table)


def hint(error: ProviderError) -> str:
    """What a person can do about a refusal; empty when the message has to do."""
    if error.code == "InvalidSubnet.Conflict":
        return "Declare addresses that no other subnet of the VPC has."
    if is_taken(error):
        return "Choose another name, or adopt what exists (`tenuto run --import`)."
    if is_denied(error):
        return "Check the credentials and permissions of the account that it is in."
    if error.code == "TagLimitExceeded":
        return "Declare fewer tags: AWS takes 50 on a resource, and up to three say whose it is."
    if error.code == "OperationNotPermitted" and "disableapitermination" in str(error).casefold():
        return "It is protected from termination. Turn DisableApiTermination off."
    if "LimitExceeded" in error.code or error.code == "TooManyBuckets":
        return "Ask AWS for a higher quota (Service Quotas) or remove what is not needed."
    if error.code == "BucketNotEmpty":
        return "Empty the bucket, or keep it: `DeletionPolicy: Retain`."
    if is_unfamiliar(error):
        return "Look the code up in the documentation of the service, and check what is between the Conductor and it."
    if is_gone(error):
        return "The composition names something that does not exist; correct it with `tenuto update`."
    return ""
