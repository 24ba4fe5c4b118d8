"""The entries that lead frames to a MAC address, in the mesh and in the bridge of a network.

A kernel learns where a MAC address is, and forgets it again. An entry that a person has set stays, and a learned entry
does not take its place: the machine with that address is cut off while every link is as it is to be.
"""

from collections.abc import Iterator, Set

from tenuto.providers.local.rules.networks.spec import BRIDGE, MESH

Entries = Set[tuple[str, str]]


def mesh_entries(wanted: Entries, shown: Entries) -> Iterator[tuple[str, str]]:
    """Return the text and the line of `bridge` for each entry of the mesh, a MAC address and a host, that differs."""
    for mac, address in sorted(shown - wanted):
        yield f"mesh: entry to {address} was added", f"fdb delete {mac} dev {MESH} dst {address} self"
    for mac, address in sorted(wanted - shown):
        yield f"mesh: entry to {address} is missing", f"fdb append {mac} dev {MESH} dst {address} self permanent"


def bridge_entries(shown: Entries) -> Iterator[tuple[str, str]]:
    """Return the text and the line of `bridge` for each MAC address that the bridge was told to find behind a link."""
    for mac, link in sorted(shown):
        side = "self" if link == BRIDGE else "master"
        yield f"bridge: {mac} was set to be behind {link}", f"fdb delete {mac} dev {link} {side}"
