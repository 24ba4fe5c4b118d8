"""The columns that a text takes on a terminal.

Letters of East Asia and most emoji take two, a mark that combines with the letter before it takes none (Unicode's
Standard Annex 11). Tables are measured in columns: counted in characters, each such letter would push the rest of its
line aside.
"""

from collections.abc import Iterable
from itertools import accumulate
from unicodedata import combining, east_asian_width

_WIDE = ("W", "F")


def columns(text: str) -> int:
    """The columns of a text of one line, whose characters are all visible."""
    return len(text) if text.isascii() else sum(map(_width, text))


def padded(text: str, width: int) -> str:
    """The text with spaces up to so many columns."""
    return text + " " * (width - columns(text))


def beginning(text: str, width: int) -> str:
    """The beginning of a text that fits into so many columns."""
    return text[:width] if text.isascii() else text[: _fitting(text, width)]


def end(text: str, width: int) -> str:
    """The end of a text that fits into so many columns."""
    fitting = width if text.isascii() else _fitting(reversed(text), width)
    return text[max(0, len(text) - fitting) :]


def _fitting(characters: Iterable[str], width: int) -> int:
    """The number of the first characters that fit. A mark stays with the letter before it."""
    return sum(taken <= width for taken in accumulate(map(_width, characters)))


def _width(character: str) -> int:
    if combining(character):
        return 0
    return 2 if east_asian_width(character) in _WIDE else 1
