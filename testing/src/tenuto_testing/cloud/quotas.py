"""How much of everything an account may have: AWS's defaults."""

from dataclasses import dataclass

_BOUNDLESS = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """Per region unless said otherwise."""

    vpcs: int = 5
    subnets: int = 200
    """Per VPC."""
    internet_gateways: int = 5
    addresses: int = 5
    nat_gateways: int = 5
    """Per availability zone."""
    route_tables: int = 200
    """Per VPC."""
    routes: int = 50
    """Per route table."""
    security_groups: int = 2500
    rules: int = 60
    """Per security group and direction."""
    network_acls: int = 200
    """Per VPC."""
    acl_entries: int = 20
    """Per network ACL and direction."""
    policies: int = 10
    """Managed policies attached to one role."""


REAL = Quotas()
BOUNDLESS = Quotas(
    **dict.fromkeys(
        (
            "acl_entries",
            "addresses",
            "internet_gateways",
            "nat_gateways",
            "network_acls",
            "policies",
            "route_tables",
            "routes",
            "rules",
            "security_groups",
            "subnets",
            "vpcs",
        ),
        _BOUNDLESS,
    )
)
