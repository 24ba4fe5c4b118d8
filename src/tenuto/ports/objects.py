"""The way of objects that requests make through the phases, as the service asks the Conductor for it."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tenuto.model.object_type import ObjectType
from tenuto.model.phase_map import PhaseDefinition, PhaseEntry
from tenuto.model.resource import ManagedObject
from tenuto.ports.phase import Phase
from tenuto.ports.programs import Programs
from tenuto.ports.store_changes import StoreChange


class ObjectWork(Protocol):
    """The work on objects without a process. Safe to call from several threads."""

    def begin(self, born: ManagedObject, *, actor: str) -> tuple[StoreChange, ...]:
        """Return the changes of the birth of an object, and of its way through states where no phase applies. Writes
        nothing.
        """
        ...

    def head(self, found: ManagedObject, target: str, *, actor: str, reason: str) -> tuple[StoreChange, ...]:
        """Return the changes of another target for an object, with the moves that follow at once. Writes nothing.

        Raises BugError when its table knows no way there.
        """
        ...

    def retry(self, found: ManagedObject) -> tuple[StoreChange, ...]:
        """Return the changes that let the failed phases of an object start over and its sleeping ones run now; none
        when it has none of either. Writes nothing.
        """
        ...

    def fail(self, found: ManagedObject, cause: PhaseEntry, *, actor: str) -> tuple[StoreChange, ...]:
        """Return the changes of an object that failed for a reason outside of its phases: it takes the edge of failure
        of its state. `cause` says why, and whether that is acknowledged already. Writes nothing.
        """
        ...

    def vanish(self, found: ManagedObject, *, actor: str) -> tuple[StoreChange, ...]:
        """Return the changes of an object whose thing is gone: it goes to the end of its deletion. Writes nothing."""
        ...

    def commit(self, changes: Sequence[StoreChange]) -> None:
        """Write the changes as one transaction, tell listeners, and wake the phases. Raises the errors of a store."""
        ...


@runtime_checkable
class OffersObjects(Protocol):
    """A provider that offers types of objects for requests, and the phases that they walk through."""

    def object_types(self) -> Sequence[ObjectType]:
        """Return the object types of the provider: always the same answer."""
        ...

    def object_phases(self) -> Sequence[tuple[PhaseDefinition, Phase]]:
        """Return the phases, each with its handler. It is called more than once: to check the provider, and to use
        them.
        """
        ...


@runtime_checkable
class RunsPrograms(Protocol):
    """A provider with machines that can run programs for phases."""

    def programs(self, work: ObjectWork) -> Programs:
        """Return the programs in its machines."""
        ...
