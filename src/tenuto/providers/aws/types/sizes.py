"""Sizes of machines that may be declared in processors and gigabytes, and are shown in the parts of these."""

from collections.abc import Iterable

from tenuto.model.spelling import Words

_PARTS = 1024
"""The units of CPU in a processor, and the MiB in a gigabyte."""


def sizes(unit: str, whole: Iterable[float]) -> Words:
    """The sizes in larger units (`.25 vCPU`, `0.5GB`), which a service shows as whole numbers of the smaller ones.
    `unit` is in small letters."""
    said = {
        f"{word}{space}{unit}": f"{int(one * _PARTS)}"
        for one in whole
        for word in (f"{one:g}", f"{one:g}".removeprefix("0"))
        for space in ("", " ")
    }
    return Words(same=said, is_folded=True)
