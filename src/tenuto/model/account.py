"""An account of a provider: where processes live, and how the Conductor gets into it."""

from dataclasses import dataclass

from tenuto.model.ids import Instant

DEFAULT_ACCOUNT = "default"
"""The account that the provider's own settings lead to, where the Conductor runs. It is there without being added."""


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
    external_id: str | None = None
    """What the role's trust policy asks for; sealed."""

    @property
    def account_id(self) -> str:
        """The account that the role is in, as its ARN says."""
        return self.role_arn.split(":")[4]


Access = ByEnvironment | ByProfile | ByRole


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A named account. `account_id` is what it was found to be when it was first used, and never changes after that.

    `region` is where compositions go that are run there without a region.
    """

    name: str
    access: Access
    region: str | None = None
    account_id: str | None = None
    created_at: Instant | None = None
    generation: int = 0
    """0 as long as it is not stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The identity that the provider tells for the credentials."""

    account_id: str
    arn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """The answer to whose some credentials are: the account that was expected."""

    account_id: str
    fingerprint: str
    """Of the credentials themselves: another set has another one, and nothing of a set can be read from it."""
    at: Instant
    """When the question was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCredentials:
    """The Conductor's knowledge of the credentials of an account."""

    confirmed_at: Instant | None = None
    """When they were last found to lead to the right account."""
    problem: str = ""
    """Why nothing is done in the account now; empty when nothing is in the way."""
