"""An account of a provider: where processes live, and how the Conductor gets into it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.model.ids import Instant, JsonMap

DEFAULT_ACCOUNT = "default"
"""The account that the provider's own settings lead to, where the Conductor runs. It is there without being added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A named account. `account_id` is the id that it was found to have when it was first used, and never changes after
    that.

    The settings say how the account is entered. They are the provider's: it checks them, and says in `description` what
    they mean. `region` is that of compositions that are run there without a region.
    """

    name: str
    provider: str = ""
    """The provider whose settings these are. Empty for the default account, which each provider has."""
    settings: JsonMap = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    """The settings that are never shown, sealed."""
    description: str = ""
    """The way into the account, in the words of its provider; empty when no setting was ever stored."""
    source: str | None = None
    """The account whose credentials this one is entered with."""
    claimed_id: str | None = None
    """The account id that the settings name, before it was found to be the true one."""
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
    """A digest of the credentials themselves: another set has another one, and nothing of a set can be read from it."""
    at: Instant
    """The moment when the question was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCredentials:
    """The Conductor's knowledge of the credentials of an account."""

    confirmed_at: Instant | None = None
    """The moment when they were last found to lead to the right account."""
    problem: str = ""
    """The reason why nothing is done in the account now; empty when nothing is in the way."""
