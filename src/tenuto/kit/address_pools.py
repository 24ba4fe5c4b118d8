"""The pools of addresses of zones: which addresses outside of its networks a zone may give to machines.

A pool is written as blocks, each for one zone (`eu=192.0.2.0/28`) or for every zone (`192.0.2.0/28`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network

LARGEST_POOL = 16
"""The shortest prefix of a block: more than 65,536 addresses are none that a person has for machines."""
WAYS_OUT = IPv4Network("198.18.0.0/16")
"""The addresses of the ways out of a host's networks, four for each. RFC 2544 gave them to measurements of networks, so
that hardly any network has them in use; private blocks (RFC 1918) belong to the operator of the host."""
_NEVER = (WAYS_OUT, *(IPv4Network(one) for one in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3")))
"""The blocks that mean something else to a host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressPools:
    """Pairs of a zone, empty for every zone, and a block."""

    blocks: tuple[tuple[str, IPv4Network], ...] = ()

    def of(self, zone: str) -> tuple[IPv4Network, ...]:
        """The blocks of a zone: its own, or those for every zone where it has none."""
        own = tuple(block for name, block in self.blocks if name == zone)
        return own or tuple(block for name, block in self.blocks if not name)

    def __str__(self) -> str:
        return ", ".join(f"{name}={block}" if name else str(block) for name, block in self.blocks)

    @staticmethod
    def parse(text: str) -> "AddressPools":
        """Parse blocks, separated by spaces, commas or line feeds. Raises ValueError."""
        return AddressPools(blocks=tuple(_block(word) for word in text.replace(",", " ").split()))


def is_in(address: str, blocks: tuple[IPv4Network, ...]) -> bool:
    """Whether a pool of these blocks gives an address."""
    wanted = IPv4Address(address)
    return any(wanted in block and wanted not in _ends(block) for block in blocks)


def addresses(blocks: tuple[IPv4Network, ...], seed: str) -> Iterator[str]:
    """Every address of a pool, each once; where they begin follows from the seed."""
    for block in blocks:
        first = int.from_bytes(sha256(seed.encode()).digest()[:8]) % block.num_addresses
        order = (*range(first, block.num_addresses), *range(first))
        yield from (str(block[index]) for index in order if block[index] not in _ends(block))


def _ends(block: IPv4Network) -> tuple[IPv4Address, ...]:
    """The first and the last address of a block that a network may be: they name it, and are for broadcasts."""
    return (block[0], block[-1]) if block.num_addresses > 2 else ()


def _block(word: str) -> tuple[str, IPv4Network]:
    zone, _, text = word.rpartition("=")
    try:
        block = IPv4Network(text)
    except ValueError as wrong:
        raise ValueError(f"{text!r} is no block such as 192.0.2.0/28, or eu=192.0.2.0/28 ({wrong})") from wrong
    if block.prefixlen < LARGEST_POOL:
        raise ValueError(f"{block} is too large: /{LARGEST_POOL} is the largest")
    if taken := next((one for one in _NEVER if block.overlaps(one)), None):
        raise ValueError(f"{block} cannot be reached from outside: {taken} has another use")
    return zone, block
