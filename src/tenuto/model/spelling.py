"""Older words of a mapping for which the provider shows newer ones: both may be declared, and mean the same."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """The older words of one mapping. A provider gives it for a property in `ResourceType.compare_as`."""

    members: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Older properties, each with the newer mapping that holds its value and the member of it."""
    items: Mapping[str, str] = field(default_factory=dict)
    """Older properties, each with the newer list of which its value is one more item."""
