"""Death at a chosen moment: wrappers that let a Conductor die before or after one call of its provider or its store.

A crash is no error: nothing may catch it, tidy up or write another line. It is therefore a KeyboardInterrupt, the one
exception of a plugin that the phase engine lets through, and the driver of the Conductor throws the whole object graph
away and builds a new one on the same store.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from tenuto.model.account import Account, Identity, KnownCredentials
from tenuto.model.ids import Instant, Json, Partition, TypeName
from tenuto.model.object_type import ObjectType
from tenuto.model.observation import ObservedItem, Sweep, Tracked
from tenuto.model.outcome import Context, Outcome, Request
from tenuto.model.phase_map import PhaseDefinition
from tenuto.model.resource import ResourceType
from tenuto.ports.objects import OffersObjects
from tenuto.ports.phase import Phase
from tenuto.ports.provider import Provider
from tenuto.ports.store import Store
from tenuto.ports.store_changes import StoreChange

_T = TypeVar("_T")


class Crash(KeyboardInterrupt):
    """The Conductor is dead. Anything that was not committed is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blow:
    """When to die: before or after the `count`th call of an operation that is about `subject` (`*`: any).

    `operation` is a method of the provider port, or `commit`.
    """

    operation: str
    subject: str = "*"
    is_after: bool = False
    count: int = 1


class Fate:
    """The one blow that waits, if any."""

    def __init__(self) -> None:
        self._blow: Blow | None = None
        self._left = 0

    def arm(self, blow: Blow) -> None:
        self._blow = blow
        self._left = blow.count

    def disarm(self) -> None:
        """Cancel the blow that was to come."""
        self._blow = None

    def meet(self, operation: str, subjects: Iterable[str], *, is_after: bool) -> None:
        """Raise Crash when this is the moment."""
        blow = self._blow
        if blow is None or (blow.operation, blow.is_after) != (operation, is_after):
            return
        if blow.subject != "*" and blow.subject not in subjects:
            return
        self._left -= 1
        if self._left == 0:
            self._blow = None
            what = operation if blow.subject == "*" else f"{operation} {blow.subject}"
            raise Crash(f"{'after' if is_after else 'before'} {what}")


class MortalProvider:
    """A provider whose caller may die around a call. Implements `ports.provider.Provider`."""

    def __init__(self, inner: Provider, fate: Fate) -> None:
        self.name = inner.name
        self._inner = inner
        self._fate = fate

    def types(self) -> Mapping[TypeName, ResourceType]:
        return self._inner.types()

    def object_types(self) -> Sequence[ObjectType]:
        return self._inner.object_types() if isinstance(self._inner, OffersObjects) else ()

    def object_phases(self) -> Sequence[tuple[PhaseDefinition, Phase]]:
        return self._inner.object_phases() if isinstance(self._inner, OffersObjects) else ()

    def context(self, partition: Partition) -> Context:
        return self._inner.context(partition)

    def identify(self, account: Account) -> Identity:
        return self._inner.identify(account)

    def credentials(self, account: str) -> KnownCredentials:
        return self._inner.credentials(account)

    def lookup(self, partition: Partition, keys: Sequence[str]) -> Mapping[str, Json]:
        return self._inner.lookup(partition, keys)

    def pointed_at(self, partition: Partition, names: Sequence[str], since: Instant) -> Mapping[str, str]:
        return self._inner.pointed_at(partition, names, since)

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        self._fate.meet("sweep", [source], is_after=False)
        return self._inner.sweep(partition, source, tracked, is_whole=is_whole, is_near=is_near)

    def find(self, partition: Partition, requests: Sequence[Request]) -> Sequence[ObservedItem | None]:
        return self._around("find", self._inner.find, partition, requests)

    def create(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._around("create", self._inner.create, partition, requests)

    def modify(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._around("modify", self._inner.modify, partition, requests)

    def delete(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._around("delete", self._inner.delete, partition, requests)

    def claim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._around("claim", self._inner.claim, partition, requests)

    def disclaim(self, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        return self._around("disclaim", self._inner.disclaim, partition, requests)

    def _around(
        self,
        operation: str,
        call: Callable[[Partition, Sequence[Request]], Sequence[_T]],
        partition: Partition,
        requests: Sequence[Request],
    ) -> Sequence[_T]:
        subjects = [request.logical_id for request in requests]
        self._fate.meet(operation, subjects, is_after=False)
        answer = call(partition, requests)
        self._fate.meet(operation, subjects, is_after=True)
        return answer


def mortal_store(inner: Store, fate: Fate) -> Store:
    """A store whose writer may die right before or right after a commit."""
    return cast(Store, _MortalStore(inner, fate))


class _MortalStore:
    def __init__(self, inner: Store, fate: Fate) -> None:
        self._inner = inner
        self._fate = fate

    def commit(self, changes: Sequence[StoreChange]) -> None:
        self._fate.meet("commit", (), is_after=False)
        self._inner.commit(changes)
        self._fate.meet("commit", (), is_after=True)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
