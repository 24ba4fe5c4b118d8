"""The YAML and the JSON reader share scalars from their spelling, mappings without repeated keys, and the limits."""

import re
from collections.abc import Iterable

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.codes import Code
from tenuto.compositions.diagnostics.nodes import Entry, Expression, Fields, Items, Node, Scalar
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.errors import TenutoError
from tenuto.model.diagnostic import Position

DEEPEST = 64
"""Levels of nesting. The deepest real resource schemas need about 20."""
_MOST_NODES = 250_000
_CHARACTERS_PER_NODE = 8
_RAIN = "Rain::"

_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+")


class UnreadableError(TenutoError):
    """The text is no document; nothing after this place can be told. Never leaves the readers."""

    def __init__(self, code: Code, position: Position | None, detail: str, hint: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.position = position
        self.detail = detail
        self.hint = hint


def most_nodes(text: str) -> int:
    """Return how many values a document may have with its aliases followed.

    A file that people write has about twenty characters for each; so a small file that multiplies itself by aliases
    does not fill more memory than a large one that is written out.
    """
    return max(_MOST_NODES, len(text) // _CHARACTERS_PER_NODE)


def number(text: str) -> int | float | str:
    """A number, when that loses nothing of its spelling; else the text itself.

    `012345678901` is an account and `5.10` a version: as numbers they would come back as something else. A property
    that wants a number takes a text that spells one, so nothing is lost by being careful here.
    """
    if _WHOLE.fullmatch(text) and len(text) <= 18:
        return int(text)
    if _DECIMAL.fullmatch(text) and repr(float(text)) == text:
        return float(text)
    return text


def check_directive(name: str, position: Position) -> None:
    """Raises UnreadableError where `name`, a key or a tag, is a directive of Rain.

    Rain puts types, whole resources and files in the place of its directives. A document without these is no template,
    and all errors in the rest would be about names that are still to come.
    """
    if name.startswith(_RAIN):
        detail = f"{name} is a directive of Rain, which has not been run over the file."
        hint = "'rain pkg FILE' writes the whole template; give that to Tenuto."
        raise UnreadableError(codes.FOREIGN_FILE, position, detail, hint)


def mapping(entries: Iterable[Entry], position: Position, problems: Problems) -> Fields:
    """A mapping; a key that was there before is reported and left out. Raises UnreadableError as `check_directive`."""
    kept: dict[str, Entry] = {}
    for entry in entries:
        check_directive(entry.name, entry.key.position)
        before = kept.setdefault(entry.name, entry)
        if before is not entry and _is_same(before.value, entry.value):
            detail = f"{entry.name} stands on line {before.key.position.line} with the same value; it counts once."
            problems.add(codes.REPEATED_KEY, entry.key, detail, subject=entry.name)
        elif before is not entry:
            problems.add(
                codes.DUPLICATE_KEY,
                entry.key,
                f"{entry.name} is already on line {before.key.position.line}; only one of the two can count.",
                subject=entry.name,
                hint="Remove one of them, or give it another name. CloudFormation silently takes the last one.",
            )
    return Fields(entries=tuple(kept.values()), position=position)


def _is_same(one: Node, other: Node) -> bool:
    """Whether two values are written alike. It costs no more than the smaller of them."""
    if isinstance(one, Fields) and isinstance(other, Fields):
        return len(one.entries) == len(other.entries) and all(
            first.name == second.name and _is_same(first.value, second.value)
            for first, second in zip(one.entries, other.entries, strict=True)
        )
    if isinstance(one, Items) and isinstance(other, Items):
        return len(one.items) == len(other.items) and all(map(_is_same, one.items, other.items))
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return (one.value, one.text) == (other.value, other.text)
    return isinstance(one, Expression) and isinstance(other, Expression) and one.value == other.value


def size(node: Node) -> int:
    if isinstance(node, Fields):
        return 1 + sum(size(entry.value) for entry in node.entries)
    return 1 + sum(size(item) for item in node.items) if isinstance(node, Items) else 1


def height(node: Node) -> int:
    if isinstance(node, Fields):
        return 1 + max((height(entry.value) for entry in node.entries), default=0)
    return 1 + max((height(item) for item in node.items), default=0) if isinstance(node, Items) else 1
