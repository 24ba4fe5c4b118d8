"""Texts that no provider can show again, and texts that are too long for a tag, in every property.

A character that XML 1.0 cannot carry is taken by some providers and damages every answer that it is in later, also the
answers about other things. So it is refused before anything is made. The limits of tags are those of AWS for every
service; not every schema states them.
"""

import re
from collections.abc import Iterator, Sequence

from tenuto.compositions.diagnostics import codes
from tenuto.compositions.diagnostics.codes import Code
from tenuto.model.ids import Json

_UNSHOWN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
"""https://www.w3.org/TR/xml/#charsets: all but tab, line feed and carriage return below the space."""
_TAG_LIMITS = {"Key": 128, "Value": 256}


def text_faults(value: Json, path: Sequence[str]) -> Iterator[tuple[Code, str]]:
    """The faults of a text at a property path, each as a code and a detail."""
    if not isinstance(value, str):
        return
    name = ".".join(path)
    if found := _UNSHOWN.search(value):
        detail = f"{name} holds U+{ord(found[0]):04X} at character {found.start() + 1}, which no answer can carry."
        yield codes.UNSHOWN_CHARACTER, detail
    if len(path) == 3 and path[0] == "Tags" and path[1].isdecimal():
        longest = _TAG_LIMITS.get(path[2], len(value))
        if len(value) > longest:
            detail = f"{name} has {len(value)} characters, and a tag's {path[2].lower()} has at most {longest}."
            yield codes.PROPERTY_LENGTH, detail
