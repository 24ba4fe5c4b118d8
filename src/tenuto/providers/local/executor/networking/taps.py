"""The cables of virtual machines: one tap for each interface, a port of its network, with its descriptor for QEMU.

A tap lasts as long as its network's namespace, also while no QEMU has it. It has carrier while one has, so a cable that
was cut is seen. QEMU gets a descriptor and is never in the namespace.
"""

import fcntl
import os
import struct
from collections.abc import Sequence
from typing import Any

from tenuto.providers.local.executor.kernel.host_facts import HostFacts
from tenuto.providers.local.executor.kernel.namespaces import namespaces
from tenuto.providers.local.executor.kernel.programs import ProgramError, batch, shown
from tenuto.providers.local.executor.kernel.within import NETWORK, within
from tenuto.providers.local.rules.machines.spec import Cable
from tenuto.providers.local.rules.networks.spec import BRIDGE, netns_of

_TUN = "/dev/net/tun"
_TUNSETIFF = 0x400454CA
_TAP, _NO_HEAD, _VNET_HEAD = 0x0002, 0x1000, 0x4000


def lay(cable: Cable) -> None:
    """Bring the tap of a cable about, as a port of its network. Raises ProgramError."""
    inside, port = netns_of(cable.vni), cable.port
    if port not in {link["ifname"] for link in _links(inside)}:
        batch("ip", [f"tuntap add dev {port} mode tap vnet_hdr"], inside)
    batch(
        "ip",
        [
            f"link set dev {port} mtu {cable.mtu} master {BRIDGE} up",
            f"link set dev {port} alias {cable.interface}",
        ],
        inside,
    )


def take_out(cable: Cable) -> None:
    """Remove the tap of a cable. One that is not there is gone. Raises ProgramError."""
    inside = netns_of(cable.vni)
    if inside in namespaces() and cable.port in {link["ifname"] for link in _links(inside)}:
        batch("ip", [f"link delete dev {cable.port}"], inside)


def opened(cable: Cable) -> int:
    """A descriptor of the tap, for one QEMU. Raises ProgramError."""

    def open_tap() -> int:
        descriptor = os.open(_TUN, os.O_RDWR | os.O_CLOEXEC)
        try:
            request = struct.pack("16sH22x", cable.port.encode(), _TAP | _NO_HEAD | _VNET_HEAD)
            fcntl.ioctl(descriptor, _TUNSETIFF, request)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    try:
        return within(f"/run/netns/{netns_of(cable.vni)}", NETWORK, open_tap)
    except OSError as error:
        raise ProgramError(f"the tap of {cable.interface} cannot be opened: {error.strerror}") from error


def plugged(cables: Sequence[Cable], facts: HostFacts) -> frozenset[str]:
    """The interfaces whose tap is a port that is up and that a QEMU holds. Raises ProgramError."""
    links = {
        (vni, link["ifname"]): link
        for vni in sorted({cable.vni for cable in cables})
        if netns_of(vni) in namespaces()
        for link in facts.inside(netns_of(vni)).links
    }
    return frozenset(
        cable.interface
        for cable in cables
        if (link := links.get((cable.vni, cable.port)))
        and link.get("master") == BRIDGE
        and {"UP", "LOWER_UP"} <= set(link["flags"])
    )


def _links(netns: str) -> list[dict[str, Any]]:
    return list(shown("ip", "-j", "-n", netns, "link", "show"))
