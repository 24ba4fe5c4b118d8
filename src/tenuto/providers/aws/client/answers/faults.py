"""The meaning of an AWS error: worth another try, final for now, or simply gone.

Every botocore exception is turned into a `ProviderError` here, at the only place where calls are made, so that no other
module imports one. The meaning of the codes is in `codes`.
"""

from collections.abc import Callable, Collection, Iterable
from http.client import CONFLICT, INTERNAL_SERVER_ERROR, NOT_IMPLEMENTED, TOO_MANY_REQUESTS
from socket import EAI_NONAME, gaierror
from typing import TypeVar

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

from tenuto.core.access.masking import NOTHING, Masker
from tenuto.errors import PermanentError, ProviderError, TransientError, UnconfirmedError
from tenuto.ports.provider import NOT_SENT
from tenuto.providers.aws.client.answers import codes

STUMBLES = (BotoCoreError, ClientError, ResponseParserError, AttributeError, LookupError, TypeError, ValueError)
"""The errors of a call of the SDK; the last four come of parsers that meet an answer that they do not expect."""

_Answer = TypeVar("_Answer")

LONGEST = 500
"""Authorization failures carry kilobytes of encoded context that tells people nothing."""
_UNSERVED = " The endpoint does not offer this call: a region may lack it, and an emulator may not know it."


def translate(
    error: Exception, call: str, masker: Masker = NOTHING, said: Collection[str] = frozenset()
) -> ProviderError:
    """The error in our own words. `call` names the call that was tried, such as `ec2 CreateVpc`; `said` are the codes
    that the model of the service lists.

    The texts of AWS and of the SDK are masked before they are cut to their length.
    """
    if isinstance(error, ClientError):
        return _translate_answer(error, call, masker, said)
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return PermanentError(
            f"{call} was not sent: no AWS credentials were found. Set AWS_PROFILE or AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY where the Conductor runs, and restart it.",
            code="NoCredentials",
        )
    if isinstance(error, ParamValidationError):
        return PermanentError(f"{call} was not sent: {_words(error, masker)}", code="InvalidParameter")
    if isinstance(error, EndpointConnectionError | ConnectTimeoutError):
        return TransientError(f"{call}: the endpoint cannot be reached: {_words(error, masker)}", code="NotConnected")
    if isinstance(error, HTTPClientError):
        return TransientError(f"{call}: the answer was lost: {_words(error, masker)}", code="NoAnswer")
    if not isinstance(error, BotoCoreError):
        return not_of_aws(call)
    return PermanentError(f"{call} could not be called: {_words(error, masker)}", code=type(error).__name__)


def not_of_aws(call: str) -> TransientError:
    """The fault of an answer that is damaged or comes from another server."""
    return TransientError(
        f"{call}: AWS returned an invalid or incomplete response. Check for a proxy in between; an emulator may not "
        "support this operation.",
        code=codes.DAMAGED,
    )


def not_in_region(call: str, region: str) -> PermanentError:
    """The fault of a call whose host has no address, in a region that the SDK does not list for the service."""
    return PermanentError(
        f"{call} was not sent: AWS publishes no endpoint of the service in {region}, and the SDK does not list the "
        "service there.",
        code=codes.NOT_IN_REGION,
    )


def is_nameless_host(error: Exception) -> bool:
    """Whether the name of the host has no address. A network that is down says otherwise: the name is not answered."""
    cause = error.kwargs.get("error") if isinstance(error, EndpointConnectionError) else None
    found = cause.__cause__ if isinstance(cause, BaseException) else None
    return isinstance(found, gaierror) and found.errno == EAI_NONAME


def of_another(call: str, asked: str, came: str) -> TransientError:
    """The fault of an answer that is well formed, and about something else. The call changes nothing."""
    about = (
        f"the answer is about {came}" if came else "the answer shows no such thing, and does not say that it is gone"
    )
    return TransientError(
        f"{call}: asked for {asked}, {about}. A proxy may be in between; an emulator may not know the parameter.",
        code=codes.OF_ANOTHER,
    )


