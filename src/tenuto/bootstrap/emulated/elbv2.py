"""The addresses that a network load balancer has in its subnets, which moto takes and does not show, and the targets
that were taken out: AWS shows them until their last connections are closed, and here they are shown for ever. The
secret of a client is never shown."""

from typing import Any

from moto.elbv2.models import AvailabilityZone, ELBv2Backend, FakeAction, FakeHealthStatus, FakeLoadBalancer

_ADDRESSES = ("AllocationId", "PrivateIPv4Address", "IPv6Address")
_PREFIX, _FREE_PREFIX = "SourceNatIpv6Prefix", "2001:db8:1234:1a00::/80"
_OIDC = "AuthenticateOidcConfig"
_create: Any = ELBv2Backend.create_load_balancer
_set_subnets: Any = ELBv2Backend.set_subnets
_health: Any = ELBv2Backend.describe_target_health
_act: Any = FakeAction.__init__


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
        prefix = {"auto_assigned": _FREE_PREFIX}.get(mapping.get(_PREFIX, ""), mapping.get(_PREFIX))
        setattr(zone, "source_nat_ipv6_prefixes", [prefix] if prefix else [])  # noqa: B010
    return zones


def _with_leaving(self: Any, target_group_arn: str, targets: list[dict[str, Any]]) -> list[FakeHealthStatus]:
    shown: list[FakeHealthStatus] = _health(self, target_group_arn, targets)
    group = self.target_groups[target_group_arn]
    reason = ("draining", "Target.DeregistrationInProgress", "Target deregistration is in progress")
    leaving = () if targets else group.deregistered_targets.values()
    return shown + [FakeHealthStatus(one["Id"], one["Port"], one["Port"], *reason) for one in leaving]


def _without_secret(self: Any, data: dict[str, Any]) -> None:
    shown = {name: value for name, value in (data.get(_OIDC) or {}).items() if name != "ClientSecret"}
    _act(self, {**data, _OIDC: shown} if shown else data)


def add() -> None:
    """Show them, or veil them."""
    setattr(FakeAction, "__init__", _without_secret)  # noqa: B010
    setattr(ELBv2Backend, "describe_target_health", _with_leaving)  # noqa: B010
    setattr(ELBv2Backend, "create_load_balancer", _make)  # noqa: B010
    setattr(ELBv2Backend, "set_subnets", _move)  # noqa: B010
    setattr(FakeLoadBalancer, "availability_zones", property(_zones))  # noqa: B010
