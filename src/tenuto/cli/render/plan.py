"""Plans and explanations as text for people."""

from collections.abc import Sequence

import click

from tenuto.cli.terminal.tables import MEDIUM, filled
from tenuto.cli.terminal.terminal import terminal_width
from tenuto.model.ids import JsonMap
from tenuto.service.common.value_diff import WIDTH
from tenuto.service.views.plan_text import operations_text, plan_text

_TINTS = {"+": "green", "~": "yellow", "±": "magenta", "-": "red", "←": "cyan", "!": "red", "…": "blue"}


def render_plan(document: JsonMap, *, is_whole: bool = False) -> str:
    """A plan, its lines coloured by their sign (the terminal's own switch strips colour where there is none).

    Long values are cut and many operations that are alike are one line, unless it is to be whole. Lines are broken
    between words on a terminal, where a narrow one is told the types without the name of their cloud.
    """
    width = terminal_width()
    lines = plan_text(document, width=None if is_whole else WIDTH, is_folded=not is_whole).splitlines()
    return "\n".join(_tinted(line if is_whole else _fitted(line, width)) for line in lines)


def render_operations(operations: Sequence[JsonMap], *, is_whole: bool = False, is_folded: bool = True) -> str:
    """The operations of a saved plan, set like those of `render_plan`; each on lines of its own unless `is_folded`."""
    width = terminal_width()
    is_folded = is_folded and not is_whole
    lines = operations_text(operations, width=None if is_whole else WIDTH, is_folded=is_folded).splitlines()
    return "\n".join(_tinted(line if is_whole else _fitted(line, width)) for line in lines)


def _fitted(line: str, width: int | None) -> str:
    if width is None:
        return line
    if width < MEDIUM:
        line = line.replace("(AWS::", "(", 1).replace(" of AWS::", " of ", 1)
    return filled(line, width, indent=len(line) - len(line.lstrip(" ")) + 4)


def _tinted(line: str) -> str:
    if line.startswith("Plan:"):
        return click.style(line, bold=True)
    if "# forces replacement" in line:
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