def _translate_answer(error: ClientError, call: str, masker: Masker, said: Collection[str]) -> ProviderError:
    told = str(error.response.get("Error", {}).get("Code", ""))
    metadata = error.response.get("ResponseMetadata", {})
    status = int(metadata.get("HTTPStatusCode", 0))
    if told in ("", str(status)) and status != NOT_IMPLEMENTED:
        # Only the status was understood. AWS always says more; to take a bare 404 for "there is no such thing" would
        # make a thing anew that a proxy hid for a moment.
        return not_of_aws(call)
    message = str(error.response.get("Error", {}).get("Message", "")).split("Encoded authorization failure")[0].strip()
    code = _meant(told, status, message)
    if code in said and not is_known_code(code):
        code = codes.meaning_of(code)
    family = TransientError if is_transient_code(code) else PermanentError
    message = masker.mask(message)
    name = code if told in ("", code) else f"{told}: {code}"
    return family(
        f"{call}: {message[:LONGEST] or 'no reason given'} ({name}){_UNSERVED if code in codes.UNSERVED_CODES else ''}",
        code=code,
        request_id=str(metadata.get("RequestId", "")),
        is_throttled=is_throttled(code),
    )


def _meant(code: str, status: int, message: str) -> str:
    """The code of an error, or the one that its message or its HTTP status stands for.

    A refusal that is about the request comes with a 4xx. A quota (LimitExceededException) that comes with a 429 is one
    of calls, and a "not found" that comes with a 5xx was said by a server that could not look. A 409 is a clash with
    work that is done beside ours, or says that there is such a thing already. A 501 lasts, with any code: the SDK does
    not repeat it either.
    """
    if status == NOT_IMPLEMENTED:
        return codes.UNSERVED
    is_clash = code in codes.CLASHES or (status == CONFLICT and codes.CLASHING.search(code) is not None)
    if is_clash and codes.TAKEN in message.casefold():
        return "ResourceAlreadyExists"
    if _says(codes.AGAIN_LATER, code, message):
        return codes.NOT_NOW
    if _says(codes.GONE_BY_WORDS, code, message):
        return "ResourceNotFound"
    if is_transient_code(code):
        return code
    if is_clash:
        return codes.CLASH
    if status == TOO_MANY_REQUESTS:
        return "Throttling"
    return "ServiceUnavailable" if status >= INTERNAL_SERVER_ERROR else code


def _words(error: Exception, masker: Masker) -> str:
    return " ".join(masker.mask(str(error)).split())[:LONGEST]


def is_throttled(code: str) -> bool:
    """Whether it says that the call was one too many."""
    return codes.THROTTLED.search(code) is not None


def is_transient_code(code: str) -> bool:
    return is_throttled(code) or code in codes.BUSY or code in codes.MAY_CLEAR


def is_undone(error: ProviderError) -> bool:
    """Whether the provider certainly did nothing, so that a create need not be looked up before another one."""
    is_refused = error.code in codes.MAY_CLEAR and error.code not in codes.CLASHES
    return (
        is_refused
        or is_unconfirmed(error)
        or is_throttled(error.code)
        or error.code in NOT_SENT
        or error.code == "NotConnected"
    )


def is_of_the_call(error: ProviderError) -> bool:
    """Whether it says nothing of the thing that the call was about: one too many, busy, lost or damaged on the way."""
    return isinstance(error, TransientError) and error.code not in codes.MAY_CLEAR


def is_held(error: ProviderError) -> bool:
    """Whether something else, which another user made, is in the way."""
    return error.code in codes.HELD


def is_unconfirmed(error: ProviderError) -> bool:
    """Whether nothing was signed, because the credentials lead to another account, or to none that is known."""
    return isinstance(error, UnconfirmedError)


def is_denied(error: ProviderError) -> bool:
    """Whether AWS refused a request because of our identity or our permissions."""
    return error.code in codes.DENIED and not is_unconfirmed(error)


def is_known_code(code: str) -> bool:
    """Whether a table of codes has its meaning."""
    is_listed = code in codes.GONE | codes.EXISTS | codes.DENIED | codes.NOT_ABOUT_THINGS
    return is_listed or is_transient_code(code) or code.endswith((".NotFound", "NotFoundException"))


def is_about_one(error: ProviderError) -> bool:
    """Whether it is about nothing but the one thing that was asked for: a refusal, another's answer, or one that is
    damaged. An endpoint that does not serve a call damages all answers to it, and no others: a caller that needs none
    of them goes on.
    """
    if error.code in (codes.OF_ANOTHER, codes.DAMAGED):
        return True
    is_of_account = is_unconfirmed(error) or error.code in codes.OURS or error.code in codes.DENIED - codes.DENIED_ALONE
    return isinstance(error, PermanentError) and not is_of_account


def is_damaged(error: ProviderError) -> bool:
    """Whether the answer could not be understood, as where an endpoint does not serve the call."""
    return error.code == codes.DAMAGED


def is_unserved(error: ProviderError) -> bool:
    """Whether the endpoint does not offer the call at all, or the service."""
    return error.code in codes.UNSERVED_CODES or error.code == codes.NOT_IN_REGION


