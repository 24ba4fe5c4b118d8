"""Records and objects as plugins see them, under the specification's method names too.

A record is a dictionary of JSON. An object shows the attributes that phases stored, else the properties that the
composition declares. A constraint (`applies`) is asked with the same view.
"""

import re
from collections.abc import Mapping, MutableMapping
from typing import Any

from tenuto.core.language.resolve import is_resolved
from tenuto.errors import PluginError
from tenuto.kit.well_formed import well_formed
from tenuto.model.ids import Json, JsonMap, LogicalId, PhysicalId
from tenuto.model.resource import ManagedObject


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
        return cls({_key(name): copied(value) for name, value in values.items()})

    def is_defined(self, name: str) -> bool:
        return self.get(name) is not None

    def get_as_string(self, name: str) -> str | None:
        """The value as text; None when it is not defined."""
        value = self.get(name)
        return None if value is None else str(value)

    def set_string(self, name: str, value: str) -> None:
        self[name] = str(value)


DEEPEST = 100
"""The levels of mappings and lists in a stored value. People write ten at most; a value that contains itself has no
end."""


def copied(value: Json, levels: int = DEEPEST) -> Json:
    """A copy that shares nothing with `value`, in well-formed texts. Raises TypeError for a value that JSON cannot
    hold."""
    if levels < 0:
        raise TypeError(f"a value of more than {DEEPEST} levels, or one that contains itself, cannot be stored")
    match value:
        case str():
            return well_formed(value)
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {_key(name): copied(item, levels - 1) for name, item in value.items()}
        case list() | tuple():
            return [copied(item, levels - 1) for item in value]
        case _:
            raise TypeError(f"{type(value).__name__} {value!r} cannot be stored; use text, numbers, lists and mappings")


def _key(name: object) -> str:
    if isinstance(name, str):
        return well_formed(name)
    raise TypeError(f"{name!r} cannot be the name of a stored value; names are text")


NAME = "Name"
"""The specification's name for the name of a resource, where no attribute or property is called so."""


class ResourceView(SpecificationNames):
    """A listener's resource, and the half of a phase's resource that reads. It works on copies."""

    def __init__(self, object: ManagedObject) -> None:  # noqa: A002
        self.object = object
        self.physical_id: PhysicalId | None = object.physical_id
        self._attributes: Record | None = None

    @property
    def name(self) -> str:
        return self.object.logical_id

    @property
    def logical_id(self) -> LogicalId:
        return self.object.logical_id

    @property
    def attributes(self) -> MutableMapping[str, Json]:
        """A copy, made when it is first asked for: most runs do not look."""
        if self._attributes is None:
            self._attributes = Record.copy_of(self.object.attributes)
        return self._attributes

    def __getitem__(self, name: str) -> Json:
        """The attribute, or else the declared property. Raises KeyError when there is neither."""
        if name in self.attributes:
            return self.attributes[name]
        if name == NAME and name not in self.object.desired:
            return self.name
        return self.object.desired[name]

    def is_defined(self, name: str) -> bool:
        return self._get(name) is not None

    def get_as_string(self, name: str) -> str | None:
        """The attribute, or declared property, as text; None when it is not defined.

        Raises PluginError for a declared property with a secret in it: its text would be that of a reference.
        """
        value = self._get(name)
        if not is_resolved(value):
            raise PluginError(
                f"{name} of {self.name} holds a secret, which plugins are not given. Give the plugin the name of a "
                "secret in a store of its own, and have it read the secret there"
            )
        return None if value is None else str(value)

    def _get(self, name: str) -> Json:
        try:
            return self[name]
        except KeyError:
            return None


class AskedResource(ResourceView):
    """The resource that a constraint is asked about. It has the fields of the object, too (`node.desired`)."""

    def __getattr__(self, name: str) -> Any:
        if hasattr(ManagedObject, name) and not name.startswith("_"):
            return getattr(self.object, name)
        return super().__getattr__(name)
