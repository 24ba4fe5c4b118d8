"""Plans and explanations as text for people."""

from collections.abc import Iterable, Sequence

import click

from tenuto.cli.terminal.tables import MEDIUM, filled
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.model.ids import JsonMap
from tenuto.service.common.value_diff import WIDTH
from tenuto.service.views.plan_text import PlanLine, operation_lines, plan_lines

_TINTS = {"+": "green", "~": "yellow", "±": "magenta", "-": "red", "←": "cyan", "!": "red", "…": "blue"}
_GAP = "  "


def render_plan(document: JsonMap, *, is_whole: bool = False) -> str:
    """A plan, its lines coloured by their sign (the terminal's own switch strips colour where there is none).

    Long values are cut and many operations that are alike are one line, unless it is to be whole. Lines are broken
    between words on a terminal, where a narrow one is told the types without the name of their cloud.
    """
    return _rendered(plan_lines(document, None if is_whole else WIDTH, is_folded=not is_whole), is_whole=is_whole)


def render_operations(operations: Sequence[JsonMap], *, is_whole: bool = False, is_folded: bool = True) -> str:
    """The operations of a saved plan, set like those of `render_plan`; each on lines of its own unless `is_folded`."""
    lines = operation_lines(operations, None if is_whole else WIDTH, is_folded=is_folded and not is_whole)
    return _rendered(lines, is_whole=is_whole)


def _rendered(lines: Iterable[PlanLine], *, is_whole: bool) -> str:
    width = None if is_whole else terminal_width()
    return "\n".join(_set(line, width) for line in lines)


def _set(line: PlanLine, width: int | None) -> str:
    """A line with its place at the right edge of the terminal: on its last row, or below it where that is too long."""
    text = "\n".join(_fitted(one, width) for one in line.text.splitlines())
    if not line.place:
        return _tinted(text)
    place = click.style(line.place, dim=True)
    if width is None:
        return f"{_tinted(text)}{_GAP}{place}"
    last = len(text.rpartition("\n")[2])
    free = width - last - len(line.place)
    if free < len(_GAP):
        return f"{_tinted(text)}\n{' ' * max(0, width - len(line.place))}{place}"
    return f"{_tinted(text)}{' ' * free}{place}"


def _fitted(line: str, width: int | None) -> str:
    if width is None:
        return line
    if width < MEDIUM:
        line = line.replace("(AWS::", "(", 1).replace(" of AWS::", " of ", 1)
    return filled(line, width, indent=len(line) - len(line.lstrip(" ")) + 4)


def _tinted(line: str) -> str:
    if line.startswith("Plan"):
        return click.style(line, bold=True)
    if line.endswith(("# forces replacement", "# may interrupt it")):
        return click.style(line, fg="magenta")
    tint = _TINTS.get(line[:1])
    return click.style(line, fg=tint) if tint else line


def render_explanation(document: JsonMap) -> str:
    width = terminal_width()
    lines = [f"Process {document['alias'] or document['fid']}"]
    lines += [filled(f"  {line}", width) for line in document["process"]]
    for name, told in document["resources"].items():
        lines += ["", name, *(filled(f"  {line}", width) for line in told)]
    return "\n".join(lines)
