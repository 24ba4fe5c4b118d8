"""The ground of a run: one cloud, seen from outside with full knowledge of all its things.

The simulator has one stage and several grounds. A ground makes the provider of each life of a Conductor, tells the laws
the standing things and their owners (from the cloud's own books, not from Tenuto's sweeps), and carries out the acts of
other users.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tenuto.model.ids import JsonMap, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Owner
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.ports.accounts import AccountBook
from tenuto.ports.clock import Clock
from tenuto.ports.provider import OpSink, Provider

_T = TypeVar("_T")
Key = tuple[str, str]
"""The kind of a thing, in the cloud's words, and its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One thing that is there to stay. `state` is all that the cloud knows of it, and changes when the thing does."""

    kind: str
    cloud_id: str
    """The id by which the cloud knows a thing; the thing that it belongs to may have another one."""
    physical_id: PhysicalId
    owner: Owner | None
    state: JsonMap
    is_elsewhere: bool = False
    """Whether it is in an account into which the credentials led only when they were swapped."""
    is_hidden: bool = False
    """Whether it is so new that the cloud need not show it yet."""

    @property
    def key(self) -> Key:
        return self.kind, self.cloud_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """One thing of a type that Tenuto manages, as it truly is."""

    facts: ResourceType
    item: ObservedItem


class Gate(Protocol):
    """The gate that every call of a cloud's own interface passes, where one call of the provider port makes several."""

    def at_call(self, action: str, call: Callable[[], _T], *, is_change: bool) -> _T:
        """Make the call, or die around it."""
        ...


class Ground(Protocol):
    """One cloud. The acts of other users raise PermanentError when the cloud refuses them."""

    def provider(self, ops: OpSink, clock: Clock, gate: Gate, accounts: AccountBook) -> Provider:
        """The provider of one life of a Conductor."""
        ...

    def enter(self, account: str) -> None:
        """Conductors that are started from now on have the credentials of this account: `own`, or `other`."""
        ...

    def swap(self, account: str) -> None:
        """The same for all Conductors, also for those that live: they have new credentials."""
        ...

    def standing(self) -> Sequence[Standing]:
        """Everything that stands now, of Tenuto and of other users."""
        ...

    def read(self, tracked: Mapping[TypeName, frozenset[PhysicalId]]) -> Mapping[tuple[TypeName, PhysicalId], Real]:
        """Every thing of a managed type as it is now; those that are tracked with everything that can be known."""
        ...

    def one(self, type_name: TypeName, physical_id: PhysicalId) -> Real | None:
        """One thing as it is now, with everything that can be known."""
        ...

    def strike(self, act: str, found: ManagedObject, path: str, value: object) -> None:
        """Do something as another user to the thing of an object."""
        ...

    def add(self, type_name: TypeName, properties: JsonMap) -> None:
        """Make something as another user."""
        ...

    def trouble(self, kind: str, operation: str, subject: str, times: int, seconds: float) -> None:
        """The next calls of an operation about a subject will go wrong."""
        ...

    def has_repeated(self) -> bool:
        """Whether a request ever arrived twice."""
        ...

    def has_ignored(self) -> bool:
        """Whether a change was ever accepted and not made."""
        ...

    def calm(self) -> None:
        """Nothing goes wrong any more, and no bucket holds objects."""
        ...

    def purge(self, one: Standing) -> None:
        """People delete a thing, with everything in it."""
        ...
