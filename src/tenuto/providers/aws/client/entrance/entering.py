"""The obstacles between the Conductor and an account, in words that say who must act."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    ClientError,
    CredentialRetrievalError,
    LoginError,
    MissingDependencyException,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)
from botocore.session import Session

from tenuto.core.access.masking import Masker
from tenuto.errors import NoWayError, ProviderError, TransientError, UnconfirmedError
from tenuto.model.account import Account
from tenuto.providers.aws.access import ByEnvironment, ByProfile, ByRole, access_of
from tenuto.providers.aws.client.answers import faults

ASKS_FOR_A_CODE = "MfaRequired"
_LOGGED_OUT = (LoginError, SSOError, TokenRetrievalError)
_SIGN_IN = "'aws sso login' or 'aws login'"


@contextmanager
def entering(account: Account) -> Iterator[None]:
    """Raise the SDK's errors on the way into an account as ours: with the account, the failure and the advice.

    An error that is ours already stays as it is: it is about another account, the source of a role.
    """
    try:
        yield
    except faults.STUMBLES as error:
        call = f"sts {error.operation_name}" if isinstance(error, ClientError) else "sts"
        failure = faults.translate(error, call)
        family = _family(error, failure)
        advice = "" if family is TransientError else _advice(account, error, failure)
        text = " ".join(part for part in (f"account {account.name}: {_sentence(failure)}", advice) if part)
        raise family(text, code=failure.code, request_id=failure.request_id) from error
    except RuntimeError as error:
        # The error of botocore when new credentials are old at once.
        raise UnconfirmedError(
            f"account {account.name}: {error} Check the clock of the machine that the Conductor runs on.",
            code="ExpiredToken",
        ) from error


def ask_for_no_code(session: Session, account: Account) -> None:
    """Raise UnconfirmedError when the profile of a session, or one that it comes from, has a role that takes the code
    of a device: the SDK asks for it at the terminal, where no user sits, and again whenever the role's session ends.
    """
    profiles = session.full_config.get("profiles", {})
    name, seen = session.profile or "default", set[str]()
    while name in profiles and name not in seen:
        seen.add(name)
        profile = profiles[name]
        if "role_arn" in profile and "mfa_serial" in profile:
            raise UnconfirmedError(
                f"account {account.name}: the role of the profile {name} takes the code of a device (mfa_serial), and "
                "a Conductor cannot be asked for one every hour. Let it sign in otherwise: a profile without "
                f"mfa_serial, single sign-on ({_SIGN_IN}), or the role of the machine that the Conductor runs on; "
                f"then 'tenuto account check {account.name}'.",
                code=ASKS_FOR_A_CODE,
            )
        name = profile.get("source_profile", "")


@contextmanager
def telling_no(masker: Masker) -> Iterator[None]:
    """Raise the errors of AWS without the secrets of the masker: STS may repeat an external id that it refuses."""
    try:
        yield
    except ClientError as error:
        told = error.response.get("Error", {})
        masked = {**told, "Message": masker.mask(str(told.get("Message", "")))}
        raise ClientError({**error.response, "Error": masked}, error.operation_name) from None
    except faults.STUMBLES as error:
        if masker.mask(str(error)) == str(error):
            raise
        raise faults.translate(error, "sts AssumeRole", masker) from None


def _family(error: Exception, failure: ProviderError) -> type[ProviderError]:
    if isinstance(failure, TransientError):
        return TransientError
    return NoWayError if isinstance(error, ProfileNotFound) else UnconfirmedError


def _advice(account: Account, error: Exception, failure: ProviderError) -> str:
    again = f"then 'tenuto account check {account.name}'"
    match access_of(account):
        case _ if isinstance(error, MissingDependencyException):
            return (
                "Install it beside Tenuto where the Conductor runs (`pipx inject tenuto 'botocore[crt]'`), and restart "
                f"the Conductor; {again}."
            )
        case ByProfile(profile=profile) if isinstance(error, ProfileNotFound):
            return (
                f"Add the profile {profile} to the AWS configuration of the Conductor's machine, or name another one "
                f"with 'tenuto account update {account.name} --profile PROFILE'."
            )
        case ByProfile(profile=profile) if isinstance(error, _LOGGED_OUT) or faults.is_spent(failure):
            renewal = f"'aws sso login --profile {profile}', 'aws login --profile {profile}', or new keys"
            return f"Renew the profile where the Conductor runs ({renewal}); {again}."
        case ByProfile(profile=profile):
            return f"Correct the profile {profile} where the Conductor runs; {again}."
        case ByRole() as role if faults.is_denied(failure):
            condition = "with the external id that was given here" if role.has_external_id else "without an external id"
            return (
                f"The trust policy of {role.role_arn} must allow the credentials of the account {role.source} to "
                f"assume it {condition}, and those must be permitted sts:AssumeRole; {again}."
            )
        case ByEnvironment() if failure.code == "NoCredentials":
            return (
                "Start the Conductor with some (AWS_PROFILE, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, …), or add "
                "an account with a profile: 'tenuto account add NAME --profile PROFILE'."
            )
        case ByEnvironment() if isinstance(error, _LOGGED_OUT):
            return f"Sign in again where the Conductor runs ({_SIGN_IN}, with its AWS_PROFILE); {again}."
        case ByEnvironment() if faults.is_denied(failure) or isinstance(error, CredentialRetrievalError):
            return "Renew the credentials that the Conductor runs with, and restart it."
        case _:
            return ""


def _sentence(failure: ProviderError) -> str:
    return f"{str(failure).rstrip('.')}."
