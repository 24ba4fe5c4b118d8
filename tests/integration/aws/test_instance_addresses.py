"""The public address of an instance: not known while it starts, and empty when it runs without one."""

import pytest
from scripted_endpoint import answer
from scripted_world import HERE, World

from tenuto.model.ids import PhysicalId, TypeName
from tenuto.model.observation import Interest

INSTANCE = TypeName("AWS::EC2::Instance")
NO_PROFILES = answer("DescribeIamInstanceProfileAssociations", "<iamInstanceProfileAssociationSet/>")


@pytest.mark.parametrize(
    ("state", "address", "expected"),
    [("pending", "", None), ("running", "", ""), ("stopped", "", ""), ("running", "192.0.2.7", "192.0.2.7")],
)
def test_what_refers_to_the_address_of_a_private_instance_does_not_wait_for_ever(
    world: World, state: str, address: str, expected: str | None
) -> None:
    """CloudFormation gives an empty text for it, and templates print it in their outputs."""
    told = f"<ipAddress>{address}</ipAddress>" if address else ""
    item = (
        f"<item><instanceId>i-1</instanceId><instanceState><name>{state}</name></instanceState><dnsName/>{told}</item>"
    )
    reservation = f"<reservationSet><item><instancesSet>{item}</instancesSet></item></reservationSet>"
    world.endpoint.scripts |= {
        "DescribeInstances": [answer("DescribeInstances", reservation)],
        "DescribeIamInstanceProfileAssociations": [NO_PROFILES],
    }
    sweep = world.provider.sweep(HERE, "ec2.DescribeInstances", {INSTANCE: {PhysicalId("i-1"): Interest()}})[INSTANCE]
    shown = sweep.items[PhysicalId("i-1")].attributes
    assert (shown.get("PublicIp"), shown.get("PublicDnsName")) == (expected, None if state == "pending" else "")
