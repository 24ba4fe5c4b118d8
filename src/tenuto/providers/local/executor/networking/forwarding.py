"""The entries of a kernel that lead frames to a MAC address, as the forwarding database of `bridge` shows them."""

from collections.abc import Iterable
from typing import Any

from tenuto.providers.local.rules.networks.spec import MESH

_SET_STATES = ("permanent", "static")
_SET_FLAGS = frozenset({"extern_learn", "sticky"})


def mesh_of(entries: Iterable[Any]) -> frozenset[tuple[str, str]]:
    """Return the entries of the mesh, a MAC address and a host, that were not learned."""
    of_mesh = (one for one in entries if one.get("ifname") == MESH and "dst" in one)
    return frozenset((one["mac"], one["dst"]) for one in of_mesh if _is_set(one))


def bridge_of(entries: Iterable[Any], links: Iterable[Any]) -> frozenset[tuple[str, str]]:
    """Return the pairs of a MAC address and a link of the bridge that were not learned, and are not the link's own.

    Entries of a VLAN do nothing on a bridge without VLANs, and the kernel makes some of its own.
    """
    own = {(link.get("address", ""), link["ifname"]) for link in links}
    of_bridge = (one for one in entries if "master" in one and "vlan" not in one and _is_set(one))
    return frozenset((one["mac"], one["ifname"]) for one in of_bridge) - own


def _is_set(entry: Any) -> bool:
    return entry.get("state") in _SET_STATES or not _SET_FLAGS.isdisjoint(entry.get("flags", ()))
