"""The addresses that a user's URL may lead to: public ones, and those that the administrator lists.

A user who names a URL that this machine calls could make it call addresses that only this machine can reach: services
on loopback, the metadata of a cloud machine (169.254.169.254), a private network. A public address is one that the user
could call as well. The list of those that are not public is from the special-purpose registries of IANA (RFC 6890). It
is written out, since the answer of `ipaddress` depends on the version of Python. Of IPv6 only global unicast (2000::/3)
is public. Forms of it that carry an IPv4 address to a translator or a tunnel (mapped, NAT64, 6to4) are as public as the
address that they carry.
"""

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Ip = IPv4Address | IPv6Address

_CLOSED_4 = tuple(
    IPv4Network(one)
    for one in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
    )
)  # fmt: skip
_OPEN_6 = IPv6Network("2000::/3")
_CLOSED_6 = tuple(IPv6Network(one) for one in ("2001::/23", "2001:db8::/32", "3fff::/20"))
_NAT64 = IPv6Network("64:ff9b::/96")
_HOST = re.compile(r"(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*)(\.[A-Za-z0-9_-]+)*\.?")


def is_public(address: Ip) -> bool:
    """Whether every machine on the Internet could call this address."""
    meant = carried(address)
    if isinstance(meant, IPv4Address):
        return not any(meant in one for one in _CLOSED_4)
    return meant in _OPEN_6 and not any(meant in one for one in _CLOSED_6)


def carried(address: Ip) -> Ip:
    """The IPv4 address in an IPv6 one that carries it; else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    found = address.ipv4_mapped or address.sixtofour
    if found is None and address in _NAT64:
        found = IPv4Address(int(address) & 0xFFFFFFFF)
    return found or address


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The places that may be called besides public addresses: networks, and hosts wherever their names lead."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    hosts: tuple[str, ...] = ()

    def permits(self, host: str, address: Ip) -> bool:
        """Whether a URL with this host may be called at this address, which its name led to."""
        if is_public(address) or host.lower().removesuffix(".") in self.hosts:
            return True
        return any(one in network for one in (address, carried(address)) for network in self.networks)

    def __str__(self) -> str:
        return ", ".join((*map(str, self.networks), *self.hosts))

    @staticmethod
    def parse(text: str) -> "Reach":
        """Parse networks, addresses and names, separated by spaces, commas or line feeds. Raises ValueError."""
        networks: list[IPv4Network | IPv6Network] = []
        hosts: list[str] = []
        for word in text.replace(",", " ").split():
            try:
                ip_address(word)
                networks.append(ip_network(word))
            except ValueError:
                if "/" in word or ":" in word or not _HOST.fullmatch(word) or re.fullmatch(r"[0-9.]+", word):
                    networks.append(_network(word))
                else:
                    hosts.append(word.lower().removesuffix("."))
        return Reach(networks=tuple(networks), hosts=tuple(hosts))


Networks = tuple[IPv4Network | IPv6Network, ...]


def parse_networks(text: str) -> Networks:
    """Parse networks and addresses, separated by spaces, commas or line feeds. Raises ValueError."""
    return tuple(_network(word) for word in text.replace(",", " ").split())


def _network(word: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(word)
    except ValueError as wrong:
        raise ValueError(f"{word!r} is no network such as 10.0.0.0/8, and no name of a host ({wrong})") from wrong
