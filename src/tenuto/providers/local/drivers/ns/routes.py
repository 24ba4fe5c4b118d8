"""The blocks that this host reaches by its links, as its kernel shows them to every user."""

import sys
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

FILE = Path("/proc/net/route")


def routes(file: Path = FILE, *, but: str = "") -> tuple[IPv4Network, ...]:
    """The blocks of the routes by every link but one; none where the kernel shows none."""
    try:
        lines = [line.split() for line in file.read_text(encoding="ascii", errors="replace").splitlines()[1:]]
    except OSError:
        return ()
    return tuple(
        IPv4Network((_address(line[1]), str(_address(line[7])))) for line in lines if len(line) > 7 and line[0] != but
    )


def _address(text: str) -> IPv4Address:
    """An address as the kernel writes it: its four bytes as one number of this processor."""
    return IPv4Address(int(text, 16).to_bytes(4, sys.byteorder))
