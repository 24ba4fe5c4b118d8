"""Who keeps AWS from deleting something is named by what people know it by."""

import pytest
from scripted_endpoint import answer, refusal
from scripted_world import HERE, World, a_request

from tenuto.model.outcome import Pending

ATTACHED = "<attachment><instanceId>i-1</instanceId></attachment>"
DESCRIBED = "<description>ELB app/web</description>"


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (ATTACHED, "network interface eni-1 of instance i-1"),
        (DESCRIBED, "network interface eni-1 'ELB app/web'"),
        (DESCRIBED + ATTACHED, "network interface eni-1 'ELB app/web' of instance i-1"),
        ("", "network interface eni-1"),
    ],
)
def test_an_interface_is_told_with_what_it_belongs_to(world: World, facts: str, told: str) -> None:
    item = f"<item><networkInterfaceId>eni-1</networkInterfaceId><subnetId>subnet-1</subnetId>{facts}</item>"
    world.endpoint.scripts |= {
        "DeleteSubnet": [refusal("DependencyViolation")],
        "DescribeNetworkInterfaces": [
            answer("DescribeNetworkInterfaces", f"<networkInterfaceSet>{item}</networkInterfaceSet>")
        ],
    }
    [outcome] = world.provider.delete(HERE, [a_request("AWS::EC2::Subnet", {}, "subnet-1")])
    assert isinstance(outcome, Pending)
    assert outcome.message.endswith(f"It is held by {told}")
