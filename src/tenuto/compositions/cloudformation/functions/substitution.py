"""`Fn::Sub`: a text with `${…}` in it, lowered to a join."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tenuto.compositions.cloudformation.functions.references import References
from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.nodes import (
    Broken,
    Entry,
    Expression,
    Fields,
    Items,
    Node,
    Scalar,
    describe,
    located,
)
from tenuto.compositions.diagnostics.problems import Problems, shortened
from tenuto.core.language.expressions import ResolveError, join
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json

_NAME = re.compile(r"[A-Za-z0-9_.:]+")
_MOST_MISSES = 20
"""Variables that the file spells otherwise (by JSON's escapes): each of them is looked for to the end of the text."""
_LITERAL_HINT = "Write ${!NAME} when the text shall hold ${NAME} as it is."


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One `${…}` of a text: its beginning, its end, and the text between the braces."""

    start: int
    end: int
    inner: str

    @property
    def name(self) -> str:
        return self.inner.strip()

    @property
    def spelled(self) -> str:
        return f"${{{self.inner}}}"


def variables(text: str) -> Iterator[Variable]:
    """Every `${…}`, in order. The text is read once, also when braces are missing."""
    start = text.find("${")
    while start >= 0:
        end = text.find("}", start)
        if end < 0:
            return
        yield Variable(start=start, end=end + 1, inner=text[start + 2 : end])
        start = text.find("${", end)


class _Places:
    """The places in the file of the variables of a text. They are asked for in order, and each is looked for once."""

    def __init__(self, problems: Problems, template: Scalar) -> None:
        self._problems = problems
        self._template = template
        self._known: dict[str, Position] = {}
        self._last = template.position
        self._misses = 0

    def of(self, spelled: str) -> Position:
        """Return the first place of a variable; the text's own when the file spells it otherwise."""
        if spelled not in self._known:
            found = self._problems.found(spelled, self._template, self._last) if self._misses < _MOST_MISSES else None
            self._misses += found is None
            self._last = found or self._last
            self._known[spelled] = found or self._template.position
        return self._known[spelled]


class Substitution:
    def __init__(
        self, references: References, evaluate: Callable[[Node, bool], Node | None], problems: Problems
    ) -> None:
        self._references = references
        self._evaluate = evaluate
        self._problems = problems

    def substitute(self, argument: Node, position: Position, live: bool) -> Node:
        """Substitute the variables of `Fn::Sub` in both forms: a text, or a text and a mapping of local names."""
        template, entries = _parts(argument)
        if template is None:
            return Broken(position=position)
        local = {entry.name: self._evaluate(entry.value, live) for entry in entries}
        self._check_used(template, entries)
        places = _Places(self._problems, template)
        parts: list[Json] = []
        is_whole = True
        end = 0
        for one in variables(template.text):
            parts.append(template.text[end : one.start])
            end = one.end
            if one.inner.startswith("!"):
                parts.append(f"${{{one.inner[1:]}}}")
                continue
            node = self._variable(one, places.of(one.spelled), local, live)
            if isinstance(node, Scalar | Expression):
                parts.append(node.text if isinstance(node, Scalar) else node.value)
            else:
                is_whole = is_whole and node is None
        if not live or not is_whole:
            return Broken(position=position)
        try:
            return located(join(["", [*parts, template.text[end:]]]), position)
        except ResolveError as error:
            self._problems.add(codes.NO_POSSIBLE_VALUE, position, f"{error}.", subject="Fn::Sub")
            return Broken(position=position)

    def _variable(self, variable: Variable, at: Position, local: dict[str, Node | None], live: bool) -> Node | None:
        """The value of one `${…}`: a scalar or an expression; None for nothing at all; else broken."""
        name = variable.name
        if not _NAME.fullmatch(name):
            detail = f"{shortened(variable.spelled)} does not hold a name."
            self._problems.add(codes.BAD_SUBSTITUTION, at, detail, hint=_LITERAL_HINT)
            return Broken(position=at)
        if name in local:
            value = local[name]
        elif "." in name:
            resource, _, attribute = name.partition(".")
            value = self._references.attribute(resource, attribute, at, live)
        else:
            value = self._references.name(name, at, live, hint=_LITERAL_HINT)
        if isinstance(value, Items | Fields):
            detail = f"{name} is {describe(value)}, and only a text can be put into a text."
            self._problems.add(codes.BAD_SUBSTITUTION, at, detail, hint="Join the items with Fn::Join.")
            return Broken(position=at)
        return value

    def _check_used(self, template: Scalar, entries: tuple[Entry, ...]) -> None:
        used = {one.name for one in variables(template.text)}
        for entry in entries:
            if entry.name not in used:
                detail = f"The text does not hold ${{{entry.name}}}."
                self._problems.add(codes.UNUSED_VARIABLE, entry.key, detail, subject=entry.name)


def _parts(argument: Node) -> tuple[Scalar | None, tuple[Entry, ...]]:
    if isinstance(argument, Scalar):
        return argument, ()
    if isinstance(argument, Items):
        template, variables = argument.items
        if isinstance(template, Scalar) and isinstance(variables, Fields):
            return template, variables.entries
    return None, ()
