"""The reading of a block's things: lists, descriptions, parts and tags, and their use in a sweep.

Theory of operation. One sweep reads the list, and of the things that are tracked and of interest the rest, a call or a
few for each thing and in turns (`client.details`). A thing that was asked for by name is read whole. A type without a
list is read as far as it is tracked: thing by thing, or by one list for each of the things that hold them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tenuto.errors import PermanentError, ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.calls import Call, Described, Listed
from tenuto.providers.aws.blocks.holders import members_of
from tenuto.providers.aws.blocks.ids import ID, parts_in, words_in
from tenuto.providers.aws.blocks.parts import Part
from tenuto.providers.aws.blocks.showing import Showing
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import at
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.answers import joined
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Filters, IdFilter, Scope, Seen, Source
from tenuto.providers.aws.observed import narrowed
from tenuto.providers.aws.types.tag_calls import TagCalls

_DESCRIPTION = "description"
"""The detail that holds the answer of the describing call. No property has a small initial."""


def read_part(part: Part, thing: Thing, *, is_spared: bool) -> JsonMap:
    """Read the properties of a part. One that is not declared may be missing: an emulator does not serve every call, a
    region does not offer every one, and some are not for every thing."""
    try:
        return part.read(thing)
    except ProviderError as error:
        if is_spared and faults.is_missing_part(error):
            return {}
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockReader:
    """The reader of one type."""

    service: str
    showing: Showing
    listed: Listed | None
    held: Listed | None
    """The list that is read for each holder of tracked things, where no list shows them all."""
    described: Described | None
    looked_up: Described | None
    asked: Call | None
    """The question after one thing by its id: often the list with a parameter more."""
    parts: Sequence[Part]

    @property
    def source(self) -> Source:
        if self.listed is None:
            return Source(name=self.showing.name, read=self.read, shows_all=False)
        by_id = {self.showing.name: IdFilter(name=self.listed.by_id)} if self.listed.by_id else {}
        return Source(name=f"{self.service}.{self.listed.operation}", read=self.read, by_id=by_id)

    @property
    def costly(self) -> frozenset[str]:
        """The properties that cost a call for each thing, and are read in turns."""
        kept = self.described is not None and not self.described.anew
        described = self.showing.properties - {self.showing.name_property} if kept else frozenset[str]()
        in_parts = frozenset[str]().union(*(part.properties for part in self.parts if not self._is_free(part)))
        return described | in_parts | (frozenset({self.showing.tags_as}) if self._tags_cost else frozenset())

    @property
    def _tags_cost(self) -> bool:
        """Whether a call for each thing is needed to see its tags."""
        return isinstance(self.showing.tags, TagCalls) and not self.showing.tags.shown_at

    @property
    def _described(self) -> frozenset[str]:
        """The properties that the description shows, those of parts among them."""
        return self.showing.properties.union(*(part.properties for part in self.parts if part.is_free))

    def _is_free(self, part: Part) -> bool:
        """Whether every sweep shows the part: the list does, or a description that is read at every sweep."""
        return part.is_free and (self.described is None or self.described.anew)

    def read(self, client: AccountClient, scope: Scope) -> list[Seen]:
        """Read the things that the scope asks for."""
        if scope.names is not None:
            found = self.named(client, scope.named(self.showing.name))
            return self._whole(client, found, scope)
        if self.held is not None:
            return self.shown_in(client, scope, self._held(client, self.held, scope.ids(self.showing.name)))
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
        pairs = zip(words_in(self.showing.words), parts_in(self.showing.words, physical_id), strict=False)
        return {word: part for word, part in pairs if word in held.given}

    def shown_in(self, client: AccountClient, scope: Scope, members: Mapping[str, JsonMap]) -> list[Seen]:
        """The things of a list that was read: of those that are tracked and of interest the rest, too."""
        tracked = [str(one) for one in scope.ids(self.showing.name)]
        if self.described is None:
            tracked = [one for one in tracked if one in members]
        details = scope.details(
            client, self.showing.name, tracked, lambda asked: self._details(client, members, asked, scope)
        )
        now = self._now(client, members, details)
        there = {one: joined(members.get(one, {}), answer) for one, answer in now.items()}
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
        wanted, is_named = list(names), self.showing.is_named
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
                    partial(self._listing, client, self.listed, self.listed.about(self.showing.folded(name)))
                )
                found |= {one: member for one, member in (members or {}).items() if is_named(one, member, name)}
            return found
        # Where the id has more than the name, only the list tells the one by the other.
        if self.described is not None and not self.showing.name_after:
            found = client.each_there(lambda one: self.answer(client, one), wanted)
            return {self._id_in(answer, name): answer for name, answer in found.items()}
        members = {} if self.listed is None else self._listing(client, self.listed, {})
        return {one: member for one, member in members.items() if any(is_named(one, member, name) for name in wanted)}

    def _id_in(self, answer: JsonMap, name: str) -> str:
        """The id in the description of a thing, as the list has it; the name, where there is no list."""
        listed = self.listed
        parts = listed.parts_of(answer, {}) if listed is not None and isinstance(listed.id, str) else [None]
        return name if None in parts else ID.join(map(str, parts))

    def _looked_up(self, client: AccountClient, looked_up: Described, name: str) -> str:
        answer = client.read(self.service, looked_up.call.operation, **looked_up.call.about(self.showing.words, name))
        return str(at(answer, looked_up.at))

    def answer(self, client: AccountClient, physical_id: str) -> JsonMap:
        """The answer of the describing call about one thing. Raises ProviderError, also when there is none."""
        described = self.described
        if described is None:
            return {}
        # People ask by any id, and the things of each type are asked for by it.
        if described.call.fits(self.showing.words, physical_id):
            asked = described.call.about(self.showing.words, physical_id)
            answer = client.read(self.service, described.call.operation, **asked)
            if (found := described.thing_in(answer, physical_id, self.service)) is not None:
                return found
        raise PermanentError(f"There is no {self.showing.name} {physical_id}.", code="ResourceNotFound")

    def current(self, client: AccountClient, physical_id: str) -> JsonMap | None:
        """One thing as it is now, in the middle of an act; None when there is none."""
        if self.described is not None:
            return faults.unless_gone(lambda: self.answer(client, physical_id))
        if self.held is not None:
            return self._held(client, self.held, [physical_id]).get(physical_id)
        if self.listed is None:
            return None
        is_list = self.asked is not None and self.asked.operation == self.listed.operation
        about = self.asked.about(self.showing.words, physical_id) if self.asked is not None and is_list else {}
        shown = faults.unless_gone(partial(self._listing, client, self.listed, about))
        return (shown or {}).get(physical_id)

    def beside(self, client: AccountClient, listed: Listed, properties: JsonMap, name: str = "") -> list[Seen]:
        """The things of a list that the properties narrow, each whole; without those that it shows under another name
        than this one."""
        given = {word: properties.get(one) for word, one in listed.given.items()}
        members = self._listing(client, listed, given)
        named = self.showing.name_property if name else ""
        found = {
            one: member
            for one, member in members.items()
            if self.showing.declared_in(member, [named]).get(named, name) == name
        }
        return self._whole(client, found)

    def _listing(self, client: AccountClient, listed: Listed, given: Mapping[str, Json]) -> dict[str, JsonMap]:
        return listed.things_in(client.pages(listed.paging(self.service), **listed.fixed, **given), given)

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
            self._seen(client, one, joined(members[one], detail.get(_DESCRIPTION, {})), detail, scope)
            for one, detail in details.items()
        ]

    def _details(
        self,
        client: AccountClient,
        members: Mapping[str, JsonMap],
        asked: Mapping[str, frozenset[str]],
        scope: Scope | None,
    ) -> dict[str, JsonMap]:
        def read(one: str) -> JsonMap:
            spared = frozenset[str]() if scope is None else scope.spared(self.showing.name, one)
            return self._detail(client, one, members.get(one, {}), asked[one], spared)

        return client.each_there(read, asked)

    def _detail(
        self, client: AccountClient, one: str, member: JsonMap, names: frozenset[str], spared: frozenset[str]
    ) -> dict[str, Any]:
        found: dict[str, Any] = {}
        is_described = self.described is not None and (_DESCRIPTION in names or not self.described.anew)
        if is_described and not names.isdisjoint(self._described | {_DESCRIPTION}):
            found[_DESCRIPTION] = self.answer(client, one)
        answer = joined(member, found.get(_DESCRIPTION, {}))
        thing = Thing(client=client, service=self.service, words=self.showing.words, id=one, answer=answer, names=names)
        for part in self.parts:
            if not self._is_free(part) and not names.isdisjoint(part.properties):
                found |= read_part(part, thing, is_spared=names & part.properties <= spared)
        if self.showing.tags_as in names and isinstance(self.showing.tags, TagCalls) and self._tags_cost:
            found[self.showing.tags_as] = self.showing.tags.read(client, self._named_in_tags(client, one, answer))
        return found

    def _named_in_tags(self, client: AccountClient, one: str, answer: JsonMap) -> Json:
        """The name of a thing in the tag calls. Its description is asked where the list shows nothing to make it of."""
        try:
            return self.showing.tagged(one, answer)
        except ProviderError:
            return self.showing.tagged(one, joined(answer, self.answer(client, one)))

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
        whole = details
        for part in self.parts:
            details = part.apart(one, details, scope)
        read = {name: value for name, value in details.items() if name != _DESCRIPTION}
        thing = Thing(client=client, service=self.service, words=self.showing.words, id=one, answer=answer)
        for part in self.parts:
            read |= part.read(thing) if self._is_free(part) else {}
        return self.showing.seen(one, answer, read, _without(whole, details))


def _without(whole: JsonMap, own: JsonMap) -> dict[str, list[Json]]:
    """The names in lists that are there, and not the thing's own."""
    lists = {name: value for name, value in whole.items() if own[name] is not value and isinstance(value, list)}
    return {
        name: [one for one in value if isinstance(one, str) and one not in own[name]] for name, value in lists.items()
    }


def filters_of(listed: Listed, filters: Filters) -> dict[str, Json]:
    """The filters as a parameter of the list; DescribeFlowLogs calls them `Filter`."""
    given = narrowed(filters).get("Filters")
    return {} if given is None else {listed.filters_as: given}
