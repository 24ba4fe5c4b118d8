"""The resource types of all providers: two providers may bring a type of one name.

A name such as `Cloud.Node` says what a thing is for, and not who makes it. So no question about a type is answered by
its name alone: an object has a provider, and a process has one, and the facts are those that this provider states.
"""

from collections.abc import Iterator, Mapping

from tenuto.model.ids import Partition, TypeName
from tenuto.model.resource import ManagedObject, ResourceType

Place = tuple[str, Partition, TypeName]
"""The provider, the partition and the type: where sweeps show a thing."""
_NONE: Mapping[TypeName, ResourceType] = {}


class ProviderTypes:
    """The facts of each type of each provider, in the order of the providers. Never changes."""

    def __init__(self, by_provider: Mapping[str, Mapping[TypeName, ResourceType]]) -> None:
        self._by_provider = dict(by_provider)

    def of(self, provider: str | None) -> Mapping[TypeName, ResourceType]:
        """The types of one provider by name; none for a provider that is not known, or for an object without one."""
        return _NONE if provider is None else self._by_provider.get(provider, _NONE)

    def facts(self, found: ManagedObject) -> ResourceType:
        """Return what the object's own provider says of its type. Raises KeyError for a type that it
        does not manage.
        """
        return self.of(found.provider)[found.type]

    def manages(self, found: ManagedObject) -> bool:
        """Whether the object's own provider brings its type."""
        return found.type in self.of(found.provider)

    def bringing(self, name: TypeName) -> tuple[str, ...]:
        """The providers that bring a type of this name."""
        return tuple(provider for provider, types in self._by_provider.items() if name in types)

    def by_name(self) -> dict[TypeName, ResourceType]:
        """Each name once, as the first provider states it: for lists, and for what is the same with all of them."""
        found: dict[TypeName, ResourceType] = {}
        for types in self._by_provider.values():
            for name, facts in types.items():
                found.setdefault(name, facts)
        return found

    def __iter__(self) -> Iterator[ResourceType]:
        return (facts for types in self._by_provider.values() for facts in types.values())


def place_of(found: ManagedObject) -> tuple[str, Partition, TypeName]:
    """Return the place in which sweeps look for a thing of the object's type: provider, partition, type."""
    return found.provider or "", found.partition, found.type
