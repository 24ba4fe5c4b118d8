"""The ways out of a host's networks: each has four addresses of its own, by its number.

Theory of operation. A way out is a pair of links, one end in the network and one in the host, with one address each.
The host would lose the machines that it reaches at these addresses: its own router and resolver, where its provider has
given it a block that holds them, or the machines of another installation. So no number is given whose addresses the
host reaches by a link of others. A route to nearly everything (`0.0.0.0/1`) is a default in parts, and reaches no block
of its own.
"""

from collections.abc import Iterable, Sequence, Set
from ipaddress import IPv4Network

from tenuto.kit.address_pools import WAYS_OUT
from tenuto.providers.local.rules.networks.spec import UnusableValueError

_PREFIX = 30
_COUNT = 1 << (_PREFIX - WAYS_OUT.prefixlen)
_SHORTEST = 8
"""The shortest prefix of a route to a block."""


def way_out(number: int) -> IPv4Network:
    """The addresses of a way out: the first names it, then come the host's and the network's own. Raises
    UnusableValueError.
    """
    if not 0 <= number < _COUNT:
        raise UnusableValueError(f"{number} is no number of a way out")
    return IPv4Network((int(WAYS_OUT[0]) + (number << (32 - _PREFIX)), _PREFIX))


def is_taken(number: int, reached: Iterable[IPv4Network]) -> bool:
    """Whether a host reaches addresses of a way out otherwise, by the blocks of its routes."""
    return any(way_out(number).overlaps(block) for block in reached if block.prefixlen >= _SHORTEST)


def free_way_out(given: Set[int], reached: Sequence[IPv4Network]) -> int:
    """The first number that no network of the host has, and whose addresses the host reaches by no other link. Raises
    UnusableValueError."""
    near = [block for block in reached if block.overlaps(WAYS_OUT)]
    for number in range(_COUNT):
        if number not in given and not is_taken(number, near):
            return number
    raise UnusableValueError(f"no address of {WAYS_OUT} is free for a way out: the host reaches them by other links")
