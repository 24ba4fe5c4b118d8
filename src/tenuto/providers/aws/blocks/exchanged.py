"""A property that is a list of texts, of which a change of the thing names the members that come and those that go."""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import at
from tenuto.providers.aws.kind import Work, texts


@dataclass(frozen=True, kw_only=True)
class Exchanged(Shown):
    """The list, as the description of the thing shows it.

    `come` and `go` are the parameters of the change, with the name of the property at `{}`; `shown_at` is the path of
    the list in an answer, where it is not the name.
    """

    name: str
    write_by: Call
    come: str = "Add{}"
    go: str = "Remove{}"
    shown_at: str = ""
    within: str = ""
    """The parameter of the change that holds both. A creation is not given the list then."""
    has_turns: bool = False
    """True where the new members come by a call before that by which the old ones go, so that some are always there."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {self.name: texts(at(thing.answer, self.shown_at or self.name))}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {} if self.within else work.given(self.name)

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(self.name):
            return
        wanted, present = texts(work.want(self.name)), texts(work.seen(self.name))
        coming = {self.come.format(self.name): [one for one in wanted if one not in present]}
        going = {self.go.format(self.name): [one for one in present if one not in wanted]}
        about = self.write_by.about(words, work.id)
        for turn in (coming, going) if self.has_turns else ({**coming, **going},):
            given = {name: members for name, members in turn.items() if members}
            if given:
                told = {self.within: given} if self.within else given
                work.change(service, self.write_by.operation, **about, **told)

    def changes(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:{self.write_by.operation}"}
