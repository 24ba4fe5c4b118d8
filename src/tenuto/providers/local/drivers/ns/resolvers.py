"""The resolvers of this host, which the networks of it ask for names that are not their own."""

from ipaddress import IPv4Address
from pathlib import Path

from tenuto.providers.local.rules.networks.addresses import is_ipv4

FILE = Path("/etc/resolv.conf")
_MOST = 3
"""As many as the C library reads."""
_LARGEST = 65536


def resolvers(file: Path = FILE) -> tuple[str, ...]:
    """The resolvers that a network can reach. One on loopback is this host's own, and answers no other machine."""
    try:
        with file.open(encoding="utf-8", errors="replace") as opened:
            lines = [line.split() for line in opened.read(_LARGEST).splitlines()]
    except OSError:
        return ()
    named = [words[1] for words in lines if len(words) > 1 and words[0] == "nameserver" and is_ipv4(words[1])]
    return tuple(dict.fromkeys(one for one in named if not IPv4Address(one).is_loopback))[:_MOST]
