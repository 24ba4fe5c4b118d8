"""The managed object: one incarnation of a resource, a `Cloud.Node`, or any other object that walks states."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tenuto.model.composition import DeletionPolicy
from tenuto.model.consistency import EVENTUAL, Consistency
from tenuto.model.ids import (
    Fid,
    Instant,
    Json,
    JsonMap,
    LogicalId,
    ObjectId,
    Partition,
    PhaseName,
    PhysicalId,
    PlanId,
    TypeName,
)
from tenuto.model.naming import Naming
from tenuto.model.phase_map import CLOSED, IN_FLIGHT, PhaseEntry, PhaseStatus
from tenuto.model.rate import Calls
from tenuto.model.spelling import Documents, Merged, Program, Retelling, ServiceMembers, Spelling, Words

_COMPLETED, _CANCELED, _FAILED = PhaseStatus.COMPLETED, PhaseStatus.CANCELED, PhaseStatus.FAILED
_CANCELING = PhaseStatus.CANCELING
"""Read once: to read a member of an enum takes longer than to compare it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One state transition of one object; the store writes one event for each."""

    before: str
    after: str
    at: Instant
    actor: str
    """The user who asked, or `conductor`."""
    reason: str = ""
    by: str = ""
    """The plan or the phase that moved it, if one did."""
    request: str = ""
    """The API request that it is the consequence of, if one is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagedObject:
    """One incarnation.

    `lifecycle` names the table in `lifecycles` that says which moves are allowed. `desired` are the properties that the
    plan gave it, with every reference resolved, secrets still as `{"Ref": NAME}`. `desired_digest` also covers the
    fingerprints of those secrets. `attributes` are those that `Fn::GetAtt` reads and that plugins store on the object.
    `depends_on` are the addresses it was built on: deletion goes the other way round. `moved_at` is when the state was
    entered, `touched_at` when a provider call last may have changed the real thing: an observation that started before
    `touched_at` is old news.
    """

    object_id: ObjectId
    lifecycle: str
    type: TypeName
    provider: str | None
    partition: Partition
    fid: Fid | None
    logical_id: LogicalId
    incarnation: int = 1
    state: str
    target: str
    generation: int = 1
    message: str = ""
    created_at: Instant
    moved_at: Instant
    touched_at: Instant
    physical_id: PhysicalId | None = None
    has_stood: bool = False
    """The fact that it was ready once, also while it is changed."""
    desired: JsonMap = field(default_factory=dict)
    desired_digest: str = ""
    attributes: JsonMap = field(default_factory=dict)
    depends_on: tuple[LogicalId, ...] = ()
    deletion_policy: DeletionPolicy = DeletionPolicy.DELETE
    kept: tuple[str, ...] = ()
    """The property paths that the last change of it left, and its phases leave, as they are found."""
    plan_id: PlanId | None = None
    """The plan that gave it its present target: a step of that plan has begun exactly when this names it."""
    mandate: int = 1
    """The command of its process (`Process.mandate`) for which a plan has set its target, or has agreed with it."""
    request: str = ""
    """The last API request that wrote an object of no process. Work on an object of a process has the request of the
    process (`Intent.request`), and the object has none."""
    phases: Mapping[PhaseName, PhaseEntry] = field(default_factory=dict)

    @property
    def is_phase_failed(self) -> bool:
        """True while any phase of the object is Failed (the `PhaseFailed` of the specification)."""
        # A loop over a constant, since planning asks this of every object: a generator takes four times as long.
        for entry in self.phases.values():  # noqa: SIM110
            if entry.status is _FAILED:
                return True
        return False

    @property
    def is_in_flight(self) -> bool:
        """Whether a plugin works on the object now."""
        return any(entry.status in IN_FLIGHT for entry in self.phases.values())

    @property
    def is_settled(self) -> bool:
        """True when the object is where it should be, and no phase of a change is open there."""
        if self.state != self.target:
            return False
        for entry in self.phases.values():
            status = entry.status
            if status is _COMPLETED or status is _CANCELED:
                continue
            if entry.is_upkeep and status is not _CANCELING:
                continue
            # Of a state that the object left by its failure only a run that has not returned matters.
            if entry.state == self.state or status in IN_FLIGHT:
                return False
        return True

    @property
    def upkeep(self) -> tuple[PhaseEntry, ...]:
        """The entries of the upkeep of the object in its state, by the names of the phases."""
        kept = (entry for entry in self.phases.values() if entry.is_upkeep and entry.status not in CLOSED)
        return tuple(sorted((entry for entry in kept if entry.state == self.state), key=lambda entry: entry.phase))

    @property
    def failing_upkeep(self) -> tuple[PhaseEntry, ...]:
        """The upkeep of which the last round failed."""
        return tuple(entry for entry in self.upkeep if entry.failures)


