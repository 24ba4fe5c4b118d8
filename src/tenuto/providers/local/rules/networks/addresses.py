"""Addresses of a network: which one an interface may have, and in which order free ones are tried.

Theory of operation. An address is a claim in the store, so two interfaces never have the same one, even when several
ask at the same time. So this module does not know the free addresses: it gives an order in which to try. A few
candidates come from a hash, which spreads interfaces over the network and makes the first try good nearly always; then
all addresses follow in their order, so that a network is full only when each of them is taken.

The first address of a network names it, the second is its router's, and the last is for broadcasts.
"""

from collections.abc import Iterator
from hashlib import sha256
from ipaddress import AddressValueError, IPv4Address, IPv4Network

from tenuto.kit.address_pools import WAYS_OUT

FREE_AGAIN_S = 300.0
"""The seconds for which an address stays reserved after its interface is deleted, so that no neighbour still sends to
the old one (specification: object state machines)."""
CONGESTED_FREE_AGAIN_S = 30.0
"""The seconds for which it stays reserved while its network has no other free address. The tables of neighbours may
still be wrong then, which is better than a machine that cannot be made."""
LONGEST_PREFIX = 29
SHORTEST_PREFIX = 8
_NO_MACHINES = tuple(
    (IPv4Network(block), why)
    for block, why in (
        ("0.0.0.0/8", "are unspecified: they stand for a machine that does not know its own"),
        ("127.0.0.0/8", "are the loopback of each machine"),
        ("169.254.0.0/16", "are link-local: machines give them to themselves, and no router sends them on"),
        ("224.0.0.0/4", "are multicast: each stands for a group of machines"),
        ("240.0.0.0/4", "are reserved: systems refuse them"),
    )
)
"""The blocks whose addresses no machine can have on a network, with the reason (RFC 6890)."""
_HASHED = 5
_ROUTER = 1


def network_problem(cidr: str) -> str:
    """Return why the text is no block for a network, for people; empty for one that is."""
    try:
        network = IPv4Network(cidr, strict=False)
    except ValueError:
        return f"{cidr!r} is no IPv4 block such as 10.1.0.0/24"
    if not SHORTEST_PREFIX <= network.prefixlen <= LONGEST_PREFIX:
        return f"{cidr} is not between /{SHORTEST_PREFIX} and /{LONGEST_PREFIX}"
    if network.overlaps(WAYS_OUT):
        return f"{cidr} meets {WAYS_OUT}, which hosts use for the ways out of networks"
    for block, why in _NO_MACHINES:
        if network.overlaps(block):
            return f"{cidr} meets {block}, whose addresses {why}"
    return ""


def host_bits_problem(cidr: str) -> str:
    """Return why a block that a person wrote is not exact, for people; empty for one that is."""
    block = IPv4Network(cidr, strict=False)
    return "" if cidr.partition("/")[0] == str(block[0]) else f"{cidr} has host bits: its block is {block}"


def is_ipv4(text: str) -> bool:
    """Whether a text is an IPv4 address."""
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def router_of(cidr: str) -> str:
    """The address of the router of a network."""
    return str(IPv4Network(cidr, strict=False)[_ROUTER])


def address_problem(cidr: str, address: str) -> str:
    """Return why an interface cannot have the address in this network, for people; empty for one that it can have."""
    network = IPv4Network(cidr, strict=False)
    try:
        wanted = IPv4Address(address)
    except AddressValueError:
        return f"{address!r} is no IPv4 address"
    if wanted not in network:
        return f"{address} is outside {network}"
    kept = {network[0]: "names the network", network[_ROUTER]: "is its router's", network[-1]: "is for broadcasts"}
    return f"{address} {kept[wanted]}" if wanted in kept else ""


def candidates(cidr: str, seed: str) -> Iterator[str]:
    """Every address that an interface may have, each once, in the order in which they are tried."""
    network = IPv4Network(cidr, strict=False)
    first, count = _ROUTER + 1, network.num_addresses - _ROUTER - 2
    hashed = [first + _number(seed, attempt) % count for attempt in range(_HASHED)]
    tried = dict.fromkeys(hashed)
    yield from (str(network[index]) for index in tried)
    yield from (str(network[index]) for index in range(first, first + count) if index not in tried)


def mac_of(seed: str, attempt: int) -> str:
    """A MAC address that is locally administered and of one receiver."""
    digest = sha256(f"mac {seed} {attempt}".encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x02, *digest[:5]))


def vni_of(seed: str, attempt: int) -> int:
    """A VXLAN network identifier; the small ones are left to people."""
    return 4096 + _number(f"vni {seed}", attempt) % (2**24 - 4096)


def _number(seed: str, attempt: int) -> int:
    return int.from_bytes(sha256(f"{seed} {attempt}".encode()).digest()[:8])
