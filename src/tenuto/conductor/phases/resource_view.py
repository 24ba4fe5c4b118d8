"""An object as plugins see it: attributes that phases stored, else the properties that the composition declares."""

from collections.abc import MutableMapping

from tenuto.conductor.phases.record import Record, SpecificationNames
from tenuto.model.ids import Json, LogicalId, PhysicalId
from tenuto.model.resource import ManagedObject

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
        """The attribute, or declared property, as text; None when it is not defined."""
        value = self._get(name)
        return None if value is None else str(value)

    def _get(self, name: str) -> Json:
        try:
            return self[name]
        except KeyError:
            return None
