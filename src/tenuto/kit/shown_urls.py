"""URLs as they are shown: without the password that one may hold, in a message, a setting or the line of a start."""

import re

_PASSWORD = re.compile(r"(://[^/@:\s]*):[^/\s]+@")
"""A password may hold an unescaped `@`: the last one before the path ends it."""


def without_passwords(text: str) -> str:
    """The text with `****` in place of each password of a URL in it."""
    return _PASSWORD.sub(r"\1:****@", text)
