"""A strict cloud on a virtual clock, and somebody who calls it."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud import Cloud, InProcessSession

REGION = "us-east-1"
_ONCE = Config(retries={"total_max_attempts": 1, "mode": "standard"}, parameter_validation=False)


class Somebody:
    """A caller whose clients try everything once, and check nothing before they send it."""

    def __init__(self, cloud: Cloud, region: str = REGION, access_key: str = "test") -> None:
        self._session = InProcessSession(cloud, access_key=access_key)
        self._region = region
        self._clients: dict[str, Any] = {}

    def __getattr__(self, service: str) -> Any:
        if service not in self._clients:
            self._clients[service] = self._session.create_client(service, self._region, config=_ONCE)
        return self._clients[service]


class Stage:
    """A cloud, its clock, and a caller."""

    def __init__(self, **options: Any) -> None:
        self.clock = VirtualClock()
        self.cloud = Cloud(self.clock, **options)
        self.me = Somebody(self.cloud)

    def vpc(self, block: str = "10.0.0.0/16") -> str:
        return str(self.me.ec2.create_vpc(CidrBlock=block)["Vpc"]["VpcId"])

    def subnet(self, vpc_id: str, block: str = "10.0.0.0/24") -> str:
        return str(self.me.ec2.create_subnet(VpcId=vpc_id, CidrBlock=block)["Subnet"]["SubnetId"])

    def gateway(self, vpc_id: str) -> str:
        gateway_id = str(self.me.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"])
        self.me.ec2.attach_internet_gateway(InternetGatewayId=gateway_id, VpcId=vpc_id)
        return gateway_id

    def address(self) -> str:
        return str(self.me.ec2.allocate_address(Domain="vpc")["AllocationId"])

    def group(self, vpc_id: str, name: str = "front") -> str:
        return str(self.me.ec2.create_security_group(GroupName=name, Description="d", VpcId=vpc_id)["GroupId"])


def code_of(call: Callable[[], object]) -> str:
    """The code by which the call is refused."""
    with pytest.raises(ClientError) as refused:
        call()
    return str(refused.value.response["Error"]["Code"])
