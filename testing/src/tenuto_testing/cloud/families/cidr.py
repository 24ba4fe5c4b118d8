"""CIDR blocks as EC2 takes them: host bits are cut off in silence, everything else that is wrong is refused."""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_network

from tenuto_testing.cloud.wire.messages import Refusal

Network = IPv4Network | IPv6Network


def network(text: str, parameter: str) -> Network:
    """The block. Raises Refusal (InvalidParameterValue)."""
    try:
        found = ip_network(text, strict=False) if "/" in text else None
    except ValueError:
        found = None
    if found is None:
        raise Refusal(
            "InvalidParameterValue",
            f"Value ({text}) for parameter {parameter} is invalid. This is not a valid CIDR block.",
        )
    return found


def ipv4(text: str, parameter: str) -> IPv4Network:
    found = network(text, parameter)
    if not isinstance(found, IPv4Network):
        raise Refusal("InvalidParameterValue", f"Value ({text}) for parameter {parameter} is invalid: not IPv4.")
    return found


def overlapping(wanted: IPv4Network, present: Iterable[str]) -> str | None:
    """The first of the present blocks that shares an address with the wanted one."""
    return next((one for one in present if wanted.overlaps(ip_network(one))), None)


def is_inside(inner: IPv4Network, blocks: Iterable[str]) -> bool:
    return any(inner.subnet_of(IPv4Network(one)) for one in blocks)


def free_address(block: str, taken: Iterable[str]) -> str | None:
    """The first address that is not taken; AWS keeps the first four and the last one for itself."""
    net, used = IPv4Network(block), set(taken)
    first, last = int(net.network_address) + 4, int(net.broadcast_address) - 1
    return next((text for number in range(first, last + 1) if (text := str(IPv4Address(number))) not in used), None)
