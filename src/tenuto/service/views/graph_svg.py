"""The graph of a process as a picture that stands alone: an SVG of the same boxes and lines as on its page.

It has no script, no style sheet and no link, so a wiki or a mail shows it as it is. Status is told by a word, a border
and a colour; the colours are for a white ground.
"""

from xml.sax.saxutils import escape, quoteattr

from tenuto.kit.visible import visible
from tenuto.model.ids import JsonMap
from tenuto.service.views.graph_drawing import BOX_H, BOX_W, Box, drawing_of

_INK, _QUIET, _LINE = "#1b1e23", "#575d66", "#9aa0a8"
_TONES = {
    "ready": ("#1a6f34", "#e8f4ea"),
    "failed": ("#b3241a", "#fdebe9"),
    "no-plugin": ("#b3241a", "#fdebe9"),
    "drift": ("#865300", "#fbf1dd"),
    "held": ("#7a4100", "#fbf0e2"),
    **dict.fromkeys(("running", "waiting", "sleeping", "blocked", "pending"), ("#0a6080", "#e5f3f8")),
}
"""The border and the ground of a box by its status; others are grey."""
_OTHER = (_QUIET, "#efefec")
_HEAVY = frozenset({"failed", "no-plugin", "drift", "held"})


def graph_svg(document: JsonMap) -> str:
    """The picture of a graph document. The same document always gives the same text."""
    drawing = drawing_of(document)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{drawing.width}" height="{drawing.height}" '
        f'viewBox="0 0 {drawing.width} {drawing.height}" role="img" font-family="sans-serif">',
        f'<rect width="{drawing.width}" height="{drawing.height}" fill="#ffffff"/>',
        f'<g fill="none" stroke="{_LINE}" stroke-width="1.5">',
        *(f"<path d={quoteattr(line.path)}/>" for line in drawing.lines),
        "</g>",
    ]
    for box in drawing.boxes:
        lines += _box(box)
    return "\n".join([*lines, "</svg>"])


def _box(box: Box) -> list[str]:
    status = box.node["status"]
    border, ground = _TONES.get(status, _OTHER)
    width = 2.7 if status in _HEAVY else 1.5
    dashes = ' stroke-dasharray="5 3"' if status == "held" else ""
    return [
        f"<g><title>{_text(box.label)}</title>",
        f'<rect x="{box.x}" y="{box.y}" width="{BOX_W}" height="{BOX_H}" rx="6" fill="{ground}" stroke="{border}" '
        f'stroke-width="{width}"{dashes}/>',
        f'<text x="{box.x + 12}" y="{box.y + 23}" font-size="14" font-weight="600" fill="{_INK}">'
        f"{_text(box.title)}</text>",
        f'<text x="{box.x + 12}" y="{box.y + 43}" font-size="12" fill="{_QUIET}">{_text(box.kind)}</text>',
        f'<text x="{box.x + BOX_W - 12}" y="{box.y + 43}" font-size="12" text-anchor="end" fill="{border}">'
        f"{_text(status)}</text></g>",
    ]


def _text(text: str) -> str:
    return escape(visible(text))
