"""A host of a provider as people see it: its node, how long it has said nothing, and the machines on it."""

from dataclasses import dataclass

from tenuto.model.ids import Instant
from tenuto.model.resource import ManagedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class HostNode:
    """One host.

    Of the machines that have ended, it may still hold the room (`committed_mib`, `committed_disk_gib`) for a minute.
    `node` and `heard_at` are None before it has checked in for the first time. `heard_at` is its last check-in, to a
    minute where this Conductor has not heard it; `lost_at` is when a missing host counts as lost, at the earliest.
    """

    zone: str
    name: str
    node: ManagedObject | None
    machines: tuple[ManagedObject, ...] = ()
    committed_mib: int = 0
    committed_disk_gib: int = 0
    heard_at: Instant | None = None
    lost_at: float | None = None
    lacks: tuple[str, ...] = ()
    """The abilities that its agent, which is of an earlier release, does not have, in words."""
    troubles: tuple[str, ...] = ()
    """The troubles that its agent tells, a line each."""
