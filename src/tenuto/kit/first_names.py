"""The first of many names, for messages that must stay short."""

from collections.abc import Sequence


def first_of(names: Sequence[str], most: int) -> str:
    """The first `most` of the names with commas between them, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
