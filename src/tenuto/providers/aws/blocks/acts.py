"""The acts of a block: how a thing is made, changed, taken away, and found again after a lost answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from botocore.model import Shape

from tenuto.core.language.expressions import is_list
from tenuto.core.planning.equality.values import means_same
from tenuto.errors import BugError, PermanentError, TakenError
from tenuto.model.ids import Json, JsonMap, PhysicalId
from tenuto.model.observation import Condition, ObservedItem
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.model.resource import Comparison, Rule
from tenuto.providers.aws.blocks.calls import Call, Listed, Update
from tenuto.providers.aws.blocks.ids import ID, parts_in, words_in
from tenuto.providers.aws.blocks.patches import operations
from tenuto.providers.aws.blocks.reading import BlockReader
from tenuto.providers.aws.blocks.showing import Showing
from tenuto.providers.aws.blocks.wire import at, emptied, sent, without_settled
from tenuto.providers.aws.client.answers.faults import not_of_aws
from tenuto.providers.aws.client.names import client_token, generated_name
from tenuto.providers.aws.kind import Work, by_owner
from tenuto.providers.aws.types.cloud_control_model import SENT, is_sent_anew
from tenuto.providers.aws.types.cloud_control_model import sent as digests
from tenuto.providers.aws.types.named import Named
from tenuto.providers.aws.types.tag_calls import TagCalls

_LONGEST_TOKEN = 64
_WAIT_S = 5.0
"""The seconds between two questions about a thing that is on its way out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockActs:
    """The work on one type; the meaning of each field is told at `block`."""

    reader: BlockReader
    create: Call
    updates: Sequence[Update]
    delete: Call
    named: Named | None
    asks_first: bool
    token: str
    token_at: str
    made: str
    implied: JsonMap
    sent_as: Mapping[str, Callable[[Json], Json]]
    beside: Listed | None
    spares: str
    unseen: frozenset[str]
    """The properties that no call shows: the values that were sent are noted."""
    rules: Mapping[str, Rule]
    """The comparisons of properties, as the facts of the type have them."""
    settled: frozenset[str]
    """The paths of properties that only a new thing can have: no change is told of them."""
    parting: Callable[[Work], JsonMap]

    @property
    def showing(self) -> Showing:
        return self.reader.showing

    @property
    def tags(self) -> TagCalls | None:
        """The calls about tags. Where they know a thing by another name than its id, it is read for that name."""
        tags = self.showing.tags
        if not isinstance(tags, TagCalls):
            return None
        return tags if tags.named is None else replace(tags, identify=self._tagged)

    def _tagged(self, work: Work) -> Json:
        return self.showing.tagged(work.id, self._standing(work))

    def _standing(self, work: Work) -> JsonMap:
        """The thing as it is now. Raises PermanentError when it is not there any more."""
        shown = self.reader.current(work.client, work.id)
        if shown is None:
            raise self._no_such_thing(work)
        return shown

    def _no_such_thing(self, work: Work) -> PermanentError:
        return PermanentError(f"There is no {self.showing.name} {work.id}.", code="ResourceNotFound")

    def make(self, work: Work) -> Outcome:
        reader = self.reader
        if self.asks_first:
            self._ask_first(work)
        parameters = {**self.create.fixed, **self._sent(work, self.create, self._wanted(work)), **self._born(work)}
        if not self.made:
            # A key that names nothing is told before a thing is made that no sweep would find.
            self._id_in(parameters)
        answer = work.change(reader.service, self.create.operation, **parameters)
        outcome = self._made(work, parameters, answer)
        if self.tags is not None and not self._takes_tags(work):
            self.tags.give(replace(work, request=replace(work.request, physical_id=outcome.physical_id)))
        return outcome

    def _made(self, work: Work, parameters: JsonMap, answer: JsonMap) -> Done:
        reader = self.reader
        if not self.made:
            return Done(physical_id=PhysicalId(self._id_in(parameters)), attributes=self._noted(work))
        # The answer leaves out where the thing was made: the call names that.
        paths = self.made.split()
        found = [at(answer, path) or parameters.get(path) for path in paths]
        if None in found:
            raise not_of_aws(f"{reader.service} {self.create.operation}")
        made = ID.join(map(str, found))
        holder = paths[-1].rpartition(".")[0]
        shown = at(answer, holder) if holder else answer
        attributes = {**self.showing.attributes_of(made, shown or {}), **self._noted(work)}
        return Done(physical_id=PhysicalId(made), attributes=attributes)

    def _ask_first(self, work: Work) -> None:
        """Raise PermanentError when there is such a thing already: of that name, or with the same exclusive values."""
        if self.beside is None:
            told, is_there = self.sought(work.request), self._is_taken(work)
        else:
            given = work.given(*work.type.facts.exclusive[0])
            told = " ".join(str(value) for value in given.values())
            is_there = self.reader.has_beside(work.client, self.beside, work.request.properties, given)
        if is_there:
            raise TakenError(f"The {self.showing.name} {told} exists already.")

    def _is_taken(self, work: Work) -> bool:
        """Whether there is one of this name. ECS shows a deleted one as gone for an hour, and its name is free."""
        there = self.reader.named(work.client, [self.sought(work.request)])
        return any(self.showing.condition(shown) is not Condition.GONE for shown in there.values())

    def change(self, work: Work) -> Outcome:
        reader = self.reader
        for part in reader.parts:
            shown = part.prepare(work, reader.service, self.showing.words)
            if shown is not None:
                observed = self.showing.seen_anew(work.request.observed or {}, shown)
                work = replace(work, request=replace(work.request, observed=observed))
        for update in self.updates:
            if any(self._differs(work, name) for name in sorted(update.properties)):
                if update.call.drop and not work.given(*update.properties):
                    work.change(reader.service, update.call.drop, **update.call.about(self.showing.words, work.id))
                    continue
                is_patch = bool(update.call.patched_as)
                given = self._patch(work, update) if is_patch else self._given(work, update)
                given = {**self._filled(work, update, given), **given}
                about = update.call.about(self.showing.words, work.id)
                work.change(reader.service, update.call.operation, **update.call.joined(about, given))
        for part in reader.parts:
            part.repair(work, reader.service, self.showing.words)
        if self.tags is not None:
            self.tags.repair(work)
        return Done(physical_id=work.id, attributes=self._noted(work))

    def remove(self, work: Work) -> Outcome:
        """Delete the thing. One that has states is gone when it is not shown any more, or shown as gone."""
        reader, going = self.reader, Pending(message=f"{work.id} is being deleted", delay_s=_WAIT_S)
        is_slow = self.showing.state is not None and not self.showing.state.ends_at_once
        if is_slow and self._is_ending(work):
            return going
        if self.spares and self._is_spared(work):
            return Done(physical_id=work.id)
        for part in reader.parts:
            part.clear(work, reader.service, self.showing.words)
        about = self.delete.about(self.showing.words, work.id)
        work.change(reader.service, self.delete.operation, **{**about, **self.parting(work)})
        if not is_slow:
            return Done(physical_id=work.id)
        shown = reader.current(work.client, work.id)
        is_gone = shown is None or self.showing.condition(shown) is Condition.GONE
        return Done(physical_id=work.id) if is_gone else going

    def _is_ending(self, work: Work) -> bool:
        """Whether its deletion goes on. Raises PermanentError when it is not there any more."""
        condition = self.showing.condition(self._standing(work))
        if condition is Condition.GONE:
            raise self._no_such_thing(work)
        return condition is Condition.GOING

    def _is_spared(self, work: Work) -> bool:
        """Whether it cannot be deleted, and goes by itself. Raises PermanentError when it is not there any more."""
        return bool(at(self._standing(work), self.spares))

    def sought(self, request: Request) -> str:
        """The name, or the id that follows from the properties, of the thing that the request makes."""
        if self.named is not None and (self.made or len(words_in(self.showing.words)) == 1):
            return self.named(request)
        return ID.join(str(self._part(request, word)) for word in words_in(self.showing.words))

    def known_as(self, work: Work, given_id: str) -> str:
        """The physical id of a thing that CloudFormation shows by its `Ref`: the parts that are declared, and for any
        other the given id, or the name at the end of it."""
        words = self.showing.words.split()
        if given_id.count(ID) + 1 == len(words) > 1:
            return given_id
        own = given_id
        if given_id.startswith("arn:"):
            own = given_id.rpartition("/" if "/" in given_id else ":")[2]
        declared = work.request.properties
        parts = (self._declared(declared, word) for word in words)
        return ID.join(own if part is None else str(part) for part in parts)

    def is_it(self, request: Request, item: ObservedItem) -> bool:
        """Whether an item is the thing that the request made: by our mark, or where it has none by its id or its
        properties.
        """
        if self.showing.tags is not None:
            return by_owner(request, item)
        if not self.made:
            return item.physical_id == self.sought(request)
        own_parts = [self._part(request, word) for word in words_in(self.showing.words)]
        if None not in own_parts:
            return parts_in(self.showing.words, item.physical_id) == [*map(str, own_parts)]
        # That two things hang on the same one makes them neighbours, and no more.
        own = item.properties.keys() - self.showing.held_in(item.physical_id)
        shown = {name: value for name, value in request.properties.items() if name in own}
        return bool(shown) and means_same(shown, item.properties, self.rules)

    def find(self, work: Work) -> ObservedItem | None:
        """The search through everything that stands beside the thing that the request makes, each read whole."""
        if self.token_at:
            return self._made_by_token(work)
        listed = self.beside or self.reader.listed
        if listed is None:
            raise BugError(f"{self.showing.name} cannot be found again: its block names no list")
        name = self.named(work.request) if self.named is not None else ""
        shown = self.reader.beside(work.client, listed, work.request.properties, name)
        return next((item for _, item in shown if not item.is_ending and self.is_it(work.request, item)), None)

    def _made_by_token(self, work: Work) -> ObservedItem | None:
        token = generated_name(work.request, _LONGEST_TOKEN)
        shown = self.reader.with_token(work.client, self.token_at, token)
        return next((item for _, item in shown if not item.is_ending), None)

    def _takes_tags(self, work: Work) -> bool:
        shape = work.client.input_of(self.reader.service, self.create.operation)
        return any(name.casefold().startswith("tag") or name == self.showing.tags_as for name in shape.members)

    def _token(self, work: Work) -> dict[str, Json]:
        """The token of the creation. One that is looked up must be the same, even if the declaration has changed by
        then.
        """
        if not self.token:
            return {}
        by_name = generated_name(work.request, _LONGEST_TOKEN)
        return {self.token: by_name if self.token_at else client_token(work.request)}

    def _wanted(self, work: Work) -> dict[str, Json]:
        names = self.showing.schema.properties - self.showing.schema.read_only - {self.showing.tags_as}
        held = frozenset[str]().union(*(part.properties for part in self.reader.parts))
        found = {name: work.want(name) for name in sorted(names - held)}
        return found | ({self.named.property: self.named(work.request)} if self.named is not None else {})

    def _born(self, work: Work) -> dict[str, Json]:
        """The parameters of the creation that are no declared properties: parts, tags, the token."""
        found: dict[str, Json] = {}
        for part in self.reader.parts:
            found |= part.at_birth(work)
        if isinstance(self.showing.tags, TagCalls):
            shape = work.client.input_of(self.reader.service, self.create.operation)
            found |= sent(shape, self._all_tags(work, self.showing.tags, shape), {})
        elif self.showing.tags is not None:
            found |= work.birth()
        return found | self._token(work)

    def _all_tags(self, work: Work, tags: TagCalls, shape: Shape) -> dict[str, Json]:
        """All tags of the thing as a parameter of a call. Some services spell it otherwise in their tag calls."""
        ((as_given, given),) = tags.at_birth(work).items()
        return {next((one for one in (as_given, self.showing.tags_as) if one in shape.members), "Tags"): given}

    def _differs(self, work: Work, name: str) -> bool:
        """Whether a property is not as it is desired. Of one that is never shown, the value that was sent last is
        remembered.
        """
        return is_sent_anew(work.request, name) if name in self.unseen else work.differs(name)

    def _noted(self, work: Work) -> JsonMap:
        """The notes for the attributes of the thing: of the values that were sent of properties that are never shown,
        and of the members that are declared in the lists that others add to."""
        return {**({SENT: digests(work.request)} if self.unseen else {}), **work.held()}

    def _given(self, work: Work, update: Update) -> dict[str, Json]:
        call = update.call
        names = [name for name in sorted(update.properties | update.beside) if not self._is_raised(work, name)]
        shape = work.client.input_of(self.reader.service, call.operation)
        shape = shape.members[call.within] if call.within else shape
        wanted = {name: without_settled(shape, work.want(name), name, self.settled) for name in names}
        wanted |= {name: emptied(wanted[name], work.seen(name)) for name in call.emptied.split() if name in wanted}
        wanted |= {name: [*value, *work.of_services(name)] for name, value in wanted.items() if is_list(value)}
        return self._sent(work, call, wanted)

    def _is_raised(self, work: Work, name: str) -> bool:
        """Whether it is a version that the service may have raised: beside another change it would ask for less."""
        return self.rules.get(name) is Comparison.RELEASE and not work.differs(name)

    def _filled(self, work: Work, update: Update, given: JsonMap) -> dict[str, Json]:
        """The parameters that go along with an update that resets the properties that it is not given."""
        fills, tags = update.call.fills, self.showing.tags
        if fills is None:
            return {}
        shown = self._standing(work)
        shape = work.client.input_of(self.reader.service, update.call.operation)
        taken_out = {name.casefold() for name in update.properties if work.wants_none(name)}
        found = {name: value for name, value in fills(given, shown).items() if name.casefold() not in taken_out}
        if isinstance(tags, TagCalls):
            found = {**found, **self._all_tags(work, tags, shape)}
        return sent(shape, found, {})

    def _patch(self, work: Work, update: Update) -> dict[str, Json]:
        """The operations on the properties that differ, in the words in which the call answers."""
        shape = work.client.output_of(self.reader.service, update.call.operation)
        names = [name for name in sorted(update.properties) if self._differs(work, name)]
        before = self._shaped(shape, update.call, {name: work.seen(name) for name in names})
        wanted = {name: _with_none_at(work.want(name), work.lost(name)) for name in names}
        after = self._shaped(shape, update.call, wanted)
        told, paths = operations(shape, before, after), update.call.paths
        return {update.call.patched_as: [{**one, "path": paths.get(one["path"], one["path"])} for one in told]}

    def _sent(self, work: Work, call: Call, properties: JsonMap) -> dict[str, Json]:
        shape = work.client.input_of(self.reader.service, call.operation)
        if call.within:
            return {call.within: self._shaped(shape.members[call.within], call, properties)}
        return self._shaped(shape, call, properties)

    def _shaped(self, shape: Shape, call: Call, properties: JsonMap) -> dict[str, Json]:
        shaped = {
            name: self.sent_as[name](value) if name in self.sent_as and value is not None else value
            for name, value in properties.items()
        }
        return sent(shape, shaped, {**self.showing.renamed, **call.renamed})

    def _id_in(self, parameters: JsonMap) -> str:
        parameters = parameters.get(self.create.within, parameters)
        words = [word.removesuffix("[]") for word in (self.create.key or self.showing.words).split()]
        parts = {word: parameters.get(word, self.implied.get(word)) for word in words}
        if unknown := [word for word, part in parts.items() if part is None]:
            raise BugError(
                f"{self.showing.name}: the key {' '.join(unknown)} of the block is no parameter that was sent to "
                f"{self.create.operation} ({', '.join(sorted(parameters))}), so the thing has no physical id. Name one "
                "of them, or the path of the id in the answer ('made')"
            )
        return ID.join(str(part) for part in parts.values())

    def _part(self, request: Request, word: str) -> Json:
        """The value of the property that a call takes as this parameter."""
        name = self.showing.property_of(word)
        if self.named is not None and name == self.named.property:
            return self.named(request)
        return self._declared(request.properties, word)

    def _declared(self, properties: JsonMap, word: str) -> Json:
        """The declared value of the property that a call takes as this parameter; the implied one where it is absent or
        an empty text."""
        value = properties.get(self.showing.property_of(word))
        return self.implied.get(word, value) if value in (None, "") else value


def _with_none_at(value: Json, paths: Sequence[str]) -> Json:
    """The value of a property with None for each member that an update took out: a patch has to name these."""
    for path in paths:
        value = _none_at(value, path.split(".")[1:])
    return value


def _none_at(value: Json, keys: Sequence[str]) -> Json:
    if not keys or not isinstance(value, Mapping):
        return value
    key, *rest = keys
    return {**value, key: _none_at(value.get(key), rest) if rest else value.get(key)}
