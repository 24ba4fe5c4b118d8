"""The demonstration's own acts on AWS: it opens a port as an intruder would, and counts resources as an auditor would.

Its session sees nothing of this machine's AWS settings: no credentials, profile, endpoint or proxy of the user can make
the demonstration touch a real account.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from botocore.config import Config
from botocore.session import Session

_CLOSED: Mapping[str, tuple[str | None, None, Any, None]] = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
    "ca_bundle": (None, None, None, None),
}
"""Settings of the SDK that come neither from the environment nor from files: name, variable, default, converter."""

_LISTS: Sequence[tuple[str, str, str]] = (
    ("describe_vpcs", "Vpcs", "VpcId"),
    ("describe_subnets", "Subnets", "SubnetId"),
    ("describe_internet_gateways", "InternetGateways", "InternetGatewayId"),
    ("describe_nat_gateways", "NatGateways", "NatGatewayId"),
    ("describe_route_tables", "RouteTables", "RouteTableId"),
    ("describe_security_groups", "SecurityGroups", "GroupId"),
    ("describe_addresses", "Addresses", "AllocationId"),
)


class EmulatedSession(Session):  # type: ignore[misc] # botocore has no types
    """A botocore session whose every client talks to one endpoint, independent of the environment."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(session_vars=dict(_CLOSED))
        self._endpoint = endpoint
        self.set_credentials("demo", "demo")

    def create_client(self, service_name: str, region_name: str | None = None, **options: Any) -> Any:
        given = options.pop("config", None) or Config()
        options["endpoint_url"] = self._endpoint
        return super().create_client(service_name, region_name, config=given.merge(Config(proxies={})), **options)


class Outsider:
    """A user with access to the account who does not know of Tenuto."""

    def __init__(self, session: Session, region: str) -> None:
        self._ec2 = session.create_client("ec2", region)

    def open_to_the_world(self, group_id: str, port: int) -> None:
        """Open a port of the group's members to every address."""
        self._ec2.authorize_security_group_ingress(
            GroupId=group_id, IpProtocol="tcp", FromPort=port, ToPort=port, CidrIp="0.0.0.0/0"
        )

    def open_ports(self, group_id: str) -> tuple[str, ...]:
        """The access that the group lets in, as `443 from 0.0.0.0/0`."""
        (group,) = self._ec2.describe_security_groups(GroupIds=[group_id])["SecurityGroups"]
        return tuple(
            sorted(
                f"{rule.get('FromPort', 'all')} from {source['CidrIp']}"
                for rule in group["IpPermissions"]
                for source in rule["IpRanges"]
            )
        )

    def inventory(self) -> frozenset[str]:
        """The id of everything in the account that a network is made of."""
        found: set[str] = set()
        for operation, members, name in _LISTS:
            for item in getattr(self._ec2, operation)()[members]:
                if item.get("State") != "deleted":
                    found.add(item[name])
        return frozenset(found)