class Comparison(StrEnum):
    """The way to compare two values of one property when plain equality is too strict."""

    SET = "set"
    """Order and repeats of a list do not matter."""
    MEMBERS = "members"
    """A set that others add to: the members besides the declared ones belong to others."""
    SHARED = "shared"
    """A set that others add to, of which a member that was declared and is not any more is taken out again. A member
    that was never declared belongs to others, and stays."""
    VARIABLES = "variables"
    """A set of mappings with Name and Value: one whose value is empty is dropped by the service, as Batch does."""
    CIDR = "cidr"
    """Host bits are cut off: 10.0.0.5/24 is stored as 10.0.0.0/24."""
    FOLDED = "folded"
    """Case does not matter."""
    MOMENT = "moment"
    """A time of ISO 8601: a fraction of no length may be missing."""
    HOUR = "hour"
    """Seconds since 1970: the seconds over a full hour are cut off."""
    POINTER = "pointer"
    """A path of which slashes may be written `~1`, as in a JSON pointer."""
    CHOICE = "choice"
    """A mapping whose member says something even when it is empty: one of several that exclude each other."""
    KEYED = "keyed"
    """A mapping of names that the user gives: one that is shown and not declared is one too many."""
    SHOWN = "shown"
    """Compared only where the provider shows it: it drops the ports of a rule for all protocols, which mean nothing."""
    RELEASE = "release"
    """A version: more places than are declared, and a newer last place, are as declared. A service raises them by
    itself, and never goes back."""
    LEAST = "least"
    """A number that the provider raises by itself and never lowers: a greater one is as declared."""


class Watch(StrEnum):
    """The way in which the things of a type are seen."""

    PAGE = "page"
    """In bulk, all of them at every sweep."""
    SINGLE = "single"
    """One call for each thing, in turns: a drift is found the later, the more things of the type there are."""


TOLD, UNMADE, ANSWER = "tenuto:told", "tenuto:unmade", "tenuto:answer"
"""The attributes with a provider's notes of requests to a service that makes the thing and tells its id: the properties
that it was made with, a creation that failed, and a creation whose answer is still to be read."""
REPLACED = "tenuto:replaced"
"""The attribute with the things that a change in place has replaced at the provider, by physical id, each with the
provider's note. They are deleted by another change, once everything that was built on them has followed."""
LOST = "tenuto:lost"
"""The attribute with the paths that the last change of a resource gave another value or took out, and that are sent in
any case. No provider has an attribute of this name."""
MAY_BE_ABSENT = "?"
"""The last sign of a path in a group of exclusive properties that need not be declared."""
EVERYTHING = "*"
"""In place of the names of costly properties: the thing as a whole costs a call."""

