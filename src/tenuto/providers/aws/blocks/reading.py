"""The reading of a block's things: lists, descriptions, parts and tags, and what becomes of them in a sweep.

Theory of operation. One sweep reads the list, and of what is tracked and of interest the rest, a call or a few for each
thing and in turns (`client.details`). A thing that was asked for by name is read whole. A type without a list is read
as far as it is tracked: thing by thing, or by one list for each of the things that hold them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tenuto.compositions.schema import TypeSchema
from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import Condition
from tenuto.providers.aws.blocks.calls import Call, Described, Listed, State
from tenuto.providers.aws.blocks.holders import members_of
from tenuto.providers.aws.blocks.ids import ID, parts_in, words_in
from tenuto.providers.aws.blocks.parts import Part
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import Names, Paths, at, declared
from tenuto.providers.aws.client import faults
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Filters, IdFilter, Scope, Seen, Source
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.types.tag_calls import TagCalls

_DESCRIPTION = "description"
"""The detail that holds the answer of the describing call. No property has a small initial."""


def read_part(part: Part, thing: Thing, *, is_spared: bool) -> JsonMap:
    """Read what a part shows. One that nobody declared may be missing: an emulator does not serve every call, a region
    does not offer every one, and some are not for every thing."""
    try:
        return part.read(thing)
    except ProviderError as error:
        if is_spared and faults.is_missing_part(error):
            return {}
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockReader:
    """The reader of one type. `words` name the parameters of the parts of a physical id."""

    name: str
    service: str
    schema: TypeSchema
    words: str
    properties: frozenset[str]
    """The properties that the list and the description show."""
    listed: Listed | None
    held: Listed | None
    """The list that is read for each holder of tracked things, where no list shows them all."""
    described: Described | None
    looked_up: Described | None
    asked: Call | None
    """The question after one thing by its id: often the list with a parameter more."""
    parts: Sequence[Part]
    tags: TagCalls | str | None
    name_property: str
    name_after: str
    """The last of these in a physical id comes before its name; empty where the id is the name."""
    is_name_folded: bool
    """True where names in any case are one: the service keeps them in small letters."""
    renamed: Names
    shown: Paths
    attributes: Paths
    state: State | None
    undeclarable: Callable[[JsonMap], str]
    has_tags_as_mapping: bool
    """True when a composition declares the tags of the type as a mapping, not as a list of keys and values."""

    @property
    def tags_as(self) -> str:
        """The property that declares the tags; empty for a type without, and for one of which they are a part."""
        if self.tags is None:
            return ""
        return self.tags.declared_as if isinstance(self.tags, TagCalls) else "Tags"

    @property
    def source(self) -> Source:
        if self.listed is None:
            return Source(name=self.name, read=self.read, shows_all=False)
        by_id = {self.name: IdFilter(name=self.listed.by_id)} if self.listed.by_id else {}
        return Source(name=f"{self.service}.{self.listed.operation}", read=self.read, by_id=by_id)

    @property
    def costly(self) -> frozenset[str]:
        """The properties that cost a call for each thing, and are read in turns."""
        kept = self.described is not None and not self.described.anew
        described = self.properties - {self.name_property} if kept else frozenset[str]()
        in_parts = frozenset[str]().union(*(part.properties for part in self.parts if not self._is_free(part)))
        return described | in_parts | (frozenset({self.tags_as}) if self._tags_cost else frozenset())

    @property
    def _tags_cost(self) -> bool:
        """Whether a call for each thing is needed to see its tags."""
        return isinstance(self.tags, TagCalls) and not self.tags.shown_at

    @property
    def _described(self) -> frozenset[str]:
        """The properties that the description shows, those of parts among them."""
        return self.properties.union(*(part.properties for part in self.parts if part.is_free))

    def _is_free(self, part: Part) -> bool:
        """Whether every sweep shows the part: the list does, or a description that is read at every sweep."""
        return part.is_free and (self.described is None or self.described.anew)

    def read(self, client: AccountClient, scope: Scope) -> list[Seen]:
        """Read what the scope asks for."""
        if scope.names is not None:
            found = self.named(client, scope.named(self.name))
            return self._whole(client, found, scope)
        if self.held is not None:
            return self.shown_in(client, scope, self._held(client, self.held, scope.ids(self.name)))
        members = (
            {} if self.listed is None else self._listing(client, self.listed, filters_of(self.listed, scope.filters))
        )
        return self.shown_in(client, scope, members)

    def _held(self, client: AccountClient, held: Listed, ids: Iterable[str]) -> dict[str, JsonMap]:
        """The things of these ids, from one list for each of their holders."""
        holders = {one: given for one in ids if (given := self._holder(held, one))}
        return members_of(client, holders, lambda given: self._listing(client, held, given))

    def _holder(self, held: Listed, physical_id: str) -> JsonMap:
        """The parameters of the list in which a thing is; none for an id of another form."""
        pairs = zip(words_in(self.words), parts_in(self.words, physical_id), strict=False)
        return {word: part for word, part in pairs if word in held.given}

    def shown_in(self, client: AccountClient, scope: Scope, members: Mapping[str, JsonMap]) -> list[Seen]:
        """The things of a list that was read: of what is tracked and of interest the rest, too."""
        tracked = [str(one) for one in scope.ids(self.name)]
        if self.described is None:
            tracked = [one for one in tracked if one in members]
        details = scope.details(client, self.name, tracked, lambda asked: self._details(client, members, asked, scope))
        now = self._now(client, members, details)
        there = {one: {**members.get(one, {}), **answer} for one, answer in now.items()}
        others = {one: member for one, member in members.items() if one not in tracked}
        return [
            *(self._seen(client, one, there[one], details[one], scope) for one in there),
            *(self._seen(client, one, member, {}, scope) for one, member in others.items()),
        ]

    @property
    def _is_asked_anew(self) -> bool:
        return self.described is not None and (self.described.anew or self.listed is None)

    def named(self, client: AccountClient, names: Iterable[str]) -> dict[str, JsonMap]:
        """The things of these names, by id: described where there is a call for that, else members of the list."""
        wanted = list(names)
        if self.held is not None:
            return self._held(client, self.held, wanted)
        if self.looked_up is not None:
            looked_up = self.looked_up
            ids = client.each_there(lambda one: self._looked_up(client, looked_up, one), wanted)
            return {one: {} for one in ids.values()}
        if self.listed is not None and self.listed.by_name:
            found: dict[str, JsonMap] = {}
            for name in wanted:
                members = faults.unless_gone(
                    partial(self._listing, client, self.listed, self.listed.about(self._folded(name)))
                )
                found |= {one: member for one, member in (members or {}).items() if self._is_named(one, member, name)}
            return found
        # Where the id has more than the name, only the list tells the one by the other.
        if self.described is not None and not self.name_after:
            found = client.each_there(lambda one: self.answer(client, one), wanted)
            return {self._id_in(answer, name): answer for name, answer in found.items()}
        members = {} if self.listed is None else self._listing(client, self.listed, {})
        return {
            one: member for one, member in members.items() if any(self._is_named(one, member, name) for name in wanted)
        }

    def _is_named(self, one: str, member: JsonMap, name: str) -> bool:
        """Whether a member of a list is what is asked for, by its name or by an id that follows from its properties."""
        return self._folded(name) in (self._folded(one), self._folded(self._name_of(one, member)))

    def _folded(self, name: str) -> str:
        return name.casefold() if self.is_name_folded else name

    def _id_in(self, answer: JsonMap, name: str) -> str:
        """The id in the description of a thing, as the list has it; the name, where there is no list."""
        listed = self.listed
        parts = listed.parts_of(answer, {}) if listed is not None and isinstance(listed.id, str) else [None]
        return name if None in parts else ID.join(map(str, parts))

    def _looked_up(self, client: AccountClient, looked_up: Described, name: str) -> str:
        answer = client.read(self.service, looked_up.call.operation, **looked_up.call.about(self.words, name))
        return str(at(answer, looked_up.at))

    def _name_of(self, one: str, member: JsonMap) -> str:
        """The name in a member of a list, or in the physical id."""
        name = self.name_property
        shown = declared(member, self.schema, [name], self.renamed, self.shown) if name else {}
        return str(shown.get(name, one.rpartition(self.name_after)[2] if self.name_after else one))

    def answer(self, client: AccountClient, physical_id: str) -> JsonMap:
        """The answer of the describing call about one thing. Raises ProviderError, also when there is none."""
        described = self.described
        if described is None:
            return {}
        if not described.call.fits(self.words, physical_id):
            # People ask by any id, and the things of each type are asked for by it.
            raise PermanentError(f"There is no {self.name} {physical_id}.", code="ResourceNotFound")
        asked = described.call.about(self.words, physical_id)
        answer = client.read(self.service, described.call.operation, **asked)
        found = at(answer, described.at)
        if described.chosen_by:
            name = physical_id.rpartition(ID)[2]
            found = next((one for one in found or () if one.get(described.chosen_by) == name), None)
        if found is None and described.gone_at and at(answer, described.gone_at):
            raise PermanentError(f"There is no {self.name} {physical_id}.", code="ResourceNotFound")
        if not isinstance(found, Mapping):
            raise faults.not_of_aws(f"{self.service} {described.call.operation}")
        return found

    def current(self, client: AccountClient, physical_id: str) -> JsonMap | None:
        """One thing as it is now, in the middle of an act; None when there is none."""
        if self.described is not None:
            return faults.unless_gone(lambda: self.answer(client, physical_id))
        if self.held is not None:
            return self._held(client, self.held, [physical_id]).get(physical_id)
        if self.listed is None:
            return None
        is_list = self.asked is not None and self.asked.operation == self.listed.operation
        about = self.asked.about(self.words, physical_id) if self.asked is not None and is_list else {}
        shown = faults.unless_gone(partial(self._listing, client, self.listed, about))
        return (shown or {}).get(physical_id)

    def beside(self, client: AccountClient, listed: Listed, properties: JsonMap, name: str = "") -> list[Seen]:
        """The things of a list that the properties narrow, each whole; without those that it shows under another name
        than this one."""
        given = {word: properties.get(one) for word, one in listed.given.items()}
        members = self._listing(client, listed, given)
        named = self.name_property if name else ""
        found = {
            one: member
            for one, member in members.items()
            if declared(member, self.schema, [named], self.renamed, self.shown).get(named, name) == name
        }
        return self._whole(client, found)

    def seen_anew(self, observed: JsonMap, answer: JsonMap) -> JsonMap:
        """The observation of a thing, with its properties as this answer describes them."""
        kept = {name: value for name, value in observed.items() if name not in self.properties}
        return {**kept, **declared(answer, self.schema, sorted(self.properties), self.renamed, self.shown)}

    def condition(self, answer: JsonMap) -> Condition:
        state = self.state
        if state is None:
            return Condition.READY
        word = str(at(answer, state.at))
        for words, condition in (
            (state.pending, Condition.PENDING),
            (state.going, Condition.GOING),
            (state.gone, Condition.GONE),
            (state.broken, Condition.BROKEN),
        ):
            if word in words.split():
                return condition
        return Condition.READY

    def attributes_of(self, one: str, answer: JsonMap) -> JsonMap:
        """The answers to `Fn::GetAtt`: by the names of the schema, and by the paths of the block, in which `$id` and
        `$name` stand for the physical id and the name."""
        top = sorted(name for name in self.schema.attributes if "." not in name)
        known = declared(answer, self.schema, top, self.renamed, {})
        nested = {
            path: at(known, path)
            for path in sorted(self.schema.attributes)
            if "." in path and path.split(".")[0] in known
        }
        own: JsonMap = {"$id": one, "$name": self._name_of(one, answer)}
        told = {name: own.get(str(path)) or at(answer, path) for name, path in self.attributes.items()}
        return {name: value for name, value in {**known, **nested, **told}.items() if value is not None}

    def _listing(self, client: AccountClient, listed: Listed, given: Mapping[str, Json]) -> dict[str, JsonMap]:
        return self.things_in(client.pages(listed.paging(self.service), **listed.fixed, **given), listed, given)

    def things_in(self, members: Iterable[JsonMap], listed: Listed, given: Mapping[str, Json]) -> dict[str, JsonMap]:
        """The things in the members of the list that these parameters gave, by id."""
        found: dict[str, JsonMap] = {}
        for member in members:
            for one in at(member, listed.each) if listed.each else [member]:
                parts = listed.parts_of(one, given)
                if all(part is not None for part in parts):
                    found[ID.join(map(str, parts))] = one if isinstance(one, Mapping) else {}
        return found

    def has_beside(self, client: AccountClient, listed: Listed, properties: JsonMap, names: Iterable[str]) -> bool:
        """Whether the list that the properties narrow has a thing with the same values of these."""
        given = {word: properties.get(name) for word, name in listed.given.items()}
        wanted = {name: properties.get(name) for name in names}
        return any(
            all(member.get(name) == value for name, value in wanted.items())
            for member in self._listing(client, listed, given).values()
        )

    def with_token(self, client: AccountClient, path: str, token: str) -> list[Seen]:
        """The things of the list that show the token of a creation, each whole."""
        if self.listed is None:
            return []
        members = self._listing(client, self.listed, {})
        return self._whole(client, {one: member for one, member in members.items() if at(member, path) == token})

    def _whole(self, client: AccountClient, members: Mapping[str, JsonMap], scope: Scope | None = None) -> list[Seen]:
        """Things with everything that costs a call; without those that are gone."""
        whole = self.costly | {_DESCRIPTION}
        details = self._details(client, members, dict.fromkeys(members, whole), scope)
        return [
            self._seen(client, one, {**members[one], **detail.get(_DESCRIPTION, {})}, detail, scope)
            for one, detail in details.items()
        ]

    def held_in(self, one: str) -> dict[str, str]:
        """The properties that are parts of an id of several parts."""
        words, parts = [word.casefold() for word in words_in(self.words)], parts_in(self.words, one)
        if len(parts) < 2:
            return {}
        held = dict(zip(words, parts, strict=True))
        called = {name: self.renamed.get(name, name).casefold() for name in sorted(self.properties)}
        return {name: held[word] for name, word in called.items() if word in held}

    def _details(
        self,
        client: AccountClient,
        members: Mapping[str, JsonMap],
        asked: Mapping[str, frozenset[str]],
        scope: Scope | None,
    ) -> dict[str, JsonMap]:
        def read(one: str) -> JsonMap:
            spared = frozenset[str]() if scope is None else scope.spared(self.name, one)
            return self._detail(client, one, members.get(one, {}), asked[one], spared)

        return client.each_there(read, asked)

    def _detail(
        self, client: AccountClient, one: str, member: JsonMap, names: frozenset[str], spared: frozenset[str]
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        is_described = self.described is not None and (_DESCRIPTION in names or not self.described.anew)
        if is_described and not names.isdisjoint(self._described | {_DESCRIPTION}):
            found[_DESCRIPTION] = self.answer(client, one)
        answer = {**member, **found.get(_DESCRIPTION, {})}
        thing = Thing(client=client, service=self.service, words=self.words, id=one, answer=answer)
        for part in self.parts:
            if not self._is_free(part) and not names.isdisjoint(part.properties):
                found |= read_part(part, thing, is_spared=names & part.properties <= spared)
        if self.tags_as in names and isinstance(self.tags, TagCalls) and self._tags_cost:
            found[self.tags_as] = self.tags.read(client, self._named_in_tags(client, one, answer))
        return found

    def _named_in_tags(self, client: AccountClient, one: str, answer: JsonMap) -> Json:
        """The name of a thing in the tag calls. Its description is asked where the list shows nothing to make it of."""
        try:
            return self.tagged(one, answer)
        except KeyError:
            return self.tagged(one, {**answer, **self.answer(client, one)})

    def tagged(self, one: str, answer: JsonMap) -> Json:
        """The name of a thing in the calls that read and write tags."""
        name = self.tags.named if isinstance(self.tags, TagCalls) else None
        return one if name is None else name(one, answer)

    def _now(
        self, client: AccountClient, members: Mapping[str, JsonMap], details: Mapping[str, JsonMap]
    ) -> dict[str, JsonMap]:
        """The descriptions of the tracked things: as they were read in turn, or asked for now, as is one that the list
        lacks."""
        known = {one: detail.get(_DESCRIPTION, {}) for one, detail in details.items()}
        asked = [one for one in details if self._is_asked_anew or (self.described and one not in members)]
        fresh = client.each_there(lambda one: self.answer(client, one), asked)
        return {one: fresh.get(one, answer) for one, answer in known.items() if one in fresh or one not in asked}

    def _seen(
        self, client: AccountClient, one: str, answer: JsonMap, details: JsonMap, scope: Scope | None = None
    ) -> Seen:
        for part in self.parts:
            details = part.apart(one, details, scope)
        properties = declared(answer, self.schema, sorted(self.properties), self.renamed, self.shown)
        properties.update({name: value for name, value in details.items() if name not in (_DESCRIPTION, self.tags_as)})
        thing = Thing(client=client, service=self.service, words=self.words, id=one, answer=answer)
        for part in self.parts:
            properties |= part.read(thing) if self._is_free(part) else {}
        if self.name_property:
            properties.setdefault(self.name_property, self._name_of(one, answer))
        properties = {**self.held_in(one), **properties}
        if isinstance(self.tags, str):
            tags = answer.get("Tags") or answer.get("TagSet") or ()
        elif self.tags is not None and self.tags.shown_at:
            tags = self.tags.shown(answer)
        else:
            tags = details.get(self.tags_as) or ()
        state = self.state
        type_name, item = seen(
            self.name,
            one,
            properties,
            attributes=self.attributes_of(one, answer),
            tags=None if self.tags is None else tags,
            condition=self.condition(answer),
            message=str(at(answer, state.reason) or "") if state is not None and state.reason else "",
            undeclarable=self.undeclarable(answer),
        )
        if self.tags is None or (not self.has_tags_as_mapping and self.tags_as == "Tags"):
            return type_name, item
        declared_tags = item.properties["Tags"]
        if self.has_tags_as_mapping:
            declared_tags = {tag["Key"]: tag["Value"] for tag in declared_tags}
        others = {name: value for name, value in item.properties.items() if name != "Tags"}
        return type_name, replace(item, properties={**others, self.tags_as: declared_tags})


def filters_of(listed: Listed, filters: Filters) -> dict[str, Json]:
    """The filters as a parameter of the list; DescribeFlowLogs calls them `Filter`."""
    given = narrowed(filters).get("Filters")
    return {} if given is None else {listed.filters_as: given}
