"""Diagnostics as text: the place, the line with carets under the error, the reason, and the hint."""

from collections.abc import Iterable

from tenuto.kit.visible import visible
from tenuto.model.diagnostic import Diagnostic, Severity

_RED, _YELLOW, _BLUE, _BOLD, _PLAIN = "\x1b[31;1m", "\x1b[33;1m", "\x1b[34m", "\x1b[1m", "\x1b[0m"
_WIDEST = 160
"""Longer source lines are cut around the carets: a whole user-data script on one line helps no reader."""


def render_diagnostics(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """Return all diagnostics as text, a blank line between two, in the order given. Escape codes only with `color`."""
    return "\n".join(_render(diagnostic, color) for diagnostic in diagnostics)


def _render(diagnostic: Diagnostic, color: bool) -> str:
    tint = _RED if diagnostic.severity is Severity.ERROR else _YELLOW
    # Made visible before it is painted: a painted text may pass to a terminal with its paint.
    head = _paint(f"{diagnostic.severity}[{diagnostic.code}]", tint, color)
    lines = [f"{head}: {_paint(visible(diagnostic.summary), _BOLD, color)}"]
    position = diagnostic.position
    margin = ""
    if position:
        margin = " " * len(str(position.line))
        arrow = _paint("-->", _BLUE, color)
        lines.append(f"{margin}{arrow} {visible(position.file)}:{position.line}:{position.column}")
        if diagnostic.source_line:
            source, carets = _source(diagnostic.source_line, position.column, position.length)
            bar = _paint("|", _BLUE, color)
            lines.append(f"{margin} {bar}")
            lines.append(f"{position.line} {bar} {source}")
            lines.append(f"{margin} {bar} {_paint(carets, tint, color)}")
    lines.append(f"{margin} {visible(diagnostic.detail)}")
    if diagnostic.hint:
        lines.append(f"{margin} hint: {visible(diagnostic.hint)}")
    return "\n".join(lines) + "\n"


def _source(line: str, column: int, length: int) -> tuple[str, str]:
    """The line and its carets, both cut to a window around the carets when the line is long."""
    start = 0
    if len(line) > _WIDEST:
        start = max(0, min(column - 1 - _WIDEST // 4, len(line) - _WIDEST))
    window = line[start : start + _WIDEST]
    offset = max(0, min(column - 1 - start, len(window)))
    # A tab before the carets is repeated, so that they stand under the token however wide the terminal shows it.
    indent = "".join("\t" if sign == "\t" else " " for sign in visible(window[:offset]))
    under = visible(window[offset : offset + length])
    return visible(window), indent + "^" * max(1, min(length, len(window) - offset), len(under))


def _paint(text: str, tint: str, color: bool) -> str:
    return f"{tint}{text}{_PLAIN}" if color else text
