"""Chores: the work that a provider does now and then, beside the requests of phases and sweeps."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tenuto.model.ids import Instant
from tenuto.ports.objects import ObjectWork


class Chore(Protocol):
    """One chore. Thread-safe. It is done by the Conductor that leads, on any thread, never twice at once."""

    def next_wake(self) -> Instant | None:
        """Return the moment when it is due next; None while it is done, and when there is nothing to do."""
        ...

    def begins(self, now: Instant) -> bool:
        """Whether it is due. Then `work` must be called."""
        ...

    def work(self) -> None:
        """Do it. Never raises StoreError: it is done again later."""
        ...


@runtime_checkable
class HasChores(Protocol):
    """A provider with chores."""

    def chores(self, work: ObjectWork) -> Sequence[Chore]:
        """Return the chores, which change objects by `work`. Called once."""
        ...
