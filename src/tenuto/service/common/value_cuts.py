"""Cuts of long texts that differ: the shown parts of two of them never look the same.

A text is cut at its end, with the count of the missing characters. Two long texts often differ behind the cut: a policy
with another last statement, two names of AWS that differ in their last letters. Side by side they would read like one
text that stays, so they are cut from a little before the place where they differ.
"""

from operator import ne


def cut(text: str, width: int | None) -> str:
    """The beginning of a text, with the count of the missing characters."""
    if width is None or len(text) <= width:
        return text
    return f"{text[:width]}… ({len(text) - width} more characters)"


def cut_inside(text: str, width: int) -> str:
    """The beginning and the end of a text, with the count of the missing characters between them."""
    half = width // 2
    return f"{text[:half]}… ({len(text) - 2 * half} more characters) …{text[-half:]}"


def cut_sides(first: str, second: str, width: int | None) -> tuple[str, str]:
    """Two texts, each cut: where the cuts would be the same text twice, from a little before they differ."""
    if width is None or first == second or first[:width] != second[:width]:
        return cut(first, width), cut(second, width)
    same = next((at for at, differs in enumerate(map(ne, first, second)) if differs), min(len(first), len(second)))
    start = same - width // 4
    lead = f"({start} equal characters) …"
    return f"{lead}{cut(first[start:], width)}", f"{lead}{cut(second[start:], width)}"


def lines_of(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines of two texts. Only a line feed ends one, so other ends of lines and a missing last one are told."""
    has_end = before.endswith("\n") and after.endswith("\n")
    first, second = (text.removesuffix("\n") if has_end else text for text in (before, after))
    return first.split("\n"), second.split("\n")
