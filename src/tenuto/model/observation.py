"""An observation: one bulk sweep of a provider, and the part of it about each resource."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from tenuto.model.ids import Fid, Instant, Json, JsonMap, LogicalId, ObjectId, Partition, PhysicalId, TypeName

_BEFORE_ALL = Instant(0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The owner of a resource, as written in its ownership tags."""

    fid: Fid
    logical_id: LogicalId
    object_id: ObjectId


class Condition(StrEnum):
    """The stage of the real thing in its own life at the provider."""

    PENDING = "pending"
    READY = "ready"
    GOING = "going"
    """Being deleted: certain not to come back, and still in the way of another one like it."""
    GONE = "gone"
    """A tombstone, such as a terminated instance."""
    BROKEN = "broken"
    """The provider gave up on it (a failed NAT gateway); only a replacement helps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedItem:
    """One real resource, with its properties in the shape of the declared ones."""

    physical_id: PhysicalId
    properties: JsonMap
    attributes: JsonMap = field(default_factory=dict)
    lent: Mapping[str, Sequence[Json]] = field(default_factory=dict)
    """Members of lists that are there because another resource declares them, so that they are not among the
    `properties`. One that this resource declares, too, counts as its own (`seen_by`)."""
    spelled: Mapping[str, tuple[str, Json]] = field(default_factory=dict)
    """Properties in a second spelling, each with the word by which a declaration shows that it uses that one."""
    owner: Owner | None = None
    condition: Condition = Condition.READY
    message: str = ""
    undeclarable: str = ""
    """The reason why no composition can declare it, so that it cannot be adopted (it comes and goes with another
    thing)."""

    @property
    def is_ending(self) -> bool:
        """Whether it is certain not to come back."""
        return self.condition in (Condition.GOING, Condition.GONE)

    def seen_by(self, declared: JsonMap) -> JsonMap:
        """The properties as who declares this sees them: with the lent members that the declaration names, too, and in
        its own spelling."""
        shared = {
            name: [one for one in members if one in wanted]
            for name, members in self.lent.items()
            if isinstance(wanted := declared.get(name), Sequence) and not isinstance(wanted, str)
        }
        more = {name: [*self.properties.get(name, ()), *members] for name, members in shared.items() if members}
        told = {name: value for name, (word, value) in self.spelled.items() if word in str(declared.get(name))}
        return {**self.properties, **told, **more} if told or more else self.properties


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """The details of a tracked thing that a sweep must show beyond those that it shows of every thing: those of the
    `costly` properties that are in `names`, as read after the moment `since`."""

    names: frozenset[str] = frozenset()
    since: Instant = _BEFORE_ALL
    spared: frozenset[str] = frozenset()
    """Those of the names that nothing is compared with: a person may see them, and may do without them."""
    is_aside: bool = False
    """True when it need not be shown now: that it is tracked says that another thing does not own it (a rule that is a
    resource of its own is no rule of its group)."""


Tracked = Mapping[TypeName, Mapping[PhysicalId, Interest]]


def to_show(tracked: Tracked) -> Tracked:
    """The tracked things without those that are aside."""
    return {name: {one: what for one, what in ids.items() if not what.is_aside} for name, ids in tracked.items()}


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """The result of one sweep of one type in one partition. `started_at` is before the first request."""

    partition: Partition
    type: TypeName
    started_at: Instant
    items: Mapping[PhysicalId, ObservedItem]
    unsure: Mapping[PhysicalId, str] = field(default_factory=dict)
    """The things that are not among the items, although nothing says that they do not exist; each with why, in words
    for people."""
    denied: frozenset[PhysicalId] = frozenset()
    """Those of the unsure ones that the provider does not permit to be read."""
    duplicates: frozenset[PhysicalId] = frozenset()
    """The things that carry the mark of a recorded incarnation, have another id, and were there when that was new: made
    twice."""
    is_whole: bool = True
    """True when it shows every thing of the type, and not only the tracked ones."""

    @cached_property
    def marked(self) -> Mapping[ObjectId, Sequence[ObservedItem]]:
        """The things that carry the mark of each incarnation. One thing does, unless it was made twice."""
        found: dict[ObjectId, list[ObservedItem]] = {}
        for item in self.items.values():
            if item.owner is not None:
                found.setdefault(item.owner.object_id, []).append(item)
        return found


class Presence(StrEnum):
    PRESENT = "present"
    ABSENT = "absent"
    """Confirmed: two sightings, an age, or a tombstone."""
    DOUBTFUL = "doubtful"
    """The sweep did not show it once: too early to say, clouds are eventually consistent."""
    UNSEEN = "unseen"
    """The last sweep is older than our own last change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The present knowledge of one incarnation. `item` is set when it is present."""

    presence: Presence
    item: ObservedItem | None = None
    message: str = ""
    may_be_stale: bool = False
    """True when the item may be as it was before our own last change of it."""
