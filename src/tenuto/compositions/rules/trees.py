"""The trees that the library makes of an expression, and which texts it can read in bounded time."""

import re
from typing import Any, Final

_LINKS = frozenset(
    {"expr", "conditionalor", "conditionaland", "relation", "addition", "multiplication", "unary", "member"}
)
_BETWEEN: Final = re.compile(r"""[^"'/]+|//[^\n]*|/""")
_TEXT: Final = {
    quote: re.compile(inside, re.DOTALL)
    for quote, inside in {
        '"""': r'(?:[^"\\]|\\.|"(?!""))*"""',
        "'''": r"(?:[^'\\]|\\.|'(?!''))*'''",
        '"': r'(?:[^"\\\n]|\\[^\n])*"',
        "'": r"(?:[^'\\\n]|\\[^\n])*'",
    }.items()
}
"""The rest of a text after its quote. No two branches begin with the same character: there is nothing to try again."""


class UnusableError(Exception):
    """A part of an expression that can never have a value. The message says why, and `place` is its token."""

    def __init__(self, message: str, place: Any) -> None:
        super().__init__(message)
        self.place = place


def unlinked(tree: Any) -> Any:
    """The first node below that says something: each level of CEL's grammar is a node, most with one child."""
    while tree.data in _LINKS and len(tree.children) == 1:
        tree = tree.children[0]
    return tree


def primary(tree: Any) -> Any:
    return tree.children[0] if tree.data == "primary" else tree


def endless_text(text: str) -> int | None:
    """Return the offset of a quoted text that has no end; None when each has one.

    The library finds out as well, but by trying each way to read each backslash: forty of them take it a day, in which
    no other thread runs.
    """
    at = 0
    while at < len(text):
        between = _BETWEEN.match(text, at)
        if between:
            at = between.end()
            continue
        quote = next(one for one in _TEXT if text.startswith(one, at))
        rest = _TEXT[quote].match(text, at + len(quote))
        if rest is None:
            return at
        at = rest.end()
    return None
