"""Regular expressions that users write, compiled and searched in bounded time and memory.

Python's own engine goes back and tries again: `(a+)+$` on thirty characters takes a minute, in which no other thread
runs. RE2 does not go back. Its time is the length of the text times the size of the pattern, and its memory is limited.

A pattern that RE2 cannot search is refused (backreferences, a look to the side within a pattern), with one exception
that templates do need: passwords are demanded as `^(?=.*[A-Z])(?=.*[0-9]).{8,}$`. Looks ahead at the very beginning are
conditions on the whole text, so each of them is a pattern of its own, and RE2 can ask one after the other.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import re2

_LONGEST: Final = 4096
"""Characters of a pattern. A composition may hold some thousands of patterns."""
_MEMORY: Final = 256 * 1024
"""The most bytes of one compiled pattern, with its memory for searching: ten thousand instructions or so. re2 itself
keeps up to 128 compiled patterns."""
_MOST_CONDITIONS: Final = 16
_CONDITION = re.compile(r"\(\?([=!])")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_INTERSECTION = re.compile(r"\[[^\]]*&&")


class PatternError(Exception):
    """A pattern that is not used. The message says why, without the pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A compiled pattern. `conditions` are looks ahead at its beginning, and whether they must be true."""

    body: Any
    conditions: tuple[tuple[Any, bool], ...] = ()

    @property
    def instructions(self) -> int:
        """The size of the compiled pattern: a search takes at most so many steps for each character."""
        return sum(one.programsize for one in (self.body, *(condition for condition, _ in self.conditions)))

    def is_in(self, text: str) -> bool:
        """Whether the pattern is found somewhere in the text."""
        return self._meets(text) and self.body.search(text) is not None

    def is_all_of(self, text: str) -> bool:
        """Whether the whole text matches the pattern."""
        return self._meets(text) and self.body.fullmatch(text) is not None

    def _meets(self, text: str) -> bool:
        return all((condition.match(text) is not None) is wanted for condition, wanted in self.conditions)


@lru_cache(maxsize=128)
def compile_pattern(pattern: str, *, is_for_all: bool = False) -> Pattern:
    """Compile a pattern. Raises PatternError when RE2 cannot, or when it is too large.

    `is_for_all` says that only `is_all_of` will be asked: then a pattern begins at the beginning without saying so.
    """
    if len(pattern) > _LONGEST:
        raise PatternError(f"it has {len(pattern):,} characters, and {_LONGEST:,} are allowed")
    if _INTERSECTION.search(pattern):
        raise PatternError("RE2 has no intersection of character classes (&&), and would read it as two characters")
    conditions, body = _split(f"^{pattern}" if is_for_all and pattern.startswith("(?") else pattern)
    return Pattern(
        body=_compiled(body), conditions=tuple((_compiled(condition), wanted) for condition, wanted in conditions)
    )


def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False  # else the library writes to the standard error by itself
    options.max_mem = _MEMORY
    try:
        return re2.compile(_ESCAPE.sub(_respelled, pattern), options)
    except UnicodeEncodeError:
        raise PatternError("it holds characters that no text can have") from None
    except re2.error as error:
        raise PatternError(_told(error.args[0] if error.args else b"")) from None


def _respelled(escape: re.Match[str]) -> str:
    """Return an escape as RE2 spells it: it writes the end of the text and a character's number in ways of its own."""
    if len(escape[1]) > 1:
        return f"\\x{{{escape[1][1:]}}}"
    return r"\z" if escape[1] == "Z" else escape[0]


def _told(said: Any) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
    reason = text.split(":")[0]
    if "too large" in reason or "invalid repetition size" in reason:
        return "it is too large (RE2 repeats at most 1,000 times, and compiles into 256 KiB)"
    if "perl operator" in reason:
        return f"RE2 has no {text.removeprefix(reason)[2:]}…), except at the very beginning"
    if "invalid escape" in reason:
        return f"RE2 has no {text.removeprefix(reason)[2:]}"
    return reason


def _split(pattern: str) -> tuple[list[tuple[str, bool]], str]:
    """The looks ahead at the beginning of an anchored pattern, and the rest of it."""
    if not pattern.startswith("^") or _has_choice(pattern):
        return [], pattern
    conditions: list[tuple[str, bool]] = []
    at = 1
    while (found := _CONDITION.match(pattern, at)) and len(conditions) < _MOST_CONDITIONS:
        end = next((place for place, depth in _depths(pattern, at) if depth == 0), None)
        if end is None:
            break
        conditions.append((pattern[found.end() : end], found[1] == "="))
        at = end + 1
    return conditions, f"^{pattern[at:]}"


def _has_choice(pattern: str) -> bool:
    """Whether the pattern is `a|b` at its top, so that its beginning belongs to one side only."""
    return any(depth == 0 and pattern[place] == "|" for place, depth in _depths(pattern, 0))


def _depths(pattern: str, start: int) -> Iterator[tuple[int, int]]:
    """Each place outside of a character class, and how many parentheses are open after it."""
    depth, at, in_class = 0, start, -1
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 1
        elif in_class >= 0:
            if character == "]" and at > in_class + 1:
                in_class = -1
        elif character == "[":
            in_class = at + 1 if pattern.startswith("^", at + 1) else at
        else:
            depth += (character == "(") - (character == ")")
            yield at, depth
        at += 1
