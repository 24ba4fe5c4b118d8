"""The addresses that a network load balancer has in its subnets: moto takes them and does not show them."""

from typing import Any

from moto.elbv2.models import AvailabilityZone, ELBv2Backend, FakeLoadBalancer

_ADDRESSES = ("AllocationId", "PrivateIPv4Address", "IPv6Address")
_create: Any = ELBv2Backend.create_load_balancer
_set_subnets: Any = ELBv2Backend.set_subnets


def _make(self: Any, *given: Any, **more: Any) -> Any:
    balancer = _create(self, *given, **more)
    balancer.mappings = more.get("subnet_mappings") or ()
    return balancer


def _move(self: Any, arn: str, subnets: Any, subnet_mappings: Any) -> Any:
    _set_subnets(self, arn, subnets, subnet_mappings)
    balancer = self.load_balancers[arn]
    balancer.mappings = subnet_mappings or ()
    return balancer.availability_zones


def _zones(self: Any) -> list[Any]:
    zones = [AvailabilityZone(subnet) for subnet in self.subnets]
    for zone in zones:
        mapping: dict[str, str] = next(
            (one for one in getattr(self, "mappings", ()) if one["SubnetId"] == zone.subnet_id), {}
        )
        address = {name: mapping[name] for name in _ADDRESSES if mapping.get(name)}
        setattr(zone, "load_balancer_addresses", [address] if address else [])  # noqa: B010
    return zones


def add() -> None:
    """Show them."""
    setattr(ELBv2Backend, "create_load_balancer", _make)  # noqa: B010
    setattr(ELBv2Backend, "set_subnets", _move)  # noqa: B010
    setattr(FakeLoadBalancer, "availability_zones", property(_zones))  # noqa: B010
