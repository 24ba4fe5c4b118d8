"""The drawing of a graph: where each box and line stands, in the units of its SVG."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tenuto.model.ids import JsonMap

BOX_W, BOX_H = 190, 56
_GAP_X, _GAP_Y = 26, 56
_MOST_IN_ROW = 6
"""The boxes beside each other: a page of a desk has room for them, and a wider picture hides where it begins."""
_MARGIN = 16
_PADDING = 12
_TITLE_PX, _KIND_PX = 14, 12
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|![]()/ "), frozenset("mwMW@%")


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One box. `title` and `kind` are cut in their middle to its width: generated names differ at their ends. The whole
    names are in its label."""

    node: JsonMap
    x: int
    y: int
    title: str
    kind: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One edge, as the path of a curve."""

    path: str
    start: str
    end: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    width: int
    height: int
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]


def drawing_of(document: JsonMap) -> Drawing:
    """The drawing. Layers stand below each other, each in rows that are set in the middle."""
    layers: dict[int, list[JsonMap]] = {}
    for node in document["nodes"]:
        layers.setdefault(node["layer"], []).append(node)
    rows = {depth: _rows(sorted(layers[depth], key=lambda node: node["place"])) for depth in sorted(layers)}
    widest = max((len(row) for found in rows.values() for row in found), default=1)
    width = widest * (BOX_W + _GAP_X) - _GAP_X + 2 * _MARGIN
    places: dict[str, tuple[int, int]] = {}
    bottom = _MARGIN
    for found in rows.values():
        top = bottom if bottom == _MARGIN else bottom + _GAP_Y
        for row in found:
            left = (width - len(row) * (BOX_W + _GAP_X) + _GAP_X) // 2
            places |= {node["name"]: (left + at * (BOX_W + _GAP_X), top) for at, node in enumerate(row)}
            bottom = top + BOX_H
            top = bottom + _GAP_X
    height = max(bottom, _MARGIN + BOX_H) + _MARGIN
    boxes = tuple(_box(node, *places[node["name"]]) for node in document["nodes"])
    lines = tuple(_line(edge["from"], edge["to"], places) for edge in document["edges"])
    return Drawing(width=width, height=height, boxes=boxes, lines=lines)


def _rows(layer: Sequence[JsonMap]) -> Sequence[Sequence[JsonMap]]:
    """The rows of a layer, as equal as can be."""
    count = -(-len(layer) // _MOST_IN_ROW)
    return [layer[len(layer) * at // count : len(layer) * (at + 1) // count] for at in range(count)]


def _box(node: JsonMap, x: int, y: int) -> Box:
    kind = node["type"].removeprefix("AWS::").removeprefix("Simulated::")
    title = node["name"] if node["count"] == 1 else f"{node['count']} × {kind.rpartition('::')[2]}"
    needs = f", needs {', '.join(node['needs'][:5])}" if node["needs"] else ""
    users = f", needed by {len(node['needed_by'])}" if node["needed_by"] else ""
    return Box(
        node=node,
        x=x,
        y=y,
        title=_fitted(title, BOX_W - 2 * _PADDING - 2 * _TITLE_PX, 1.05 * _TITLE_PX),
        kind=_fitted(kind, BOX_W - 3 * _PADDING - _width(node["status"], _KIND_PX), _KIND_PX),
        label=f"{title}, {kind}, {node['status']}{needs}{users}",
    )


def _line(start: str, end: str, places: dict[str, tuple[int, int]]) -> Line:
    (x1, y1), (x2, y2) = places[start], places[end]
    x1, x2, y1 = x1 + BOX_W // 2, x2 + BOX_W // 2, y1 + BOX_H
    bend = max(20, (y2 - y1) // 2)
    return Line(path=f"M{x1} {y1}C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}", start=start, end=end)


def _fitted(text: str, width: float, size: float) -> str:
    """The text, without as much of its middle as is too wide."""
    if _width(text, size) <= width:
        return text
    for kept in range(min(len(text) - 1, int(width)), 1, -1):
        head = (kept + 1) // 2
        cut = f"{text[:head]}…{text[len(text) - (kept - head) :]}"
        if _width(cut, size) <= width:
            return cut
    return "…"


def _width(text: str, size: float) -> float:
    """The width of a text in the font of a graph, which differs from machine to machine: rather too wide. `size` is
    the height of the font; a bold one is a little wider than its height says."""
    return size * sum(_share(letter) for letter in text)


def _share(letter: str) -> float:
    """The width of a letter as a share of the font's height."""
    if letter in _NARROW:
        return 0.36
    if letter in _WIDE:
        return 0.92
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.72 if letter.isupper() else 0.6
