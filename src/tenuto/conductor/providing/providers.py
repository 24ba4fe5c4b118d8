"""Providers of a Conductor: the types that each brings, and the one that stands where one is missing.

*The absent provider.* A plugin may fail to load, or a Conductor may be started with other providers than before. The
processes of a provider that is missing must neither crash their jobs nor be taken for gone. So an AbsentProvider stands
where the provider would be: it knows the types that the store has seen, and refuses every question in a way that is
worth asking again. Nothing is observed then and nothing is done, jobs fail with a message that says what to do, and all
goes on when the provider is there again.

*The types.* Two providers may bring a type of one name. A name such as `Cloud.Node` tells the purpose of a thing, and
not its maker. So no question about a type is answered by its name alone: an object has a provider, and a process has
one, and the facts are those that this provider states.
"""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import NoReturn, cast

from tenuto.errors import TransientError
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.ids import Instant, Json, Partition, TypeName
from tenuto.model.observation import ObservedItem, Sweep, Tracked
from tenuto.model.outcome import Context, Outcome, Request
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.ports.accounts import CheckedSettings, GivenSettings
from tenuto.ports.provider import Provider
from tenuto.ports.store import Store

NOT_LOADED = "ProviderNotLoaded"


class AbsentProvider:
    """Implements `ports.provider.Provider`. Every call raises TransientError (`ProviderNotLoaded`)."""

    def __init__(self, name: str, types: Iterable[TypeName]) -> None:
        self.name = name
        self._types = {one: ResourceType(name=one, provider=name, source=one) for one in types}

    def types(self) -> Mapping[TypeName, ResourceType]:
        return self._types

    def context(self, partition: Partition) -> Context:
        self._refuse()

    def check_settings(self, settings: GivenSettings) -> CheckedSettings:
        self._refuse()

    def identify(self, account: Account) -> Identity:
        self._refuse()

    def credentials(self, account: str) -> KnownCredentials:
        return KnownCredentials()

    def lookup(self, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        self._refuse()

    def pointed_at(self, partition: Partition, names: Sequence[str], since: Instant) -> Mapping[str, str]:
        return {}

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        self._refuse()

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        self._refuse()

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        self._refuse()

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        self._refuse()

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        self._refuse()

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        self._refuse()

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise TransientError(
            f"This Conductor runs without the provider {self.name}: nothing is observed and nothing is done for its "
            f"processes. Restart the Conductor with --provider {self.name}, beside the providers that it has.",
            code=NOT_LOADED,
        )


def with_absent(loaded: Mapping[str, Provider], store: Store) -> dict[str, Provider]:
    """The loaded providers, and one that refuses for each other that live processes belong to. Raises StoreError."""
    known: dict[str, Provider] = dict(loaded)
    seen: dict[str, set[TypeName]] = {}
    for process in store.processes(live=True):
        if process.provider not in loaded:
            names = seen.setdefault(process.provider, set())
            names.update(found.type for found in store.objects(process.fid))
    for name in sorted(seen):
        known[name] = AbsentProvider(name, sorted(seen[name]))
    return known


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
        """Return the facts of the object's own provider about its type. Raises KeyError for a type that it does not
        manage.
        """
        return self.of(found.provider)[found.type]

    def manages(self, found: ManagedObject) -> bool:
        """Whether the object's own provider brings its type."""
        return found.type in self.of(found.provider)

    def bringing(self, name: TypeName) -> tuple[str, ...]:
        """The providers that bring a type of this name."""
        return tuple(provider for provider, types in self._by_provider.items() if name in types)

    def by_name(self) -> Mapping[TypeName, ResourceType]:
        """Each name once, as the first provider states it: for lists, and for facts that are the same with all
        providers."""
        # ChainMap asks each mapping, so that types that are not listed are found, too. Nothing is ever written into it.
        return ChainMap(*(cast("MutableMapping[TypeName, ResourceType]", one) for one in self._by_provider.values()))

    def __iter__(self) -> Iterator[ResourceType]:
        return (facts for types in self._by_provider.values() for facts in types.values())


def place_of(found: ManagedObject) -> tuple[str, Partition, TypeName]:
    """Return the place in which sweeps look for a thing of the object's type: provider, partition, type."""
    return found.provider or "", found.partition, found.type
