"""Tables: fitted to a terminal; whole and plain where a program or a file reads.

Columns without any value are left out. Messages have no bound of their own: a caller that puts one into a table cuts it
first, and shows it whole elsewhere. Rich is not used for this: it costs a tenth of a second to load, more than all
the rest of a `status`, and wraps where a cut reads better.
"""

import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence

from tenuto.cli.terminal.columns import beginning, columns, end, padded
from tenuto.kit.visible import visible

_GAP = "  "
_LONGEST_MESSAGE = 100
"""About a line of prose. Only where there is no terminal: a terminal's width cuts sooner."""
MEDIUM = 100
"""Below so many columns, tables leave out values that are the same in most rows."""
NARROW = 70
"""Below so many columns, a row of a wide table is a block of lines."""
_MOST_NARROW_COLUMNS = 5
"""More columns than these have some eight letters each in a narrow terminal, which are no words any more."""
_MOST_CUT = 2
"""Columns that may be cut in a table. Of more, each would lose its use for a reader."""
_NARROWEST = 8
"""The least width of a column: less could not be recognised."""


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int | None = None,
    blank: bool = False,
    whole: Collection[str] = (),
    has_blocks: bool = False,
    is_redrawn: bool = False,
    named: str = "",
) -> str:
    """The table as text, with its `blank` columns too when asked for; empty when there are no rows.

    `width` is the room there is, None for no limit. `whole` are the headings of columns that are never cut: ids,
    which are copied, and states, which are looked for. Where there is little room, each row is a block of lines: with
    `has_blocks` always, and else when the columns would be too many to be read, or do not fit; and in a wider terminal
    where it would break the lines, or more than two columns would be cut. A table that
    `is_redrawn` has one line a row however little room there is. A block begins with the column `named`, by which a
    reader looks for it.
    """
    if not rows:
        return ""
    shown = [index for index in range(len(headings)) if blank or any(row[index] for row in rows)]
    named_first = sorted(shown, key=lambda index: headings[index] != named) if named else shown
    narrow = width if width is not None and width < NARROW and not is_redrawn else None
    if narrow is not None and (has_blocks or len(shown) > _MOST_NARROW_COLUMNS):
        return _blocks(headings, rows, named_first, narrow)
    cells = [[_cell(row, index) for index in shown] for row in (headings, *rows)]
    widths = [max(columns(line[index]) for line in cells) for index in range(len(shown))]
    if narrow is not None and sum(widths) + len(_GAP) * (len(widths) - 1) > narrow:
        return _blocks(headings, rows, named_first, narrow)
    if width is not None:
        kept = {position for position, index in enumerate(shown) if headings[index] in whole}
        wanted, widths = widths, _squeezed(widths, width, kept)
        if not is_redrawn and _is_spoiled(wanted, widths, width):
            return _blocks(headings, rows, named_first, width)
    rule = ["-" * found for found in widths]
    return "\n".join(_line(line, widths) for line in (cells[0], rule, *cells[1:]))


def shortened(text: str, most: int = _LONGEST_MESSAGE) -> str:
    """A message as a cell of a table: the beginning, which tells the error."""
    line = _one_line(text)
    return line if columns(line) <= most else f"{beginning(line, most - 1)}…"


def message_cell(text: str, width: int | None) -> str:
    """A message as a cell of a table that is blocks of lines in a narrow terminal: these have room for all of it."""
    return _one_line(text) if width is not None and width < NARROW else shortened(text)


def told_whole(messages: Iterable[tuple[str, str]], *, width: int | None = None) -> str:
    """Return the text below a table: the messages that a person must act on and that its cells have shortened, each
    with its name.
    """
    lines = [f"{name}: {_one_line(text)}" for name, text in messages if shortened(text) != _one_line(text)]
    return "\n".join(filled(line, width, indent=len(_GAP)) for line in lines)


def filled(line: str, width: int | None, *, indent: int = 0) -> str:
    """A line of prose, broken between words where it is wider than the terminal; all but the first are indented.

    A word that is longer than a line stays whole: it is an id or a path, which is copied.
    """
    if width is None or len(line) <= width:
        return line
    lead = " " * (len(line) - len(line.lstrip(" ")))
    rest = " " * indent if indent else lead
    return textwrap.fill(
        line.strip(),
        max(width, indent + _NARROWEST),
        initial_indent=lead,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _blocks(headings: Sequence[str], rows: Sequence[Sequence[str]], shown: Sequence[int], width: int) -> str:
    """Each row as lines of a heading and a value, for a terminal on which no row would fit. Nothing is cut."""
    label = max(len(headings[index]) for index in shown) + len(_GAP)
    room = max(width - label, _NARROWEST)
    return "\n\n".join(
        "\n".join(_block(((headings[index], row[index]) for index in shown), label, room)) for row in rows
    )


def _block(cells: Iterable[tuple[str, str]], label: int, room: int) -> Iterator[str]:
    for heading, cell in cells:
        lines = textwrap.wrap(_one_line(cell), room, break_long_words=False, break_on_hyphens=False)
        for number, line in enumerate(lines):
            yield f"{'' if number else heading:<{label}}{line}"


def _squeezed(widths: list[int], room: int, whole: Collection[int]) -> list[int]:
    """Take from the widest column until all fit; those that must be whole give nothing."""
    fitted = list(widths)
    excess = sum(fitted) + len(_GAP) * (len(fitted) - 1) - room
    givers = [index for index in range(len(fitted)) if index not in whole]
    while excess > 0 and givers and max(fitted[index] for index in givers) > _NARROWEST:
        widest = max(givers, key=lambda index: fitted[index])
        fitted[widest] -= 1
        excess -= 1
    return fitted


def _is_spoiled(wanted: Sequence[int], fitted: Sequence[int], room: int) -> bool:
    """Whether lines would still be wider than the terminal, or so many of their cells cut that none tells much."""
    cut = sum(one < whole for one, whole in zip(fitted, wanted, strict=True))
    return cut > _MOST_CUT or sum(fitted) + len(_GAP) * (len(fitted) - 1) > room


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    parts = [
        padded(cell if columns(cell) <= width else _cut(cell, width), width)
        for cell, width in zip(cells, widths, strict=True)
    ]
    return _GAP.join(parts).rstrip()


def _cut(cell: str, width: int) -> str:
    """The beginning of a cell; of a type its end, which tells it from others of its cloud."""
    is_type = "::" in cell and " " not in cell
    return f"…{end(cell, width - 1)}" if is_type else f"{beginning(cell, width - 1)}…"


def _cell(row: Sequence[str], index: int) -> str:
    """A cell of one line. The first one of a row keeps its indentation: it may be a branch of a tree."""
    text = _one_line(row[index])
    return text if index else f"{' ' * (len(row[0]) - len(row[0].lstrip(' ')))}{text}"


def _one_line(text: str) -> str:
    """The text as it is going to be shown."""
    return visible(" ".join(text.split()))
