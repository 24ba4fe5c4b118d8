"""AWS::EC2::VPCEndpoint. Its attachments are added and removed by one call, with words for both."""

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.exchanged import Exchanged
from tenuto.providers.aws.comparisons import POLICY


def _attached(name: str, shown_at: str = "") -> Exchanged:
    """One list of things that an endpoint is attached to. It keeps one at every moment."""
    return Exchanged(name=name, write_by=Call("ModifyVpcEndpoint"), shown_at=shown_at, has_turns=True)


ENDPOINT = block(
    "AWS::EC2::VPCEndpoint",
    "ec2",
    key="VpcEndpointId",
    listed=Listed(operation="DescribeVpcEndpoints", id="VpcEndpointId", size=1000, by_id="vpc-endpoint-id"),
    asked=Call("DescribeVpcEndpoints", key="VpcEndpointIds[]"),
    create="CreateVpcEndpoint",
    made="VpcEndpoint.VpcEndpointId",
    token="ClientToken",
    attributes={"Id": "VpcEndpointId", "DnsEntries": "DnsEntries[].join(':', [HostedZoneId || '', DnsName || ''])"},
    modify={"ModifyVpcEndpoint": "DnsOptions IpAddressType PolicyDocument PrivateDnsEnabled"},
    parts=(
        _attached("RouteTableIds"),
        _attached("SecurityGroupIds", "Groups[].GroupId"),
        _attached("SubnetIds"),
    ),
    delete=Call("DeleteVpcEndpoints", key="VpcEndpointIds[]"),
    state=State(
        at="State",
        pending="pending Pending pendingAcceptance PendingAcceptance",
        going="deleting Deleting",
        gone="deleted Deleted",
        broken="failed Failed rejected Rejected",
    ),
    tags="vpc-endpoint",
    # A table has one route to a service, and a network one private name of it.
    exclusive=[("ServiceName", "RouteTableIds"), ("VpcId", "ServiceName", "PrivateDnsEnabled")],
    compare_as={
        "PolicyDocument": POLICY,
        **dict.fromkeys(("RouteTableIds", "SecurityGroupIds", "SubnetIds"), Comparison.SET),
        "VpcEndpointType": Comparison.SHOWN,
    },
)
TYPES = (ENDPOINT,)