Rule = Comparison | Naming | Spelling | Words | Merged | Documents | Program
"""The comparison of one property: of values of some shape, of names of other things, of mappings with older words,
of words for which the provider shows others, of documents, or of programs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsaid:
    """Properties, and dotted members of them, that the description of a thing leaves out: the provider chose them, or
    they repeat others.

    Declared, they would exclude others when the thing has to be made again, or pin values that were never wished.
    """

    names: frozenset[str]
    beside: str = ""
    """The property that must be shown, too; empty for always."""
    where: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The values of which each of these properties, or dotted members of them, must have one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledMembers:
    """The members of a list that keep their values while other properties of the thing name them."""

    key: str
    """The part of a member with its name."""
    named_in: tuple[str, ...]
    """The paths at which members are named, also through the members of lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceType:
    """The facts that the planner must know of a resource type. One declarative block per type, given by the provider.

    Paths are top-level property names, or dotted where a nested one has a rule of its own.
    """

    name: TypeName
    provider: str
    lifecycle: str = "resource"
    """The table with the states of its resources, and the meanings of the states."""
    source: str
    """The bulk observation that shows resources of this type; types of one source are swept together."""
    heeds: frozenset[TypeName] = frozenset()
    """Types of other sources whose things stand in things of this type: a sweep is told of those that are tracked, so
    that no thing shows as its own part a thing that is a resource by itself."""
    create_only: frozenset[str] = frozenset()
    """Properties whose change forces a replacement."""
    interrupting: frozenset[str] = frozenset()
    """Properties whose change in place may interrupt the service of the resource: a machine restarts for another size
    (docs/decisions/0179)."""
    settled_members: Mapping[str, SettledMembers] = field(default_factory=dict)
    """Lists of which a change forces a replacement when it is about such a member, by path."""
    write_only: frozenset[str] = frozenset()
    """Properties, and dotted members of them, that the provider never shows again; they are compared with the last
    desired value."""
    shown: frozenset[str] | None = None
    """Of a type with free properties, those that the provider knows: all others are for phases to read, and no sweep
    shows them. None where there are no free ones."""
    required: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    """The attributes that `Fn::GetAtt` may read."""
    passing: frozenset[str] = frozenset()
    """Those of them that come and go while the thing serves, of a type whose phases of plugins would run again to read
    them: they are as they were at the last change."""
    when_absent: JsonMap = field(default_factory=dict)
    """Properties that are compared even when undeclared, with the value that absence means (DECISIONS 25)."""
    defaults: JsonMap = field(default_factory=dict)
    """The values that properties have where they were never declared, None for one that is absent then: one that is
    taken out of a composition gets its value back (docs/decisions/0070, 0114)."""
    cleared_last: frozenset[str] = frozenset()
    """Properties that are emptied in place only after everything else is made: the things that take their place must
    stand first."""
    detached: frozenset[str] = frozenset()
    """Properties that lose the thing that they name when it is deleted, such as the role of an instance profile: the
    deletion waits for nothing here, and they are set again once the thing is made anew."""
    refused: Mapping[str, str] = field(default_factory=dict)
    """Properties, and dotted members of them, that the provider cannot hold, each with the reason and the advice:
    refused rather than ignored, already where a composition is compiled."""
    costly: frozenset[str] = frozenset()
    """Properties, and dotted members of them, that no bulk call shows, so that each costs a call for each resource.
    They are read where they are compared."""
    asked_members: Mapping[str, str] = field(default_factory=dict)
    """Those of them that show the members that were set, and others only where they are declared: with the value that
    it has anyway, one is no difference. Each path has the property that names a member of its list; none for a
    mapping."""
    compare_as: Mapping[str, Rule] = field(default_factory=dict)
    retelling: Retelling | None = None
    """Set when little is known of the words in which the provider shows the values that it was sent. A value that was
    sent before is then compared with the shown one by `core.planning.equality.retelling`; a value that is declared anew
    is compared as it is."""
    of_services: Mapping[str, ServiceMembers] = field(default_factory=dict)
    """Lists to which services of the provider add members by themselves, by path: an undeclared one is no difference,
    and a change of the list keeps it."""
    watch: Watch = Watch.PAGE
    through: str = ""
    """The general interface of the provider that the type goes through; empty for a type with a block of its own."""
    synonyms: tuple[tuple[str, ...], ...] = ()
    """Groups of properties that say one thing in several ways (a zone by its name or by its id): one that is no longer
    declared, while another of its group is, was not taken out."""
    unsaid: tuple[Unsaid, ...] = ()
    exclusive: tuple[tuple[str, ...], ...] = ()
    """Groups of properties that two resources cannot share, of a list each member: a replacement that keeps them is
    delete-first. Paths have dots, also into the members of lists; one that ends with `MAY_BE_ABSENT` is shared by two
    that do not declare it, as the empty path of a domain is, and by one that declares its default. Of a type with an
    empty group a region has one thing."""
    id_form: str = ""
    """The physical id as a person writes it, where it is made of several parts: their names with `|` between them."""
    named_by: str = ""
    """The property whose declared value `Ref` gives: another incarnation answers the same."""
    ref_attribute: str = ""
    """The attribute that `Ref` gives, where that is not the physical id."""
    named_attributes: frozenset[str] = frozenset()
    """Attributes that follow from that name alone (an ARN, a domain name)."""
    named_with: frozenset[str] = frozenset()
    """Properties from which these attributes follow, too, such as the path in the ARN of a role."""
    calls: Calls = field(default_factory=Calls)
    """The calls that work on one resource costs."""
    makes_once: bool = False
    """True when a creation may be repeated at any time: it carries a token by which the provider knows it again."""
    repeats_as_sent: bool = False
    """True when the provider knows the repetition of a creation only when it is sent as it was the first time, also
    after an update."""
    notes_tell_wish: bool = False
    """True when the provider's note of a change tells what it was to bring about, so that it is of use to the next
    change as well: that waits for the end of the one before."""
    tells_its_end: bool = False
    """True when the search for the thing of a creation that is under way finds something in the end, however long it
    takes: the thing, or a record that stands for it once its time is over. That it finds nothing yet says nothing."""
    tells_all: bool = False
    """True when the end of a creation or a change tells every attribute: one that it lacks never comes."""
    is_marked: bool = True
    """False when its things carry no mark of ours, so that no sweep tells a duplicate from a thing of another owner."""
    is_read_first: bool = False
    """True when a thing that a creation finds in its place need not carry a mark that tells whose it is: whether one
    stands is read before the call, and a thing that stood before is another's."""
    shows_duplicates: bool = True
    """False when a sweep shows only the things that it is asked for: no wait for one tells of a duplicate."""
    mutable: bool = True
    """False when nothing can be changed in place: every change replaces."""
    can_be_released: bool = True
    """False when the provider ends a thing that no process has, though the table of the type knows a release."""
    left_as_is: frozenset[str] = frozenset()
    """Properties from which an update takes nothing out: without it, others could come in."""
    goes_in_steps: bool = False
    """True when a change is made by calls that wait for each other, and is over when the shown values agree: nothing is
    sent that agrees already."""
    recovers: bool = False
    """True when a thing that the provider reports as broken after it had worked may work again, once its cause is
    corrected: that alone does not replace it."""
    has_snapshots: bool = False
    """True when its deletion can make a snapshot first (`Request.keeps_snapshot`)."""
    consistency: Consistency = EVENTUAL
    """The delays with which the provider shows the changes of a thing of the type."""
    bears_data: bool = False
    """True when its deletion loses data that no composition can bring back: its contents, or an address."""

    @property
    def makes_two(self) -> bool:
        """Whether a creation that arrives twice makes two things, and a sweep can tell: no token keeps them one, no
        property that two of them cannot share refuses the second, and both carry our mark."""
        return self.is_marked and self.shows_duplicates and not self.makes_once and not self.exclusive

    @property
    def part_of(self) -> frozenset[str]:
        """The properties that may name a thing which this one is part of, and ends with: they are the first members of
        the groups that two resources cannot share. The own name is none, and a type that bears data has no other single
        one."""
        groups = [group for group in self.exclusive if len(group) > 1 or not self.bears_data]
        paths = {path.removesuffix(MAY_BE_ABSENT) for group in groups for path in group}
        return frozenset(path for path in paths if "." not in path and path != self.named_by)

    def is_settled_at_creation(self, path: str) -> bool:
        """Whether no call changes the value at the path: only another resource can have another value there."""
        return not self.mutable or any(path == only or path.startswith(f"{only}.") for only in self.create_only)

    def is_free(self, path: str) -> bool:
        """Whether the property has no meaning to the provider, and is for phases to read."""
        return self.shown is not None and path.partition(".")[0] not in self.shown

    def is_unseen(self, path: str) -> bool:
        """Whether no sweep shows the property, so that it is compared with its last desired value."""
        return path in self.write_only or self.is_free(path)

    @property
    def hidden(self) -> tuple[str, ...]:
        """The members of shown properties that no sweep shows, as dotted paths."""
        return tuple(sorted(path for path in self.write_only if "." in path))

    def hides_some_of(self, properties: Iterable[str]) -> bool:
        """Whether a sweep leaves out one of these properties, or a member of one."""
        return not {path.partition(".")[0] for path in self.write_only}.isdisjoint(properties)

    @property
    def namings(self) -> Mapping[str, Naming]:
        """The properties that name other things in more than one spelling, by path."""
        return {path: rule for path, rule in self.compare_as.items() if isinstance(rule, Naming)}

    def costly_among(self, declared: JsonMap) -> frozenset[str]:
        """The costly properties that are compared where these are declared, and the members to ask for, with dots."""
        if not self.costly or EVERYTHING in self.costly:
            return self.costly
        nested = {path for path in self.costly if "." in path and _is_said(declared, path.split("."))}
        asked = (
            f"{path}.{member}"
            for path, key in self.asked_members.items()
            for member in _names_in(declared.get(path), key)
        )
        return (self.costly & (declared.keys() | self.when_absent.keys() | nested)).union(asked)


def _names_in(members: Json, key: str) -> list[str]:
    """The names of the members of a mapping, or of a list in which `key` names each."""
    if not key:
        return list(members) if isinstance(members, Mapping) else []
    return [str(one[key]) for one in members or () if isinstance(one, Mapping) and key in one]


def _is_said(value: Json, keys: Sequence[str]) -> bool:
    """Whether something is declared at a path, in a member of a list on the way for one."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(_is_said(member, keys) for member in value)
    if not keys:
        return True
    return isinstance(value, Mapping) and keys[0] in value and (len(keys) == 1 or _is_said(value[keys[0]], keys[1:]))


def is_told_by_service(found: ManagedObject) -> bool:
    """Whether a service of the user tells the id of the thing: several of its things may have one id, and each request
    is about the thing of its own resource."""
    return not found.attributes.keys().isdisjoint((TOLD, UNMADE, ANSWER))
