"""Text without characters that command a terminal or hide other text: each is shown as its escape.

A terminal obeys control characters wherever they come from: a name, a tag, an error of a provider. An escape sequence
moves the cursor, sets the title, writes the clipboard. Characters that turn the direction of writing, and those without
width, make a text look like another one. `visible` replaces them by escapes that a person can read: `\\x1b`, `\\u202e`.

Joiners of zero width have a use in some scripts. Here they are shown as well: in a name they make two names look alike.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

_HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 without tab and line feed, DEL, C1
    "\xad\u061c\u180e\u200b-\u200f\u2060-\u206f\ufeff\ufff9-\ufffb"  # no width, marks of direction
    "\u2028-\u202e"  # separators of lines, turns of direction
    "\ud800-\udfff"  # bytes that were no text
    "\U000e0000-\U000e007f"  # tags: a second text without width
    "]"
)
_BREAK = re.compile(r"[\r\n]\s*")
_VALUES = frozenset({"changes", "declared", "live"})


def visible(text: str) -> str:
    """The text with an escape in the place of each control or hidden character. Line feeds and tabs stay."""
    return _HIDDEN.sub(_escape, text)


def one_line(text: str) -> str:
    """The text as `visible` shows it, with a space in the place of each line break.

    Renderers put texts of others into lines of their own, such as a message of a plugin into a line of a status. A text
    that kept its line breaks could forge such a line.
    """
    return visible(_BREAK.sub(" ", text.strip("\r\n")))


def has_hidden(text: str) -> bool:
    """Whether `visible` would change the text."""
    return _HIDDEN.search(text) is not None


def visible_json(text: str) -> str:
    """A JSON text that means the same, with an escape of JSON in the place of each hidden character.

    All of them stand inside strings: between its values JSON has none.
    """
    return _HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def visible_document(document: Any, *, keeps_lines: bool = False) -> Any:
    """A document of the API whose texts, also its names, are `visible` in one line each (`one_line`), for a reader who
    shows it to people. `keeps_lines` is for documents that hold whole files, such as a policy.

    The members `changes`, `declared` and `live` are values: `service.common.value_diff` shows these as JSON. Escaped
    twice, a hidden character and a text that spells its escape would look the same.
    """
    return _shown(document, visible if keeps_lines else one_line)


def _shown(value: Any, show: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return show(value)
    if isinstance(value, Mapping):
        return {show(name): member if name in _VALUES else _shown(member, show) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(member, show) for member in value]
    return value


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
