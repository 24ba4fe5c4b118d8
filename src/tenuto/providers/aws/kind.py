"""The block of one AWS resource type, and the piece of work that its functions get.

The generic machinery (`bulk.py`, `tagging.py`, `provider.py`) does the work that all types have in common: fan-out,
outcomes from errors, tags, lookup after a crash. A block holds the rest: facts for the planner, where the type is seen,
and how one thing of it is made, changed and deleted.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.others import of_services, own_members, without_services
from tenuto.core.planning.equality.scalars import scalar
from tenuto.core.planning.equality.values import means_same, pointers_of
from tenuto.errors import BugError, PermanentError, ProviderError
from tenuto.model.ids import Json, JsonMap, PhysicalId, TypeName
from tenuto.model.naming import NOTHING_KNOWN, Names
from tenuto.model.observation import Condition, Interest, ObservedItem, Tracked
from tenuto.model.outcome import Outcome, Request
from tenuto.model.resource import LOST, Comparison, ResourceType
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.details import Read
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import Tag, birth_tags
from tenuto.providers.aws.question import Question
from tenuto.providers.aws.whereabouts import pointed_at

Filters = Sequence[JsonMap]
_LASTING = Interest(names=frozenset({"for life"}))
HELD = "tenuto:held"
"""The attribute with the members of shared lists that were declared last. Its name cannot be that of one of AWS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The part of a source that is to be read.

    A sweep shows details of the `tracked` ids. Without `filters` and `names` everything is read; a sweep by id, or for
    the thing that a lost call made, is narrowed by EC2 filters, or to `names` where a service reads one thing by its
    name.
    """

    tracked: Tracked = field(default_factory=dict)
    own: Tracked | None = None
    """Everything that is tracked, where that is more than this sweep shows."""
    is_made: Callable[[TypeName, PhysicalId], bool] = lambda _type, _id: False
    """Returns True for a thing that was made while the sweep was under way, or shortly before."""
    made: Callable[[TypeName], Iterable[PhysicalId]] = lambda _type: ()
    """Returns all such things of a type."""
    filters: Filters = ()
    names: Mapping[TypeName, frozenset[str]] | None = None
    is_whole: bool = False
    """True when everything is asked for, at any cost."""

    def is_tracked(self, type_name: str, physical_id: str) -> bool:
        return PhysicalId(physical_id) in self.tracked.get(TypeName(type_name), {})

    def is_own(self, type_name: str, physical_id: str) -> bool:
        """Whether a thing is a resource by itself, so that the thing that holds it does not show it as a part."""
        own = self.tracked if self.own is None else self.own
        name, one = TypeName(type_name), PhysicalId(physical_id)
        return one in own.get(name, {}) or self.is_made(name, one)

    def own_ids(self, type_name: str) -> list[str]:
        """The ids of all things of the type that are resources by themselves, whether the sweep shows them or not."""
        own, name = self.tracked if self.own is None else self.own, TypeName(type_name)
        return sorted({*own.get(name, {}), *self.made(name)})

    def named(self, type_name: str) -> list[str]:
        """The names of the type that are asked for, in order."""
        return sorted((self.names or {}).get(TypeName(type_name), ()))

    def spared(self, type_name: str, physical_id: str) -> frozenset[str]:
        """The details of a thing that are of use to a person, and that nothing is compared with."""
        interest = self.tracked.get(TypeName(type_name), {}).get(PhysicalId(physical_id))
        return frozenset() if interest is None else interest.spared

    def ids(self, type_name: str) -> list[PhysicalId]:
        return sorted(self.tracked.get(TypeName(type_name), {}))

    def details(self, client: AccountClient, type_name: str, ids: Iterable[str], read: Read) -> dict[str, JsonMap]:
        """The costly properties that are asked for, of each of the tracked among the ids; without things that are gone.

        Only details that are due are read; the rest is as it was read before (`client.details`).
        """
        return client.details.get(type_name, self.tracked.get(TypeName(type_name), {}), ids, read)

    def lasting(self, client: AccountClient, type_name: str, ids: Iterable[str], read: Read) -> dict[str, JsonMap]:
        """The properties that never change, of each tracked one among the ids: read once, unless `read` left it out."""
        tracked = dict.fromkeys(self.tracked.get(TypeName(type_name), {}), _LASTING)
        return client.details.get(f"{type_name} for life", tracked, ids, read)


Seen = tuple[TypeName, ObservedItem]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The work on ownership tags: how they are put on one thing, and taken off again where they are these very tags.

    An outcome describes work that goes on; without one the work is done. `put_by` and `removed_by` are the calls that
    they take for one thing, in the words of `rates.buckets.calls_of`: the bill of an adoption, and of a release.
    """

    put: Callable[["Work", Sequence[Tag]], Outcome | None]
    remove: Callable[["Work", Sequence[Tag]], Outcome | None]
    put_by: str
    removed_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IdFilter:
    """The EC2 filter that shows things of a type by their physical ids, or by the part before `|` of them.

    `others` are the filters for ids with another beginning: things of one type that several lists show.
    """

    name: str
    others: Mapping[str, str] = field(default_factory=dict)

    def name_for(self, physical_id: PhysicalId) -> str:
        return next((name for start, name in self.others.items() if physical_id.startswith(start)), self.name)

    def value(self, physical_id: PhysicalId) -> str:
        return physical_id.split("|", 1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A bulk reading, serving one or several types. It can be read by id when each of them has a filter in `by_id`."""

    name: str
    read: Callable[[AccountClient, Scope], list[Seen]]
    by_id: Mapping[str, IdFilter] = field(default_factory=dict)
    shows_all: bool = True
    """False when a reading shows the things that are asked for and nothing else."""
    can_show_all: bool = False
    """True when such a reading shows everything, at a call for each thing, where the scope asks for that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsType:
    """One resource type.

    `create` returns Done with the physical id as soon as AWS accepted; `modify` brings the rest to the desired values
    and is called once after every creation; `delete` is Done only when the thing is gone. They may let ProviderErrors
    fly: the caller turns them into outcomes. Where AWS deletes in bulk, `delete_all` is given instead of `delete`.
    """

    facts: ResourceType
    source: Source
    create: Callable[["Work"], Outcome]
    modify: Callable[["Work"], Outcome] | None = None
    delete: Callable[["Work"], Outcome] | None = None
    delete_all: Callable[[AccountClient, Sequence[Request]], list[Outcome]] | None = None
    is_found: Callable[[Request, ObservedItem], bool]
    """Returns True for the item that an earlier attempt at the request made."""
    find_filters: tuple[tuple[str, str], ...] = ()
    """Properties, and the EC2 filters that their values narrow a lookup by; without any, the ownership tag
    narrows, and where there are no tags, everything is read."""
    find_name: Callable[[Request], str] | None = None
    """The name of the thing that the request would make, for services without filters."""
    known_as: Callable[["Work", str], str] | None = None
    """The physical id of the thing with the declared properties that CloudFormation shows under another id."""
    find: Callable[["Work"], ObservedItem | None] | None = None
    """The search for the thing that a lost call made, where that is not one by name, filters or the tags of EC2."""
    question: Question | None = None
    """The question after one thing that a list lacks; without it the list is believed (`absence`)."""
    confirm: Callable[[AccountClient, Request, ObservedItem], bool] | None = None
    """Asked about a found thing that may be half made: False when it was of no use, and is gone."""
    is_answered_by_id: bool = False
    """True when the answer to a creation has an id and no property: the id is looked up before it is believed."""
    tagged_as: str = ""
    """EC2's word for the type in tag specifications; empty when its tags are not EC2's, or it has none."""
    tag_id: str = ""
    """The attribute that EC2 tags it by, where that is not the physical id."""
    marks: Marks | None = None
    """The way to write ownership on an existing thing; without it, as EC2 tags when `tagged_as` is set, else not at
    all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One request at one client."""

    client: AccountClient
    request: Request
    type: AwsType
    sent: list[str] = field(default_factory=list)
    """The changing calls so far, also those that failed."""
    done: list[str] = field(default_factory=list)
    """The ones among them that were carried out."""

    @property
    def id(self) -> PhysicalId:
        if self.request.physical_id is None:
            raise BugError(f"{self.request.logical_id} has no physical id, and only creation does without one")
        return self.request.physical_id

    def ready_item(self) -> ObservedItem | None:
        """Return the thing as it is now; None while it takes no change. Raises ProviderError."""
        seen = self.type.source.read(self.client, Scope(names={self.type.facts.name: frozenset({self.id})}))
        return next((item for _, item in seen if item.condition is Condition.READY), None)

    def want(self, name: str) -> Json:
        """A desired property; None when it is not declared and its absence means nothing."""
        properties = self.request.properties
        value = properties[name] if name in properties else self.type.facts.when_absent.get(name)
        # AWS cuts host bits off by itself; said canonically, no endpoint has to.
        return scalar(value, Comparison.CIDR) if isinstance(value, str) and self._is_network(name) else value

    def _is_network(self, name: str) -> bool:
        return self.type.facts.compare_as.get(name) is Comparison.CIDR

    def need(self, name: str) -> Json:
        """A desired property without which nothing can be done."""
        value = self.want(name)
        if value is None:
            raise PermanentError(f"{self.request.type} needs the property {name}.", code="MissingProperty")
        return value

    def given(self, *names: str) -> dict[str, Json]:
        """Return the desired properties of these names that are declared."""
        return {name: value for name in names if (value := self.want(name)) is not None}

    def wants_none(self, name: str) -> bool:
        """Whether the property was taken out, and is absent by default."""
        return name in self.request.properties and self.request.properties[name] is None

    def seen(self, name: str) -> Json:
        """A property as the last sweep showed it; of a list that others add to, only our members."""
        facts = self.type.facts
        marks = {path: mark for path, mark in facts.of_services.items() if path.partition(".")[0] == name}
        shown = without_services(self.request.observed or {}, marks, [self.request.properties]).get(name)
        if facts.compare_as.get(name) is not Comparison.SHARED:
            return shown
        return own_members(shown, self._said(name), facts.compare_as, name)

    def of_services(self, path: str) -> list[Json]:
        """The members at a path that services of AWS have added: a call that replaces the list sends them as well."""
        mark = self.type.facts.of_services.get(path)
        return of_services(self.request.observed or {}, path, mark, [self.request.properties]) if mark else []

    def _said(self, name: str) -> list[Json]:
        """The members of a list that are declared, or were when the thing was last changed."""
        wanted, before = self.want(name), (self.request.attributes.get(HELD) or {}).get(name)
        return [*(wanted if is_list(wanted) else ()), *(before or ())]

    def lost(self, name: str) -> list[str]:
        """The paths at which the last update took something out of a property that stays declared."""
        facts = self.type.facts
        is_left = facts.goes_in_steps or name in facts.left_as_is
        lost: Sequence[str] = () if is_left else self.request.attributes.get(LOST) or ()
        return [path for path in lost if path == name or path.startswith(f"{name}.")]

    def held(self) -> dict[str, Json]:
        """The note of the members that are declared now in the lists that others add to, for the attributes of the
        thing: an update that takes a member out is asked for when that is declared no more. A member with a secret in
        it is left out."""
        shared = sorted(name for name, rule in self.type.facts.compare_as.items() if rule is Comparison.SHARED)
        lists = {name: found for name in shared if is_list(found := self.want(name))}
        noted = {name: [one for one in members if not self._is_secret(one)] for name, members in lists.items()}
        return {HELD: noted} if shared else {}

    def _is_secret(self, value: Json) -> bool:
        text = json.dumps(value, sort_keys=True)
        return any(json.dumps(secret)[1:-1] in text for secret in self.request.secrets if secret)

    def differs(self, name: str) -> bool:
        """Whether the property is declared and not, or not surely, as desired. One that was taken out, and is absent by
        default, is desired as None."""
        if self.wants_none(name):
            return not means_same(None, self.seen(name), {})
        value = self.want(name)
        if value is None:
            return False
        if self.request.observed is None or self.lost(name):
            return True
        shown, rules = self.seen(name), self.type.facts.compare_as
        return not means_same(value, shown, rules, name) and not means_same(
            value, shown, rules, name, self._names(name, value, shown)
        )

    def _names(self, name: str, *values: Json) -> Names:
        """The answers of AWS about the pointers in these values of a property."""
        namings = self.type.facts.namings
        pointers = pointers_of(({name: value}, namings) for value in values)
        return Names(pointed_at=pointed_at(self.client, pointers)) if pointers else NOTHING_KNOWN

    def read(self, service: str, operation: str, /, **parameters: Any) -> JsonMap:
        return self.client.ask(service, operation, **parameters)

    def change(self, service: str, operation: str, /, **parameters: Any) -> JsonMap:
        self.sent.append(operation)
        answer = self.client.change(service, operation, (self.request.object_id,), **parameters)
        self.done.append(operation)
        return answer

    def let_go(self, service: str, operation: str, /, **parameters: Any) -> None:
        """Change a part that hangs on the thing before the thing itself is deleted; a part that hangs there no more is
        as good.

        A sweep can be out of date. Were "there is no such association" taken for an answer about the thing, it would
        count as deleted, and stay.
        """
        try:
            self.change(service, operation, **parameters)
        except ProviderError as error:
            if not faults.is_gone(error):
                raise

    def birth(self) -> dict[str, Json]:
        """The `TagSpecifications` of an EC2 creation."""
        return {"TagSpecifications": [{"ResourceType": self.type.tagged_as, "Tags": birth_tags(self.request)}]}


def declared(id_of: Callable[[Request], str]) -> Callable[[Work, str], str]:
    """`AwsType.known_as` of a type whose ids follow from the declared properties, and not from the id that
    CloudFormation shows.
    """
    return lambda work, _: id_of(work.request)


def by_owner(request: Request, item: ObservedItem) -> bool:
    """The item carries the ownership tag of this very incarnation."""
    return item.owner is not None and item.owner.object_id == request.object_id


def by_properties(*names: str) -> Callable[[Request, ObservedItem], bool]:
    """Whether an item is the thing of a type without tags: it has the same natural key, as far as it is declared."""

    def is_found(request: Request, item: ObservedItem) -> bool:
        declared = {name: request.properties[name] for name in names if name in request.properties}
        return means_same(declared, item.properties, {})

    return is_found


def by_key(key: Callable[[JsonMap], str]) -> Callable[[Request, ObservedItem], bool]:
    """Whether an item is the thing of a type whose physical id is made of its properties."""

    def is_found(request: Request, item: ObservedItem) -> bool:
        return key(request.properties) == item.physical_id

    return is_found


def flag(value: Json) -> bool:
    """A truth value, however it was written."""
    return value is True or str(value).casefold() == "true"


def texts(value: Json) -> list[str]:
    """A list of texts, or one text as a list."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else [str(member) for member in value]
