"""A provider that processes belong to and that this Conductor does not have: each question is answered with the reason.

Theory of operation. A plugin may fail to load, or a Conductor may be started with other providers than before. The
processes of a provider that is missing must neither crash their jobs nor be taken for gone. So an AbsentProvider stands
where the provider would be: it knows the types that the store has seen, and refuses every question in a way that is
worth asking again. Nothing is observed then and nothing is done, jobs fail with a message that says what to do, and
all goes on when the provider is there again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn

from tenuto.errors import TransientError
from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.ids import Instant, Json, Partition, TypeName
from tenuto.model.observation import ObservedItem, Sweep, Tracked
from tenuto.model.outcome import Context, Outcome, Request
from tenuto.model.resource import ResourceType
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
