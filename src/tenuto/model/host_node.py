"""A host of a provider as people see it: its node, how long it has said nothing, and the machines on it."""

from dataclasses import dataclass

from tenuto.model.resource import ManagedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class HostNode:
    """One host.

    `node` is None before it has checked in for the first time. `silent_s` is None when it has not been heard since the
    Conductor began to listen; `lost_at` is when a missing host counts as lost, at the earliest.
    """

    zone: str
    name: str
    node: ManagedObject | None
    machines: tuple[ManagedObject, ...] = ()
    committed_mib: int = 0
    committed_disk_gib: int = 0
    silent_s: float | None = None
    lost_at: float | None = None
    lacks: tuple[str, ...] = ()
    """The abilities that its agent, which is of an earlier release, does not have, in words."""
