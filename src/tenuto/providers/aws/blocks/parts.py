"""Parts of a thing that have calls of their own: attributes, key values, settings and switches (`members` has lists).

A part reads its properties of one thing, and brings them to the desired values. A part that a block declares costs a
call for each thing, so it is read in turns, and only where it is compared.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from tenuto.errors import ProviderError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.rate import MemberCalls
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import Path, at, parsed
from tenuto.providers.aws.client.texts import text_of
from tenuto.providers.aws.kind import Scope, Work, flag
from tenuto.providers.aws.types.text_attributes import TextAttributes


class Part(Protocol):
    """One part. `changes` are the calls of a change of each of its properties, in words, `drops` those that take one
    away, and `members` those of a list."""

    @property
    def properties(self) -> frozenset[str]: ...

    @property
    def is_free(self) -> bool:
        """Whether the list or the description of a thing shows the part, so that it costs no call."""
        ...

    @property
    def heeds(self) -> frozenset[str]:
        """The types whose tracked things `apart` must know, where they have another source."""
        ...

    @property
    def defaults(self) -> JsonMap:
        """The values that properties have where they were not declared, as far as they are known."""
        ...

    def read(self, thing: Thing) -> dict[str, Json]:
        """The properties as they are. Raises ProviderError; "gone" says that the thing is."""
        ...

    def apart(self, physical_id: str, found: JsonMap, scope: Scope | None) -> JsonMap:
        """The properties that were read of a thing, without those that other resources declare by themselves."""
        ...

    def at_birth(self, work: Work) -> dict[str, Json]:
        """Parameters for the call that creates the thing; none where the part is put in its place afterwards."""
        ...

    def prepare(self, work: Work, service: str, words: str) -> JsonMap | None:
        """Bring properties that set others, too, to the desired values before these are changed; the answer shows the
        thing as it is then. None where nothing was done."""
        ...

    def repair(self, work: Work, service: str, words: str) -> None:
        """Bring the properties to the desired values."""
        ...

    def clear(self, work: Work, service: str, words: str) -> None:
        """Take away everything that would keep the thing from being deleted."""
        ...

    def changes(self, service: str) -> Mapping[str, str]: ...

    def drops(self, service: str) -> Mapping[str, str]: ...

    def members(self, service: str) -> Mapping[str, MemberCalls]: ...


class Plain:
    """The answers of a part that costs a call, and has nothing to do at the birth, nor at the end."""

    @property
    def is_free(self) -> bool:
        return False

    @property
    def heeds(self) -> frozenset[str]:
        return frozenset()

    @property
    def defaults(self) -> JsonMap:
        return {}

    def apart(self, physical_id: str, found: JsonMap, scope: Scope | None) -> JsonMap:
        return found

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {}

    def prepare(self, work: Work, service: str, words: str) -> JsonMap | None:
        return None

    def repair(self, work: Work, service: str, words: str) -> None:
        return None

    def clear(self, work: Work, service: str, words: str) -> None:
        return None

    def changes(self, service: str) -> Mapping[str, str]:
        return {}

    def drops(self, service: str) -> Mapping[str, str]:
        return {}

    def members(self, service: str) -> Mapping[str, MemberCalls]:
        return {}


class Shown(Plain):
    """The answers of a part that the list or the description of a thing shows, so that it costs no call."""

    @property
    def is_free(self) -> bool:
        return True


@dataclass(frozen=True, kw_only=True)
class Attributes(Plain):
    """Properties that a service keeps as texts by name. `names` are words; `silent` ones among them can be denied at
    the birth only by leaving them out. Without `read_by` the description of the thing is these very texts.

    `write` takes all of them in one parameter, or one at a time where `pair` names the parameters of name and text.
    """

    type: str
    names: str
    write_by: Call
    read_by: Call | None = None
    given_as: str = "Attributes"
    pair: tuple[str, str] | None = None
    silent: str = ""

    @cached_property
    def _texts(self) -> TextAttributes:
        return TextAttributes(self.type, self.names)

    @property
    def properties(self) -> frozenset[str]:
        return frozenset(self.names.split())

    @property
    def is_free(self) -> bool:
        return self.read_by is None

    def read(self, thing: Thing) -> dict[str, Json]:
        if self.read_by is None:
            return self._texts.read(thing.answer)
        return self._texts.read(thing.answer_to(self.read_by).get("Attributes") or {})

    def at_birth(self, work: Work) -> dict[str, Json]:
        given = self._texts.given(work, silent=self.silent.split())
        return {self.given_as: given} if given else {}

    def repair(self, work: Work, service: str, words: str) -> None:
        changed = self._texts.changed(work)
        about = self.write_by.about(words, work.id)
        if self.pair is None:
            if changed:
                work.change(service, self.write_by.operation, **about, **{self.given_as: changed})
            return
        for name, value in changed.items():
            work.change(service, self.write_by.operation, **about, **{self.pair[0]: name, self.pair[1]: value})

    def changes(self, service: str) -> Mapping[str, str]:
        joint = "+" if self.pair is None else ""
        return dict.fromkeys(self.names.split(), f"{service}:{self.write_by.operation}{joint}")


@dataclass(frozen=True, kw_only=True)
class KeyValues(Plain):
    """One property that is a list of `Key` and `Value`: settings of which only the declared ones are held."""

    name: str
    read_by: Call
    write_by: Call
    shown_at: str = "Attributes"
    given_as: str = "Attributes"
    key: str = "Key"

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = at(thing.answer_to(self.read_by), self.shown_at) or ()
        return {self.name: [{self.key: one[self.key], "Value": one.get("Value", "")} for one in shown]}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(self.name):
            return
        seen = {one[self.key]: one.get("Value") for one in work.seen(self.name) or ()}
        changed = [
            {self.key: one[self.key], "Value": text_of(one.get("Value", ""))}
            for one in work.want(self.name)
            if seen.get(one[self.key]) != text_of(one.get("Value", ""))
        ]
        if changed:
            about = self.write_by.about(words, work.id)
            work.change(service, self.write_by.operation, **about, **{self.given_as: changed})

    def changes(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:{self.write_by.operation}"}


@dataclass(frozen=True, kw_only=True)
class Setting(Plain):
    """One property with a call that reads it and one that writes it. `given_as` names the parameter of the writing
    call, `shown_at` the path of the answer. Where the writing call names an operation that drops it, it is absent by
    default.

    Without `given_as`, the members of the property are the parameters.
    """

    name: str
    read_by: Call
    write_by: Call
    shown_at: Path
    given_as: str = ""
    given_at: str = ""
    """The path of the parameter's value in the declared value."""
    is_text: bool = False
    is_born: bool = False
    """True when the creation takes it, too."""
    absent: str = ""
    """The codes that say that it is not set, in words."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    @property
    def defaults(self) -> JsonMap:
        return {self.name: None} if self.write_by.drop else {}

    def read(self, thing: Thing) -> dict[str, Json]:
        try:
            answer = thing.answer_to(self.read_by)
        except ProviderError as error:
            if error.code in self.absent.split():
                return {}
            raise
        value = at(answer, self.shown_at)
        return {} if value is None else {self.name: parsed(value)}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return self._given(work) if self.is_born and work.want(self.name) is not None else {}

    def _given(self, work: Work) -> dict[str, Json]:
        value = at(work.want(self.name), self.given_at)
        return {self.given_as: text_of(value) if self.is_text else value} if self.given_as else dict(value)

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(self.name):
            return
        about = self.write_by.about(words, work.id)
        if self.write_by.drop and work.want(self.name) is None:
            work.change(service, self.write_by.drop, **about)
            return
        work.change(service, self.write_by.operation, **about, **self._given(work))

    def changes(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:{self.write_by.operation}"}

    def drops(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:{self.write_by.drop}"} if self.write_by.drop else {}


@dataclass(frozen=True, kw_only=True)
class Switch(Plain):
    """One truth value with a call that turns it on, and one that turns it off. `shown_at` is its path in the answer of
    `read_by`, or in the description of the thing."""

    name: str
    shown_at: str
    on: str
    off: str
    read_by: Call | None = None

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    @property
    def is_free(self) -> bool:
        return self.read_by is None

    def read(self, thing: Thing) -> dict[str, Json]:
        value = at(thing.answer_to(self.read_by), self.shown_at)
        return {} if value is None else {self.name: flag(value)}

    def repair(self, work: Work, service: str, words: str) -> None:
        if work.differs(self.name):
            call = Call(self.on if flag(work.want(self.name)) else self.off)
            work.change(service, call.operation, **call.about(words, work.id))

    def changes(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:{self.on}"}
