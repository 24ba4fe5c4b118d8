"""A document as a tree that knows where everything stands.

The readers make it, evaluation turns it into another tree of the same kind in which every function is gone or left as
an `Expression`, and the schema check reads that one: so each problem, however late it is found, can be shown at the
characters that cause it. A `Broken` stands where a problem was reported already; code that meets it says nothing more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tenuto.core.language.expressions import is_expression
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json

TRUTH = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False}
"""The words for a boolean where one belongs. CloudFormation reads YAML 1.1, which has the last four; elsewhere a plain
`no` stays a text here, as YAML 1.2 has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A text, number, boolean or null. `text` is its spelling in the file, which `value` may have lost; a boolean is
    spelled in small letters."""

    value: str | int | float | bool | None
    text: str
    position: Position
    last_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list."""

    items: "tuple[Node, ...]"
    position: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    key: Scalar
    value: "Node"

    @property
    def name(self) -> str:
        return self.key.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Fields:
    """A mapping, its keys in the order of the file and each once."""

    entries: tuple[Entry, ...]
    position: Position

    def entry(self, name: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.key.text == name), None)

    def get(self, name: str) -> "Node | None":
        entry = self.entry(name)
        return entry.value if entry else None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.key.text for entry in self.entries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """An expression that stays open until the composition runs, in the residual language of `model.composition`."""

    value: Json
    position: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A value with a problem that was reported."""

    position: Position


Node = Scalar | Items | Fields | Expression | Broken


def nodes_at(node: Node, path: Sequence[str]) -> Iterator[tuple[str, Node, Position]]:
    """The nodes at a path of names, each with its own dotted path and the place of its name. A star stands for all
    members of a list; of an empty path it is the node itself."""
    if not path:
        yield "", node, node.position
        return
    name, *rest = path
    if name == "*":
        items = node.items if isinstance(node, Items) else ()
        steps = [(str(number), item, item.position) for number, item in enumerate(items)]
    else:
        entry = node.entry(name) if isinstance(node, Fields) else None
        steps = [(name, entry.value, entry.key.position)] if entry else []
    for step, inner, at in steps:
        if rest:
            yield from ((f"{step}.{where}", found, place) for where, found, place in nodes_at(inner, rest))
        else:
            yield step, inner, at


def to_json(node: Node | None) -> Json:
    """The value without places. A broken node becomes None."""
    if isinstance(node, Fields):
        return {entry.key.text: to_json(entry.value) for entry in node.entries}
    if isinstance(node, Items):
        return [to_json(item) for item in node.items]
    if isinstance(node, Scalar | Expression):
        return node.value
    return None


def located(value: Json, position: Position) -> Node:
    """A value that was computed, standing where it was asked for."""
    if isinstance(value, dict):
        if is_expression(value):
            return Expression(value=value, position=position)
        return Fields(
            entries=tuple(
                Entry(key=scalar(name, position), value=located(member, position)) for name, member in value.items()
            ),
            position=position,
        )
    if isinstance(value, list):
        return Items(items=tuple(located(item, position) for item in value), position=position)
    return scalar(value, position)


def as_written(value: Json, at: Position, source: Node | None = None) -> Node:
    """The value as a tree; a part that `source` has stands there, every other one at `at`."""
    if isinstance(value, dict):
        fields = source if isinstance(source, Fields) else None
        position = fields.position if fields else at
        entries = []
        for name, member in value.items():
            entry = fields.entry(str(name)) if fields else None
            place = entry.key.position if entry else at
            key = entry.key if entry else scalar(str(name), at)
            entries.append(Entry(key=key, value=as_written(member, place, entry.value if entry else None)))
        return Fields(entries=tuple(entries), position=position)
    if isinstance(value, list):
        items = source.items if isinstance(source, Items) and len(source.items) == len(value) else None
        position = source.position if isinstance(source, Items) else at
        members = tuple(as_written(one, at, items[number] if items else None) for number, one in enumerate(value))
        return Items(items=members, position=position)
    if isinstance(source, Scalar) and source.value == value:
        return source
    return scalar(value, source.position if isinstance(source, Scalar) else at)


def scalar(value: str | int | float | bool | None, position: Position) -> Scalar:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return Scalar(value=value, text="" if value is None else text, position=position, last_line=position.line)


def moved(node: Node, position: Position) -> Node:
    """Return the same value with another position: the one of its use instead of the one of its text."""
    if isinstance(node, Items):
        return Items(items=tuple(moved(item, position) for item in node.items), position=position)
    if isinstance(node, Fields):
        entries = tuple(
            Entry(
                key=replace(entry.key, position=position, last_line=position.line), value=moved(entry.value, position)
            )
            for entry in node.entries
        )
        return Fields(entries=entries, position=position)
    if isinstance(node, Scalar):
        return replace(node, position=position, last_line=position.line)
    return replace(node, position=position)


def walk(node: Node) -> Iterator[Node]:
    """The node and everything in it, in the order of the file."""
    yield node
    if isinstance(node, Fields):
        for entry in node.entries:
            yield from walk(entry.value)
    elif isinstance(node, Items):
        for item in node.items:
            yield from walk(item)


def is_broken(node: Node) -> bool:
    """Whether a problem was reported anywhere in it."""
    return any(isinstance(found, Broken) for found in walk(node))


def describe(node: Node) -> str:
    """The kind of value that it is, for people."""
    if isinstance(node, Fields):
        return "a mapping"
    if isinstance(node, Items):
        return "a list"
    if isinstance(node, Scalar):
        if node.value is None:
            return "nothing"
        if isinstance(node.value, bool):
            return "a boolean"
        return "text" if isinstance(node.value, str) else "a number"
    return "an expression"
