"""AWS::EC2::VPCEndpoint. What it is attached to is added and removed by one call, with words for both."""

from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import at
from tenuto.providers.aws.comparisons import POLICY
from tenuto.providers.aws.kind import Work, texts


@dataclass(frozen=True)
class _Attached(Shown):
    """One list of things that an endpoint is attached to."""

    name: str
    shown_at: str

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    def read(self, thing: Thing) -> dict[str, Json]:
        return {self.name: at(thing.answer, self.shown_at) or []}

    def at_birth(self, work: Work) -> dict[str, Json]:
        return work.given(self.name)

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(self.name):
            return
        wanted, present = texts(work.want(self.name)), texts(work.seen(self.name))
        added, removed = ([one for one in wanted if one not in present], [one for one in present if one not in wanted])
        # Added first: an endpoint keeps one at every moment.
        for verb, ids in (("Add", added), ("Remove", removed)):
            if ids:
                work.change(service, "ModifyVpcEndpoint", VpcEndpointId=work.id, **{f"{verb}{self.name}": ids})

    def changes(self, service: str) -> dict[str, str]:
        return {self.name: f"{service}:ModifyVpcEndpoint"}


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
        _Attached("RouteTableIds", "RouteTableIds"),
        _Attached("SecurityGroupIds", "Groups[].GroupId"),
        _Attached("SubnetIds", "SubnetIds"),
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
    compare_as={
        "PolicyDocument": POLICY,
        **dict.fromkeys(("RouteTableIds", "SecurityGroupIds", "SubnetIds"), Comparison.SET),
        "VpcEndpointType": Comparison.SHOWN,
    },
)
TYPES = (ENDPOINT,)
