"""Whether an open value can become a text, as far as its form tells.

Theory of operation. The form of an open value tells a part of its text: a join has texts and a delimiter of its own,
and a reference to a thing is its id, which is never empty. The value becomes a row of pieces: texts, and holes of
which only the least length is known. A text that the row does not match is one that the value never has, so a
comparison with it is decided before anything is made. Most often that is the empty text, by which a template asks
whether it was given a network, a role or a list of subnets.

The ids of things are not empty, nor are attributes whose names end with `Arn`, and none of them has a comma: a list
that was joined by commas has the same items again.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass

from tenuto.core.language.expressions import call_of, is_list, is_mapping
from tenuto.model.ids import Json


@dataclass(frozen=True, slots=True)
class _Hole:
    """A part of which only the least number of characters is known."""

    least: int = 0


_ANYTHING = (_Hole(),)
_SOMETHING = (_Hole(1),)
_Row = tuple[str | _Hole, ...]


def can_become(value: Json, text: str, unknown: Container[str]) -> bool:
    """Whether the open value can have this text. `unknown` are the names in `Ref` that are no things."""
    return _matches(_row(value, unknown), text)


def _row(value: Json, unknown: Container[str]) -> _Row:
    if isinstance(value, str):
        return (value,)
    call = call_of(value) if is_mapping(value) else None
    if call is None:
        return _ANYTHING
    name, argument = call
    if name == "Ref":
        return _ANYTHING if argument in unknown else _SOMETHING
    if name == "Fn::GetAtt":
        return _SOMETHING if str(argument[1]).endswith("Arn") else _ANYTHING
    if name == "Fn::Join" and isinstance(argument[0], str):
        items = _items(argument[1], unknown)
        return tuple(_joined(argument[0], items)) if items is not None else _ANYTHING
    if name == "Fn::Select" and str(argument[0]).isdecimal():
        items = _items(argument[1], unknown)
        index = int(argument[0])
        return items[index] if items is not None and index < len(items) else _ANYTHING
    return _ANYTHING


def _items(value: Json, unknown: Container[str]) -> list[_Row] | None:
    """The rows of the items of a list; None where even their number cannot be told."""
    if is_list(value):
        return [_row(item, unknown) for item in value]
    call = call_of(value) if is_mapping(value) else None
    if call is None or call[0] != "Fn::Split":
        return None
    delimiter, whole = call[1]
    row = _row(whole, unknown)
    if delimiter != "," or _Hole() in row:
        return None
    items: list[list[str | _Hole]] = [[]]
    for piece in row:
        first, *rest = piece.split(delimiter) if isinstance(piece, str) else [piece]
        items[-1].append(first)
        items += [[one] for one in rest]
    return [tuple(item) for item in items]


def _joined(delimiter: str, items: list[_Row]) -> Iterator[str | _Hole]:
    for number, item in enumerate(items):
        if number:
            yield delimiter
        yield from item


def _matches(row: _Row, text: str) -> bool:
    """Whether texts can be put into the holes so that the row is the text.

    Each text of the row is taken at the first place where it can be, but for the last one, which is at the end: where
    any choice works, this one does. Only the first text of a row has no hole before it.
    """
    at = 0
    *before, (least, is_hole, last) = _texts(row)
    for gap, is_gap, piece in before:
        found = text.find(piece, at + gap) if is_gap else 0 if text.startswith(piece) else -1
        if found < 0:
            return False
        at = found + len(piece)
    end = len(text) - len(last)
    return text.endswith(last) and (end >= at + least if is_hole else end == at)


def _texts(row: _Row) -> Iterator[tuple[int, bool, str]]:
    """The texts of a row, each with the least length of the holes before it and whether there is one; "" ends it."""
    least, is_hole, text = 0, False, ""
    for piece in row:
        if isinstance(piece, str):
            text += piece
        elif text:
            yield least, is_hole, text
            least, is_hole, text = piece.least, True, ""
        else:
            least, is_hole = least + piece.least, True
    yield least, is_hole, text
