"""Access: rights, the grants of a policy, and the stored form of a user's secret."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from tenuto.model.ids import Instant

if TYPE_CHECKING:
    from tenuto.model.identity import IdentityRule
    from tenuto.model.proposal import ApprovalRule


ROOT = "root"
"""The owner of the Conductor: the person who can read its credentials file."""


class Right(StrEnum):
    """A right that can be granted. Each is the word of the command line that needs it."""

    STATUS = "status"
    PLAN = "plan"
    """Also every dry run: it asks for the effect of a command, and does not give the command."""
    EXPLAIN = "explain"
    HISTORY = "history"
    OPS = "ops"
    EVENTS = "events"
    RUN = "run"
    UPDATE = "update"
    SUSPEND = "suspend"
    RESUME = "resume"
    KILL = "kill"
    RELEASE = "release"
    RETRY = "retry"
    PROPERTY = "property"
    IMPORT = "import"
    OBJECT = "object"
    """The right to make, tag and delete objects that no composition declares."""
    ARTIFACT = "artifact"
    """The right to upload, fetch, label, share and delete artifacts and their uploads."""
    INSTANCE = "instance"
    """The right to act inside instances: to run commands, to read and write files, to read the console."""
    POLICY = "policy"
    USER = "user"
    ACCOUNT = "account"
    VALIDATION = "validation"
    NOTIFICATION = "notification"
    RUNTIME = "runtime"
    PHASES = "phases"
    """The right to reload the plugins. A user who may ask anything may see them."""
    METRICS = "metrics"


QUESTIONS = (Right.STATUS, Right.PLAN, Right.EXPLAIN, Right.HISTORY, Right.OPS, Right.EVENTS)
"""The rights that change nothing."""

OF_CONDUCTOR = (
    Right.POLICY,
    Right.USER,
    Right.ACCOUNT,
    Right.VALIDATION,
    Right.NOTIFICATION,
    Right.RUNTIME,
    Right.PHASES,
    Right.METRICS,
)
"""About the Conductor as a whole. All others are about the processes of an account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """Rights for users. `accounts` and `aliases` are patterns; without `aliases` every process is meant."""

    users: frozenset[str]
    rights: frozenset[Right]
    accounts: tuple[str, ...] = ()
    aliases: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The users, and their rights. All that no grant gives is denied."""

    users: tuple[str, ...] = ()
    grants: tuple[Grant, ...] = ()
    approvals: "tuple[ApprovalRule, ...]" = ()
    """The commands that take the agreement of others."""
    identities: "tuple[IdentityRule, ...]" = ()
    """The users that tokens of issuers stand for; the first rule that is about a token decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyText:
    """A policy as it was set."""

    text: str
    file: str
    """The name of the file that it came from, for people."""
    set_at: Instant
    set_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSecret:
    """The stored part of the secret of a user, or of a key of a namespace.

    It is enough to recognise the secret, and too little to make it again.

    `key` is the public part by which the row is found; `digest` holds the way in which it was derived, and the result.
    """

    user: str
    key: str
    digest: str
    created_at: Instant
    created_by: str
    grant: Grant | None = None
    """The rights of a key of a namespace as a whole, or those that narrow a token. The secret of a user has none: the
    policy gives the rights of the user."""
    owner: str = ""
    """The user of a token, whose own name is `USER:TOKEN`; empty for every other secret."""
    expires_at: Instant | None = None
    used_at: Instant | None = None
    """The moment of a recent use of a token: written once in an hour of use, so it may be that much later."""
    generation: int = 0
    """The stored generation, 0 when there is none yet."""

    def is_expired(self, now: Instant) -> bool:
        return self.expires_at is not None and self.expires_at <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeSetting:
    """A setting that was changed while the Conductor runs. A key without one has its default."""

    key: str
    value: str
    set_at: Instant
    set_by: str
