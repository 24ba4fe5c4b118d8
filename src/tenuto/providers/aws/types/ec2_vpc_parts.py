"""Small things that hang on a VPC: gateways for IPv6 that let nothing in, peering connections, further address ranges.

A peering connection within one account and region is accepted by Tenuto itself, and one that names a role of the other
side is accepted as that role. Any other waits for the owner of the peer, and is as declared meanwhile. A further range
has an id of two parts, its VPC last; its `Ref` is the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.ids import ID
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.kind import Work, by_properties

_PEERINGS = "DescribeVpcPeeringConnections"
_WAITING = "pending-acceptance"
_ROLE, _ROLE_REGION = "PeerRoleArn", "AssumeRoleRegion"


@dataclass(frozen=True, kw_only=True)
class _Acceptance(Shown):
    """The acceptance of a peering connection by the other side, where that is the same account in the same region, or
    has a role for it."""

    properties = frozenset[str]()

    def read(self, thing: Thing) -> dict[str, Json]:
        return {}

    def repair(self, work: Work, service: str, words: str) -> None:
        shown = only(work.read(service, _PEERINGS, VpcPeeringConnectionIds=[work.id]), "VpcPeeringConnections")
        ours, theirs = shown["RequesterVpcInfo"], shown["AccepterVpcInfo"]
        is_own = ours.get("OwnerId") == theirs.get("OwnerId") and ours.get("Region") == theirs.get("Region")
        role, home = work.want(_ROLE), work.client.partition.region
        if shown["Status"]["Code"] != _WAITING or not (is_own or role):
            return
        if role and not is_own:
            asked_in = str(work.want(_ROLE_REGION) or home)
            work = replace(work, client=work.client.in_role(str(role), str(theirs.get("Region") or home), asked_in))
        work.change(service, "AcceptVpcPeeringConnection", VpcPeeringConnectionId=work.id)


def _ranges(vpc: JsonMap) -> Iterator[JsonMap]:
    """The ranges of a VPC beside its first, which it was made with."""
    for one in vpc.get("CidrBlockAssociationSet") or ():
        if one.get("CidrBlock") != vpc.get("CidrBlock"):
            yield {**one, "VpcId": vpc["VpcId"], "State": one.get("CidrBlockState")}
    for one in vpc.get("Ipv6CidrBlockAssociationSet") or ():
        yield {
            **one,
            "VpcId": vpc["VpcId"],
            "State": one.get("Ipv6CidrBlockState"),
            "AmazonProvidedIpv6CidrBlock": one.get("Ipv6Pool", "Amazon") == "Amazon",
        }


def _take_range(work: Work) -> Outcome:
    work.change("ec2", "DisassociateVpcCidrBlock", AssociationId=str(work.id).partition(ID)[0])
    return Done(physical_id=work.id)


EGRESS_GATEWAY = block(
    "AWS::EC2::EgressOnlyInternetGateway",
    "ec2",
    key="EgressOnlyInternetGatewayId",
    listed=Listed(operation="DescribeEgressOnlyInternetGateways", id="EgressOnlyInternetGatewayId", size=255),
    asked=Call("DescribeEgressOnlyInternetGateways", key="EgressOnlyInternetGatewayIds[]"),
    create="CreateEgressOnlyInternetGateway",
    made="EgressOnlyInternetGateway.EgressOnlyInternetGatewayId",
    token="ClientToken",
    shown={"VpcId": "Attachments[0].VpcId"},
    attributes={"Id": "$id"},
    delete="DeleteEgressOnlyInternetGateway",
    tags="egress-only-internet-gateway",
    exclusive=[("VpcId",)],
)
PEERING = block(
    "AWS::EC2::VPCPeeringConnection",
    "ec2",
    key="VpcPeeringConnectionId",
    listed=Listed(operation=_PEERINGS, id="VpcPeeringConnectionId", size=1000, by_id="vpc-peering-connection-id"),
    asked=Call(_PEERINGS, key="VpcPeeringConnectionIds[]"),
    create="CreateVpcPeeringConnection",
    made="VpcPeeringConnection.VpcPeeringConnectionId",
    shown={
        "PeerOwnerId": "AccepterVpcInfo.OwnerId",
        "PeerRegion": "AccepterVpcInfo.Region",
        "PeerVpcId": "AccepterVpcInfo.VpcId",
        "VpcId": "RequesterVpcInfo.VpcId",
    },
    attributes={"Id": "$id"},
    parts=(_Acceptance(),),
    delete="DeleteVpcPeeringConnection",
    state=State(
        at="Status.Code",
        pending="initiating-request provisioning",
        going="deleting",
        gone="deleted expired rejected",
        broken="failed",
        reason="Status.Message",
    ),
    tags="vpc-peering-connection",
    create_only=f"{_ROLE_REGION} {_ROLE}",
    write_only=f"{_ROLE_REGION} {_ROLE}",
)
_RANGE = block(
    "AWS::EC2::VPCCidrBlock",
    "ec2",
    key="AssociationId VpcId",
    listed=Listed(operation="DescribeVpcs", each=lambda vpc: list(_ranges(vpc)), id="AssociationId VpcId", size=1000),
    create="AssociateVpcCidrBlock",
    made="CidrBlockAssociation.AssociationId||Ipv6CidrBlockAssociation.AssociationId VpcId",
    shown={"Ipv6CidrBlockNetworkBorderGroup": "NetworkBorderGroup"},
    attributes={"Id": "AssociationId", "Ref": "AssociationId"},
    delete="DisassociateVpcCidrBlock",
    state=State(
        at="State.State",
        pending="associating",
        going="disassociating",
        gone="disassociated",
        broken="failed failing",
        reason="State.StatusMessage",
        ends_at_once=True,
    ),
    exclusive=[("VpcId", "CidrBlock"), ("VpcId", "Ipv6CidrBlock")],
)
# The list is also that of the VPCs, which are no blocks and are read apart.
_SOURCE = replace(_RANGE.source, name="ec2.DescribeVpcs as ranges")
RANGE = replace(
    _RANGE,
    facts=replace(_RANGE.facts, source=_SOURCE.name),
    source=_SOURCE,
    delete=_take_range,
    find=None,
    is_found=by_properties("AmazonProvidedIpv6CidrBlock", "CidrBlock", "Ipv6CidrBlock", "VpcId"),
)
TYPES = (EGRESS_GATEWAY, PEERING, RANGE)