def is_missing_part(error: ProviderError) -> bool:
    """Whether there is nothing to be read with the call, of this thing or of any."""
    return is_damaged(error) or is_unserved(error) or error.code in codes.UNSUPPORTED


def is_unfamiliar(error: ProviderError) -> bool:
    """Whether its code says nothing of the request that we understand: it may be about anything on the way to AWS."""
    is_final = any(error.code in known for known in (codes.OURS, codes.DENIED, codes.EXISTS, codes.GONE))
    is_known = is_final or is_transient_code(error.code)
    return bool(error.code) and not is_known and not is_unserved(error) and codes.FAMILIAR.search(error.code) is None


def may_pass(error: ProviderError) -> bool:
    """Whether it may be over without a correction of the composition, although trying again cannot hasten it."""
    return is_unconfirmed(error) or is_denied(error) or is_unfamiliar(error)


def is_spent(error: ProviderError) -> bool:
    """Whether the credentials themselves are not good any more."""
    return error.code in codes.SPENT


def is_gone(error: ProviderError) -> bool:
    """Whether it says that the thing, or something it refers to, does not exist."""
    if error.code in codes.NOT_ABOUT_THINGS:
        return False
    return error.code in codes.GONE or error.code.endswith(".NotFound") or error.code.endswith("NotFoundException")


def unless_gone(read: Callable[[], _Answer]) -> _Answer | None:
    """The answer of `read`; None when it is told that the thing does not exist."""
    try:
        return read()
    except ProviderError as error:
        if is_gone(error):
            return None
        raise


def is_taken(error: ProviderError) -> bool:
    """Whether it says that there is one of that name, or in that place, already."""
    return error.code in codes.EXISTS


def is_maybe_early(error: ProviderError) -> bool:
    """Whether it may be that a fresh thing is not known everywhere yet: gone for one service, there for the next."""
    return is_gone(error) or is_maybe_unknown_yet(error.code, str(error))


def is_maybe_unknown_yet(code: str, message: str) -> bool:
    """Whether a refusal may be of a service that does not know a role, a policy or a permission yet."""
    text, is_denial = message.casefold(), code in codes.DENIED
    is_wrong = not is_denial and codes.NOT_YET_CODES.search(code) is not None
    if (is_denial or is_wrong) and codes.ROLE_NOT_YET.search(text):
        return True
    return (is_wrong and codes.NOT_YET_WORDS.search(text) is not None) or _says(codes.NOT_YET, code, message)


def _says(table: Iterable[tuple[str, str]], code: str, message: str) -> bool:
    return any(code == one and words in message.casefold() for one, words in table)


_ADVICE = {
    "BucketNotEmpty": "Empty the bucket, or keep it: `DeletionPolicy: Retain`.",
    codes.CLASH: "Find out what else works on it: another tool, a pipeline, the service itself.",
    "InvalidPermission.Duplicate": "The group has this rule already, by its own rules or by another resource: declare "
    "it once.",
    "InvalidSubnet.Conflict": "Declare addresses that no other subnet of the VPC has.",
    "TagLimitExceeded": "Declare fewer tags: AWS takes 50 on a resource, and up to three say whose it is.",
}
"""The advice that follows from a code alone."""

IS_TAKEN = (
    "Choose another name, or adopt what exists: give its id in the declaration with 'Metadata: {Tenuto: "
    "{ResourceIdentifier: ID}}', update and resume."
)
"""The advice about a name that something else has."""


def hint(error: ProviderError) -> str:
    """The advice to a person about a refusal; empty when the message has to do."""
    if error.code in _ADVICE:
        return _ADVICE[error.code]
    if is_taken(error):
        return IS_TAKEN
    if is_denied(error):
        return "Check the credentials and permissions of the account that it is in."
    if error.code == "OperationNotPermitted" and "disableapitermination" in str(error).casefold():
        return "It is protected from termination. Turn DisableApiTermination off."
    if error.code == "InvalidState" and "archivepolicy" in str(error).casefold():
        return "It archives its messages. Set its ArchivePolicy to {}, which deletes them."
    if "LimitExceeded" in error.code or error.code == "TooManyBuckets":
        return "Ask AWS for a higher quota (Service Quotas) or remove what is not needed."
    if is_unserved(error):
        return "Take it out of the composition, or choose a region that offers it."
    if is_unfamiliar(error):
        return (
            "Look up the code in the documentation of the service, and check the network between the Conductor and it."
        )
    if is_gone(error):
        return "The composition names something that does not exist; correct it with `tenuto update`."
    return ""
