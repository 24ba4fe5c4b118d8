"""A sealed value as it is stored."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedValue:
    """A sealed value, and its owner in words: `process web`."""

    owner: str
    text: str
