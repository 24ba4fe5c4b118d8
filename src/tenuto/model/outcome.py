"""The answer of a provider to one request: a closed union, one value per item of a bulk call."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.model.attempt import UNREAD
from tenuto.model.ids import Fid, Instant, Json, JsonMap, LogicalId, ObjectId, Partition, PhysicalId, TypeName


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One resource that a provider shall create, find, modify or delete.

    `properties` are complete: references resolved, secrets in clear. `token` is ours and the same for every attempt of
    one incarnation; `owner` tags are made of `fid`, `logical_id` and `object_id`. `observed` are the properties that
    the last sweep showed of it, when there was one.
    """

    object_id: ObjectId
    fid: Fid | None
    process_name: str
    logical_id: LogicalId
    type: TypeName
    token: str
    properties: JsonMap
    physical_id: PhysicalId | None = None
    observed: JsonMap | None = None
    attributes: JsonMap = field(default_factory=dict)
    keeps_snapshot: bool = False
    """True when a deletion first makes a copy of the data of the thing, which stays."""
    progress: JsonMap = field(default_factory=dict)
    """The provider's own note of an act that is under way, as its last `Pending` left it. To look a thing up, it is the
    note of its creation."""
    sent_at: Instant | None = None
    """The moment since which the act is under way; another one for each act that is not the repetition of one."""
    stood: str = UNREAD
    """The id of the thing that stood in its place when the creation was about to be sent; empty where none did
    (`Attempt.stood`)."""
    asked: frozenset[str] = frozenset()
    """The attributes that the composition asks of a resource whose type answers them all at its creation
    (`ResourceType.tells_its_end`). Empty for any other type."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """The clear values that no text about the request may tell (`core.access.masking`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A request that is done, or was done before. `attributes` are merged into the object's.

    `told_once` are attributes that are secrets and that the provider never tells again, in clear: the Conductor seals
    them before anything else sees the outcome. `was_absent` says of a deletion that the provider knows no such thing,
    which of a new one means nothing yet.
    """

    physical_id: PhysicalId | None = None
    attributes: JsonMap = field(default_factory=dict)
    told_once: Mapping[str, str] = field(default_factory=dict, repr=False)
    was_absent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A request that is under way, or not possible yet: ask again. `delay_s` is a wish; without it the phase's own
    back-off counts.

    `code` and `request_id` are set when a transient fault is the cause. `is_undone` says that the provider certainly
    did nothing (it answered that it was throttled, say); without it a create may have happened and is looked up before
    another one. `is_held` says that something else keeps the provider from doing it: that may clear by itself, but when
    it lasts a person must make the holder let go.
    """

    message: str
    physical_id: PhysicalId | None = None
    delay_s: float | None = None
    code: str = ""
    request_id: str = ""
    is_undone: bool = False
    is_held: bool = False
    is_throttled: bool = False
    """True when the provider takes no more calls for now: nothing else is wrong with this one."""
    patience_s: float | None = None
    """The time that it may last, where that is less than the Conductor's own patience."""
    hint: str = ""
    """The advice about the obstacle, should it last."""
    progress: JsonMap = field(default_factory=dict)
    """The provider's own note of the act, such as the token of a request that it carries out. Tenuto stores the note
    unread and gives it back with the next request for the act; an empty one leaves the note as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The call is refused: trying again cannot help before a person changes something. `hint` names the change."""

    message: str
    code: str = ""
    request_id: str = ""
    hint: str = ""
    is_unsent: bool = False
    """True when the provider refuses because of an earlier read: no call that changes anything was sent."""
    keeps_doubt: bool = False
    """True when the refusal is no answer to a changing call: a question was refused, or patience has ended. An act that
    is noted may go on, and its end is as unknown as before."""
    physical_id: PhysicalId | None = None
    """The thing that a refused creation has left standing. It is recorded, so that it is deleted with the process."""
    attributes: JsonMap = field(default_factory=dict)
    """The attributes of that thing, which are merged into the object's."""

    @property
    def told(self) -> str:
        """The message, with the hint behind it."""
        return ". ".join(part.rstrip(".") for part in (self.message, self.hint) if part)


Outcome = Done | Pending | Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One provider call that changed something, or tried to (DECISIONS 35). Secrets are never in it."""

    at: Instant
    partition: Partition
    service: str
    operation: str
    object_ids: tuple[ObjectId, ...]
    request_id: str
    duration_s: float
    code: str = ""
    """Empty when the call succeeded."""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The provider's facts of a partition as a whole, for `AWS::AccountId`, `Fn::GetAZs` and dynamic references."""

    account_id: str
    zones: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lookups: Mapping[str, Json] = field(default_factory=dict)


NOWHERE = Context(account_id="")
"""The facts where the provider cannot, or shall not, be asked."""
