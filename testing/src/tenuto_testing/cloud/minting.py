"""Texts that fit a regular expression of AWS's schemas, for the ids that its services make.

The text is a function of the expression and of a seed, so that another thing has another id. Only the parts of regular
expressions that schemas use are understood; for any other there is no text.
"""

import hashlib
import importlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

words: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_./:+=@ "
"""The letters to choose from, those first that stand in ids."""
_SHORTEST_CHOICE = 9
"""The number of repeats where the expression allows more or fewer: enough to be another text for each seed."""
_PLACELESS = {words.AT, words.ASSERT, words.ASSERT_NOT}


def minted(pattern: str, seed: str) -> str | None:
    """A text that the whole pattern matches; None when none was found."""
    digits = _digits(seed)
    try:
        text = "".join(_made(parser.parse(pattern), digits))
    except (re.error, NotImplementedError):
        return None
    return text if re.search(pattern, text) else None


def _digits(seed: str) -> Iterator[int]:
    number = 0
    while True:
        yield from hashlib.sha256(f"{seed}/{number}".encode()).digest()
        number += 1


def _made(parts: Sequence[Any], digits: Iterator[int]) -> Iterator[str]:
    for kind, value in parts:
        if kind is words.LITERAL:
            yield chr(value)
        elif kind in (words.IN, words.NOT_LITERAL, words.ANY):
            yield _letter(kind, value, digits)
        elif kind in (words.MAX_REPEAT, words.MIN_REPEAT):
            least, most, inner = value
            for _ in range(min(int(most), max(least, _SHORTEST_CHOICE)) if least or most != 1 else 0):
                yield from _made(inner, digits)
        elif kind is words.SUBPATTERN:
            yield from _made(value[-1], digits)
        elif kind is words.BRANCH:
            yield from _made(value[1][next(digits) % len(value[1])], digits)
        elif kind not in _PLACELESS:
            raise NotImplementedError(str(kind))


def _letter(kind: Any, value: Any, digits: Iterator[int]) -> str:
    if kind is words.IN:
        choice = [one for one in _LETTERS if _is_in(value, one)]
    else:
        choice = [one for one in _LETTERS if kind is words.ANY or one != chr(value)]
    if not choice:
        raise NotImplementedError("a class of other letters")
    # Ids are mostly of digits and small letters.
    plain = [one for one in choice if one.isalnum()] or choice
    return plain[next(digits) % len(plain)]


_CATEGORIES = {
    words.CATEGORY_DIGIT: r"\d",
    words.CATEGORY_NOT_DIGIT: r"\D",
    words.CATEGORY_WORD: r"\w",
    words.CATEGORY_NOT_WORD: r"\W",
    words.CATEGORY_SPACE: r"\s",
    words.CATEGORY_NOT_SPACE: r"\S",
}


def _is_in(members: Sequence[Any], letter: str) -> bool:
    is_turned = bool(members) and members[0][0] is words.NEGATE
    found = any(
        (kind is words.LITERAL and chr(value) == letter)
        or (kind is words.RANGE and value[0] <= ord(letter) <= value[1])
        or (kind is words.CATEGORY and re.match(_CATEGORIES[value], letter) is not None)
        for kind, value in members
    )
    return found is not is_turned
