"""The addresses outside of a host's networks: floating and routed ones, which the host answers for.

Theory of operation. A packet for such an address finds the host as its neighbour: the host answers the question who has
the address, on the link that leads to its neighbours, and sends the packet on to the network. When an address comes
here, the host says so unasked, since others may still know where it was. When one goes, or goes to another machine, the
connections that it had are forgotten: the kernel would go on translating them.

A host that is cut off from the Conductor for its lease lets go of all of them, since each may be somewhere else from
then on.
"""

import socket
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress

from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.kernel.host_facts import HostFacts
from tenuto.providers.local.executor.kernel.programs import ProgramError, batch, run, within

KIND = "networks"
_KEPT = "outside"
"""The file of the pairs that were applied: each line an address outside and the machine's."""
_ETHERNET, _ARP, _IPV4 = 1, 0x0806, 0x0800
_REQUEST, _ANSWER = 1, 2
_EVERYBODY = b"\xff" * 6


class Outside:
    """The addresses that networks of this host have, or had, outside."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state

    def kept(self, name: str) -> frozenset[tuple[str, str]]:
        """The pairs of a network that were applied last."""
        lines = (self._state.read(KIND, name, _KEPT) or "").splitlines()
        return frozenset((line.partition(" ")[0], line.partition(" ")[2]) for line in lines if line)

    def note(self, name: str, netns: str, pairs: Iterable[tuple[str, str]]) -> None:
        """The rules hold these pairs now: forget the connections of those that are gone. Raises ProgramError."""
        wanted, before = frozenset(pairs), self.kept(name)
        if before - wanted:
            forget_connections(netns)
        if before != wanted:
            self.expect(name, wanted)

    def expect(self, name: str, pairs: Iterable[tuple[str, str]]) -> None:
        """Note pairs, before anything of them is applied: a later reader knows the addresses that may be there."""
        text = "".join(f"{address} {machine}\n" for address, machine in sorted(pairs))
        self._state.write(KIND, name, _KEPT, text)

    def withdraw(self) -> None:
        """Answer for no address any more, on no link, and send nothing on. Twice is once.

        Each network and each line is tried, even when another one failed: a link may go at the same moment, and the
        file of one network may be damaged.
        """
        for name in self._state.names(KIND):
            with suppress(ProgramError, OSError):
                self._withdraw(name)

    def _withdraw(self, name: str) -> None:
        addresses = frozenset(address for address, _ in self.kept(name))
        if not addresses:
            return
        facts = HostFacts()
        told = sorted(facts.answered_for(addresses))
        answered = [f"neighbour delete proxy {one} dev {door}" for one, door in told]
        routes = [f"route delete {one} dev {link}" for one, link in sorted(facts.ways_to(addresses))]
        for line in (*answered, *routes):
            with suppress(ProgramError):
                batch("ip", [line])
        if not answered and not routes:
            self.expect(name, ())


def announce(address: str, link: str) -> None:
    """Tell the neighbours on a link that the host has an address. One that has no neighbours is not told."""
    with suppress(OSError), socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sent:
        sent.bind((link, _ARP))
        # Of the socket, and not of a file below /sys, which may show the links of another namespace.
        mac = sent.getsockname()[4]
        if len(mac) != len(_EVERYBODY):
            return
        own = mac + socket.inet_aton(address)
        for kind, theirs in ((_REQUEST, bytes(6)), (_ANSWER, _EVERYBODY)):
            words = struct.pack("!HHBBH", _ETHERNET, _IPV4, 6, 4, kind) + own + theirs + socket.inet_aton(address)
            sent.send(_EVERYBODY + mac + struct.pack("!H", _ARP) + words)


def forget_connections(netns: str) -> None:
    """Forget the connections that the kernel tracks in a namespace. Those that may go on are found anew.

    Raises ProgramError.
    """
    run(*within(netns), sys.executable, "-I", "-c", _FORGET)


_FORGET = """
import socket, struct, sys
with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12) as kernel:
    kernel.bind((0, 0))
    kernel.send(struct.pack("=IHHIIBBH", 20, 1 << 8 | 2, 5, 1, 0, 2, 0, 0))
    code = struct.unpack("=i", kernel.recv(4096)[16:20])[0]
sys.exit(f"its connections cannot be ended: error {-code} of the kernel" if code else 0)
"""
"""The program that is run inside: netfilter (12), the subsystem of connections (1), to delete (2) those of IPv4, with
an answer (5)."""
