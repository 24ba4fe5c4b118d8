"""A sealed value as it is stored."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedValue:
    """What is sealed, and of whom, in words: `process web`."""

    owner: str
    text: str
