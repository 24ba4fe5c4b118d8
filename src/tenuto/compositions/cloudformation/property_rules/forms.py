"""Forms of values. A form answers with the end of a sentence about a text that AWS refuses, and is empty for others."""

import ipaddress
import re
from collections.abc import Callable

from tenuto.compositions.diagnostics.problems import listed

Form = Callable[[str], str]


def as_number(text: str) -> float | None:
    """The number that a text is; None for any other, and for one without end."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if abs(found) < float("inf") else None


def between(low: int, high: int) -> Form:
    """A number within bounds, both included."""
    return _number(lambda found: low <= found <= high, f"and must be a number from {low} to {high}")


def at_least(low: int) -> Form:
    """A number that is not smaller."""
    return _number(lambda found: low <= found, f"and must be at least {low}")


def one_of(text: str) -> Form:
    """One of the words, in small or capital letters: for many of them AWS makes no difference."""
    accepted = text.split(" ")
    folded = frozenset(one.casefold() for one in accepted)
    told = f"and must be one of {listed(accepted)}" if len(accepted) > 1 else f"and must be {text}"
    return lambda value: "" if value.casefold() in folded else told


def fits(pattern: str, told: str) -> Form:
    """A text that the whole pattern matches; `told` goes on after the word must."""
    compiled = re.compile(pattern, re.DOTALL)
    return lambda value: "" if compiled.fullmatch(value) else f"and must {told}"


def begins(beginning: str) -> Form:
    """A text with such a beginning."""
    return fits(f"{re.escape(beginning)}.*", f"begin with {beginning}")


def all_of(*forms: Form) -> Form:
    """The first thing that one of the forms tells."""
    return lambda value: next((told for form in forms if (told := form(value))), "")


def prefix_length(shortest: int, longest: int) -> Form:
    """A block of IPv4 of such a size. The schema reports a text that is no block."""

    def form(text: str) -> str:
        try:
            found = ipaddress.ip_network(text, strict=False).prefixlen if "/" in text and ":" not in text else None
        except ValueError:
            return ""
        if found is None or shortest <= found <= longest:
            return ""
        return f"and must have a prefix from /{shortest} to /{longest}"

    return form


def _number(is_good: Callable[[float], bool], told: str) -> Form:
    """A number that is good. A text that is no number is left to the schema."""

    def form(text: str) -> str:
        found = as_number(text)
        return "" if found is None or is_good(found) else told

    return form
