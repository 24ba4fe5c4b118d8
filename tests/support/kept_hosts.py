"""Hosts without a provider: a keeper of nodes that a test makes up."""

from tenuto.lifecycles.node import NODE
from tenuto.model.host_node import HostNode
from tenuto.model.ids import Instant, Json, LogicalId, ObjectId
from tenuto.model.node import HOST_TYPE, host_place
from tenuto.model.resource import ManagedObject
from tenuto.ports.host_keeper import HostKeeper
from tenuto.providers.local.types import PROVIDER

ZONE = "rack-1"


class KeptHosts(HostKeeper):
    """The keeper of some hosts of one zone."""

    def __init__(self, *hosts: HostNode) -> None:
        self._hosts = hosts

    def zones(self) -> list[str]:
        return [ZONE]

    def nodes(self, zone: str, *, with_machines: bool = True) -> list[HostNode]:
        return list(self._hosts)

    def deleted(self, zone: str, name: str) -> HostNode | None:
        return None


def node_of(name: str, state: str, now: Instant, **attributes: Json) -> ManagedObject:
    """The node of a host in a state."""
    return ManagedObject(
        object_id=ObjectId(f"host:{ZONE}/{name}"),
        lifecycle=NODE.name,
        type=HOST_TYPE,
        provider=PROVIDER,
        partition=host_place(ZONE),
        fid=None,
        logical_id=LogicalId(name),
        state=state,
        target=state,
        created_at=now,
        moved_at=now,
        touched_at=now,
        attributes=attributes,
    )


def host_of(
    name: str,
    state: str,
    now: Instant,
    *troubles: str,
    heard_after_s: float = -7,
    lost_in_s: float | None = None,
    **attributes: Json,
) -> HostNode:
    """A host that is in a state, and what its agent tells."""
    return HostNode(
        zone=ZONE,
        name=name,
        node=node_of(name, state, now, **attributes),
        heard_at=Instant(now + heard_after_s),
        lost_at=None if lost_in_s is None else now + lost_in_s,
        troubles=troubles,
    )
