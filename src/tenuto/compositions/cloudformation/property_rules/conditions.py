"""The conditions of a rule: words that properties must have, as they stand in the file."""

from collections.abc import Mapping

from tenuto.compositions.diagnostics.nodes import Broken, Entry, Fields, Items, Node, Scalar

ABSENT = ""
"""The word of a condition for a property that is not declared."""
DECLARED = frozenset({"*"})
"""The words for one that is declared, with any value."""

When = Mapping[str, frozenset[str]]
"""By property, or dotted member of one: the words, in small letters, of which it must have one."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split(" "))


def unless(text: str = "") -> frozenset[str]:
    """The words of a text, and that of a property that is not declared."""
    return words(text) | {ABSENT}


def reasons(mapping: Fields, when: When) -> tuple[str, ...] | None:
    """The conditions as parts of a sentence where all of them hold; None where one does not, or is not known."""
    found = tuple(_reason(mapping, name, accepted) for name, accepted in when.items())
    told = tuple(one for one in found if one is not None)
    return told if len(told) == len(found) else None


def is_declared(entry: Entry | None) -> bool:
    """Whether the property surely has a value. An empty list or text is none, and a broken one may have none."""
    match entry.value if entry else None:
        case None | Broken() | Items(items=()) | Scalar(text=""):
            return False
    return True


def _reason(mapping: Fields, path: str, accepted: frozenset[str]) -> str | None:
    name, _, rest = path.partition(".")
    entry = mapping.entry(name)
    if entry is None:
        return f"{path} is not declared" if ABSENT in accepted else None
    if rest:
        return _reason(entry.value, rest, accepted) if isinstance(entry.value, Fields) else None
    if accepted >= DECLARED:
        return f"{name} is declared" if is_declared(entry) else None
    found = _word(entry.value)
    return f"{name} is {found}" if found is not None and found.lower() in accepted else None


def _word(value: Node) -> str | None:
    """The word of a property, or the only one of a list; None for one that is not known."""
    if isinstance(value, Items) and len(value.items) == 1:
        value = value.items[0]
    return value.text if isinstance(value, Scalar) else None
