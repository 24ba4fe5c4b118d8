"""XML that one thing has damaged for all: characters that XML cannot carry are shown as U+FFFD.

A user who can tag a thing in the account can write a control character into a tag. A provider that sends it back as it
is makes an answer that no parser takes, and with it everything else on the same page would be unknown: nothing would be
repaired in that account and region. So such an answer is read without these characters. An answer that still cannot be
read is damaged otherwise, and stays refused.
"""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from botocore.parsers import ResponseParserError

_RAW = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]|\xed[\xa0-\xbf][\x80-\xbf]")
"""In UTF-8; the last two are U+FFFE and U+FFFF, and halves of surrogate pairs."""
_REFERENCE = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,10}));")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}".encode()
_ALLOWED = (range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000))
_WHITESPACE = frozenset({0x9, 0xA, 0xD})


def parsed_xml(parse: Callable[[bytes], Any], text: bytes) -> Any:
    """The document that `parse` makes of a text. Raises the error of `parse` when there is none."""
    try:
        return parse(text)
    except (ResponseParserError, ElementTree.ParseError):
        plain = readable(text)
        if plain == text:
            raise
        return parse(plain)


def readable(text: bytes) -> bytes:
    """Return the text without the characters that XML 1.0 cannot carry, raw and as references."""
    return _REFERENCE.sub(_reference, _RAW.sub(_REPLACEMENT, text))


def _reference(found: re.Match[bytes]) -> bytes:
    code = int(found[1], 16) if found[1] else int(found[2])
    is_character = code in _WHITESPACE or any(code in allowed for allowed in _ALLOWED)
    return found[0] if is_character else _REPLACEMENT
