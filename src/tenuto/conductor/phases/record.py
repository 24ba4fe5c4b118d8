"""A JSON record, as plugins read and write it: a dictionary that also knows the specification's method names."""

import re
from collections.abc import Mapping
from typing import Any

from tenuto.model.ids import Json, JsonMap


class SpecificationNames:
    """Answers to the method names of the specification (`setCompleted`) by those in snake case (`set_completed`)."""

    def __getattr__(self, name: str) -> Any:
        ours = re.sub("([A-Z])", lambda found: f"_{found[1].lower()}", name)
        if ours == name or name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}", name=name, obj=self)
        return getattr(self, ours)


class Record(SpecificationNames, dict[str, Json]):
    """A plugin's own copy: writing to it changes nothing else until the run is saved."""

    @classmethod
    def copy_of(cls, values: JsonMap) -> "Record":
        return cls({name: copied(value) for name, value in values.items()})

    def is_defined(self, name: str) -> bool:
        return self.get(name) is not None

    def get_as_string(self, name: str) -> str | None:
        """The value as text; None when it is not defined."""
        value = self.get(name)
        return None if value is None else str(value)

    def set_string(self, name: str, value: str) -> None:
        self[name] = str(value)


def copied(value: Json) -> Json:
    """A copy that shares nothing with `value`. Raises TypeError for what JSON cannot hold."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return {_key(name): copied(item) for name, item in value.items()}
        case list() | tuple():
            return [copied(item) for item in value]
        case _:
            raise TypeError(f"{type(value).__name__} {value!r} cannot be stored; use text, numbers, lists and mappings")


def _key(name: object) -> str:
    if isinstance(name, str):
        return name
    raise TypeError(f"{name!r} cannot be the name of a stored value; names are text")
