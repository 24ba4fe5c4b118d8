"""The settings of an account of AWS: it is entered by the SDK's own settings, by a profile, or by a role.

Theory of operation. The core stores settings as plain values (`model.account`); they have a meaning here alone.
`check_settings` turns the settings that a user gives into the form that is stored, and `access_of` turns that into an
`Access`.
"""

import re
from dataclasses import dataclass

from tenuto.errors import PermanentError, UnconfirmedError, UserError
from tenuto.kit.nearest import meant
from tenuto.kit.regions import LISTED
from tenuto.model.account import DEFAULT_ACCOUNT, Account
from tenuto.model.ids import JsonMap
from tenuto.ports.accounts import CheckedSettings, GivenSettings

PROVIDER = "aws"
PROFILE = "profile"
ROLE_ARN = "role_arn"
EXTERNAL_ID = "external_id"
"""The setting that the trust policy of a role asks for; the store keeps it sealed."""
SOURCE = "source"
_KNOWN = (EXTERNAL_ID, PROFILE, ROLE_ARN, SOURCE)
_ROLE = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]{1,576}", re.ASCII)
_EXTERNAL_ID = re.compile(r"[\w+=,.@:/-]{2,1224}", re.ASCII)
_PROFILE = re.compile(r"[^\s\[\]\x00-\x1f](?:[^\[\]\x00-\x1f]{0,126}[^\s\[\]\x00-\x1f])?")
_ACCOUNT_ID = re.compile(r"\d{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ByEnvironment:
    """Access by the SDK's own settings: variables, the default profile, the role of a container or an instance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByProfile:
    """Access by a profile of the SDK's configuration files, where the Conductor runs."""

    profile: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRole:
    """Access by a role that the credentials of another account assume."""

    role_arn: str
    source: str = DEFAULT_ACCOUNT
    """The name of that other account."""
    has_external_id: bool = False

    @property
    def account_id(self) -> str:
        """The account that the role is in, as its ARN says."""
        return self.role_arn.split(":")[4]

    @property
    def partition(self) -> str:
        """The partition of AWS that the role is in, such as aws-cn."""
        return self.role_arn.split(":")[1]


Access = ByEnvironment | ByProfile | ByRole


def access_of(account: Account) -> Access:
    """Return how a stored account is entered. Raises PermanentError for an account of another provider."""
    if account.provider not in ("", PROVIDER):
        raise PermanentError(
            f"The account {account.name} is one of the provider {account.provider}, so AWS cannot be entered by it. "
            f"Run the process in an account of AWS, or add one: 'tenuto account add NAME --provider {PROVIDER}'.",
            code="OtherProvider",
        )
    if ROLE_ARN in account.settings:
        return ByRole(
            role_arn=account.settings[ROLE_ARN],
            source=account.source or DEFAULT_ACCOUNT,
            has_external_id=EXTERNAL_ID in account.secrets,
        )
    if PROFILE in account.settings:
        return ByProfile(profile=account.settings[PROFILE])
    return ByEnvironment()


def check_settings(settings: GivenSettings) -> CheckedSettings:
    """Implements `ports.accounts.HasAccountSettings`. A setting that is not given stays, as long as it belongs to a
    role.
    """
    given = _texts(settings.given)
    before = None if settings.before is None else access_of(settings.before)
    if not given and settings.before is not None and before is not None:
        checked = _unchanged(settings.before, before)
    elif PROFILE in given and ROLE_ARN in given:
        raise UserError("An account is entered by a profile or by a role: give one of the two.")
    elif ROLE_ARN in given or (isinstance(before, ByRole) and PROFILE not in given):
        checked = _by_role(given, before if isinstance(before, ByRole) else None, settings)
    elif EXTERNAL_ID in given or SOURCE in given:
        raise UserError("An external id and a source belong to a role: give its ARN, too.")
    elif PROFILE in given:
        checked = _by_profile(given[PROFILE])
    else:
        checked = CheckedSettings(settings={}, description="the Conductor's own AWS settings")
    _check_region(checked, settings.region)
    return checked


def check_account_id(account: Account, account_id: str) -> None:
    """Raise UnconfirmedError when the answer of AWS names no account."""
    if _ACCOUNT_ID.fullmatch(account_id) is None:
        raise UnconfirmedError(
            f"The account {account.name} leads to {account_id!r}, which is no account id of AWS.", code="NoId"
        )


def _texts(given: JsonMap) -> dict[str, str]:
    for name, value in given.items():
        if name not in _KNOWN:
            raise UserError(
                f"AWS knows no setting {name} of an account.{meant(name, _KNOWN)} It knows {', '.join(_KNOWN)}."
            )
        if not isinstance(value, str):
            raise UserError(f"The setting {name} of an account of AWS must be a text.")
    return dict(given)


def _unchanged(account: Account, access: Access) -> CheckedSettings:
    return CheckedSettings(
        settings=account.settings,
        secrets=dict.fromkeys(account.secrets),
        description=account.description,
        source=account.source,
        account_id=access.account_id if isinstance(access, ByRole) else None,
    )


def _by_profile(profile: str) -> CheckedSettings:
    if _PROFILE.fullmatch(profile) is None:
        raise UserError(
            f"{profile!r} cannot be the name of a profile. Give one as the AWS configuration file writes it."
        )
    return CheckedSettings(settings={PROFILE: profile}, description=f"the profile {profile}")


def _by_role(given: dict[str, str], before: ByRole | None, settings: GivenSettings) -> CheckedSettings:
    arn = given[ROLE_ARN] if before is None else given.get(ROLE_ARN, before.role_arn)
    if _ROLE.fullmatch(arn) is None:
        raise UserError(f"{arn!r} is no role. The ARN of one is like arn:aws:iam::111122223333:role/tenuto.")
    secrets: dict[str, str | None] = {}
    if given.get(EXTERNAL_ID):
        _check_external_id(given[EXTERNAL_ID])
        secrets[EXTERNAL_ID] = given[EXTERNAL_ID]
    elif EXTERNAL_ID not in given and before is not None and before.has_external_id:
        secrets[EXTERNAL_ID] = None
    source = settings.name_of(given.get(SOURCE) or (DEFAULT_ACCOUNT if before is None else before.source))
    condition = ", with an external id" if secrets else ""
    role = ByRole(role_arn=arn)
    return CheckedSettings(
        settings={ROLE_ARN: arn},
        secrets=secrets,
        description=f"the role {arn}, assumed from {source}{condition}",
        source=source,
        account_id=role.account_id,
    )


def _check_external_id(external_id: str) -> None:
    """Raise UserError without repeating it."""
    if _EXTERNAL_ID.fullmatch(external_id) is None:
        raise UserError(
            "The external id is not valid. Give 2 to 1224 characters: letters, digits and any of + = , . @ : / - _"
        )


def _check_region(checked: CheckedSettings, region: str | None) -> None:
    """Raise UserError when the role is in another partition of AWS than the region of its account."""
    if region is None or ROLE_ARN not in checked.settings:
        return
    role = ByRole(role_arn=checked.settings[ROLE_ARN])
    partition = LISTED.partition(region)
    if partition and partition != role.partition:
        raise UserError(
            f"The role {role.role_arn} is in the partition {role.partition} of AWS, and the region {region} is in "
            f"{partition}: no account is in both. Give a region of {role.partition}, or another role."
        )
