"""Text without characters that command a terminal or hide other text: each is shown as its escape.

A terminal obeys control characters wherever they come from: a name, a tag, an error of a provider. An escape sequence
moves the cursor, sets the title, writes the clipboard. Characters that turn the direction of writing, and those without
width, make a text look like another one. `visible` replaces them by escapes that a person can read: `\\x1b`, `\\u202e`.

Joiners of zero width have a use in some scripts. Here they are shown as well: in a name they make two names look alike.
"""

import json
import re
from collections.abc import Collection, Mapping
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


def visible(text: str) -> str:
    """The text with an escape in the place of each control or hidden character. Line feeds and tabs stay."""
    return _HIDDEN.sub(_escape, text)


def has_hidden(text: str) -> bool:
    """Whether `visible` would change the text."""
    return _HIDDEN.search(text) is not None


def visible_json(text: str) -> str:
    """A JSON text that means the same, with an escape of JSON in the place of each hidden character.

    All of them stand inside strings: between its values JSON has none.
    """
    return _HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def visible_value(value: Any, apart: Collection[str] = ()) -> Any:
    """A copy of a JSON value in which every text, also of a name, is `visible`.

    Members of these names stay `apart` as they are: their reader shows them as JSON, with escapes of JSON. Escaped
    twice, a hidden character and a text that spells its escape would look the same.
    """
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {
            visible(name): member if name in apart else visible_value(member, apart) for name, member in value.items()
        }
    if isinstance(value, list | tuple):
        return [visible_value(member, apart) for member in value]
    return value


def visible_document(document: Any) -> Any:
    """A document of the API whose texts are `visible`, for a reader who shows it to people.

    The members `changes`, `declared` and `live` are values: `service.common.value_diff` shows these as JSON.
    """
    return visible_value(document, apart=("changes", "declared", "live"))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
