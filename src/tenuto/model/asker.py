"""The asker of the present work: a user by a request, or the Conductor."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """`name` is the actor that the history keeps; `request` is the id of the API request, empty where none asked."""

    name: str
    request: str = ""
