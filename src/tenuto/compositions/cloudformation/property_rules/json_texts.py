"""Texts that AWS reads as JSON documents: policies, definitions of state machines, bodies of dashboards, patterns."""

import json
import re

from tenuto.compositions.cloudformation.property_rules.forms import Form
from tenuto.model.ids import Json

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_PLACE = "${"


def document(*, is_substituted: bool = False) -> Form:
    """A JSON object. In a text that `is_substituted`, AWS puts values in the place of names such as `${Name}`: one that
    has such a name outside of its strings is left to AWS."""

    def form(text: str) -> str:
        if is_substituted and _PLACE in _TEXT.sub("", text):
            return ""
        return fault_of(text)

    return form


def fault_of(text: str) -> str:
    """The end of a sentence about a text that is no JSON object; empty for one that is."""
    try:
        found = _read(text)
    except json.JSONDecodeError as error:
        told = error.msg[:1].lower() + error.msg[1:]
        return f"and must be JSON: at its line {error.lineno}, column {error.colno}, {told}"
    except (ValueError, RecursionError):
        return "and must be JSON: it has a number that is too long, or is nested too deeply"
    return "" if isinstance(found, dict) else "and must be a JSON object, in braces"


def parsed(text: str) -> Json:
    """The JSON object that the text is; None for any other text."""
    return None if fault_of(text) else _read(text)


def _read(text: str) -> Json:
    """The value of a JSON text. Line breaks in strings, as folded YAML leaves them, are left to AWS."""
    return json.loads(text, strict=False)
