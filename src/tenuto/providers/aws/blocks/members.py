"""A property that is a list, of which each member is put and dropped by a call of its own.

The members that are missing are put before others are dropped: one that was wanted before and is wanted after is never
missing in between.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tenuto.core.planning.equality.values import means_same, rules_of_members
from tenuto.errors import ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.rate import MemberCalls
from tenuto.providers.aws.blocks.calls import Call, Listed
from tenuto.providers.aws.blocks.parts import Plain
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import Names, at, declared, parsed, sent
from tenuto.providers.aws.client.answers.faults import is_gone
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.rates.buckets import calls_of
from tenuto.providers.aws.types.facts import published


@dataclass(frozen=True, kw_only=True)
class Members(Plain):
    """A property that is a list, of which each member is put and dropped by a call.

    `shown_at` is the path of a member in each one of `listed`, or of all in the description of the thing. `member`
    names the parameter of a member that is a text; the members of a mapping are parameters themselves, and `key` are
    those that tell one from another. `each` describes one member that is shown by its key alone.
    """

    name: str
    shown_at: str
    put: Call
    drop: Call
    listed: Listed | None = None
    about: str = ""
    """The names of the thing in the listing call, where they are not those of the block."""
    each: Call | None = None
    member: str = ""
    key: str = ""
    is_bulk: bool = False
    """True when `member` names a parameter that takes a list."""
    dropped_as: str = ""
    """The parameter that takes the keys of the members to drop, where that is not `member`."""
    leaving: str = ""
    """The path, in each one of `listed`, of the value that says that it is on its way out."""
    is_cleared: bool = False
    """True when the thing cannot be deleted while it has members."""
    type: str = ""
    """The type whose schema spells the parts of a member, where the call of `is_bulk` spells it otherwise."""
    renamed: Names = field(default_factory=dict)
    """The service's names at paths of the property, where they are other words."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    @property
    def is_free(self) -> bool:
        return self.listed is None and self.each is None

    @property
    def defaults(self) -> JsonMap:
        return {self.name: []}

    def read(self, thing: Thing) -> dict[str, Json]:
        if self.listed is None:
            shown = at(thing.answer, self.shown_at) or []
        else:
            shown = self._listed(thing)
        if self.each is not None:
            shown = [self._described(thing, str(one)) for one in shown]
        if self.type:
            return declared({self.name: list(shown)}, published(self.type), [self.name], self.renamed, {})
        return {self.name: list(shown)}

    def _listed(self, thing: Thing) -> Sequence[Json]:
        listed = self.listed
        assert listed is not None
        asked = Call(listed.operation, self.about, listed.fixed).about(thing.words, thing.id)
        shown = thing.client.pages(listed.paging(thing.service), **asked)
        return [at(one, self.shown_at) for one in shown if not (self.leaving and at(one, self.leaving))]

    def _described(self, thing: Thing, name: str) -> JsonMap:
        each = self.each
        assert each is not None
        answer = thing.client.read(thing.service, each.operation, **each.about(thing.words, f"{thing.id}|{name}"))
        return {key: parsed(value) for key, value in answer.items() if key in self._fields}

    @property
    def _fields(self) -> Sequence[str]:
        return self.member.split()

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(self.name):
            wanted, present = list(work.want(self.name) or ()), list(work.seen(self.name) or ())
            rules = rules_of_members(work.type.facts.compare_as, self.name)

            def are_same(one: Json, other: Json) -> bool:
                return means_same(one, other, rules, self.name)

            missing = [one for one in wanted if not any(are_same(one, other) for other in present)]
            kept = [self._key(one) for one in wanted]
            gone = [
                one
                for one in present
                if self._key(one) not in kept and not any(are_same(other, one) for other in wanted)
            ]
            # A member that an update made smaller is as declared already, and put again without the part that it lost.
            self._send(work, service, words, self.put, wanted if work.lost(self.name) else missing)
            self._send(work, service, words, self.drop, gone, is_drop=True)

    def clear(self, work: Work, service: str, words: str) -> None:
        if self.is_cleared:
            answer: JsonMap = {}
            thing = Thing(client=work.client, service=service, words=words, id=work.id, answer=answer)
            self._send(work, service, words, self.drop, self.read(thing)[self.name], is_drop=True)

    def _send(
        self, work: Work, service: str, words: str, call: Call, members: Sequence[Json], *, is_drop: bool = False
    ) -> None:
        about = call.about(words, work.id)
        if self.is_bulk:
            if members:
                given = self._together(work, service, call, members, is_drop=is_drop)
                work.change(service, call.operation, **about, **given)
            return
        for one in members:
            try:
                work.change(service, call.operation, **about, **self._parameters(one, is_key_alone=is_drop))
            except ProviderError as error:
                # That a member hangs there no more is as good as to have dropped it.
                if not (is_drop and is_gone(error)):
                    raise

    def _together(
        self, work: Work, service: str, call: Call, members: Sequence[Json], *, is_drop: bool
    ) -> dict[str, Json]:
        """The parameter for all members at once."""
        if is_drop and self.dropped_as:
            return {self.dropped_as: [one[self.key] for one in members]}
        if not self.type:
            return {self.member: list(members)}
        shape = work.client.input_of(service, call.operation)
        return sent(shape, {self.name: list(members)}, {self.name: self.member, **self.renamed})

    def _parameters(self, one: Json, *, is_key_alone: bool) -> dict[str, Json]:
        if not isinstance(one, Mapping):
            return {self.member: one}
        names = self.key.split() if is_key_alone else self._fields
        return {name: text_of(one[name]) for name in names if name in one}

    def _key(self, one: Json) -> Json:
        return tuple(one.get(name) for name in self.key.split()) if isinstance(one, Mapping) else one

    def members(self, service: str) -> Mapping[str, MemberCalls]:
        put, drop = (calls_of(f"{service}:{call.operation}") for call in (self.put, self.drop))
        calls = MemberCalls(
            put=put, drop=drop, clear=drop if self.is_cleared else (), key=self.key, is_bulk=self.is_bulk
        )
        return {self.name: calls}
