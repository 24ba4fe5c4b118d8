"""AWS::EC2::TransitGateway, its attachments to VPCs and its route tables.

Their Refs are their ids. EC2 shows deleted things for some time. A member of a list is added and removed by the call
that changes the thing.
"""

from dataclasses import replace
from typing import Any

from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.exchanged import Exchanged
from tenuto.providers.aws.kind import AwsType
from tenuto.providers.aws.types.facts import untried

_BLOCKS = "TransitGatewayCidrBlocks"
_CREATED = "AmazonSideAsn MulticastSupport"
_OPTIONS = (
    "AssociationDefaultRouteTableId AutoAcceptSharedAttachments DefaultRouteTableAssociation "
    "DefaultRouteTablePropagation DnsSupport PropagationDefaultRouteTableId SecurityGroupReferencingSupport "
    "VpnEcmpSupport"
)
_STATE = State(
    at="State",
    pending="initiating initiatingRequest modifying pending",
    going="deleting",
    gone="deleted",
    broken="failed failing",
)
_GATEWAYS, _ATTACHMENTS = "DescribeTransitGateways", "DescribeTransitGatewayVpcAttachments"
_TABLES = "DescribeTransitGatewayRouteTables"


GATEWAY = block(
    "AWS::EC2::TransitGateway",
    "ec2",
    key="TransitGatewayId",
    listed=Listed(operation=_GATEWAYS, id="TransitGatewayId", size=1000, by_id="transit-gateway-id"),
    asked=Call(_GATEWAYS, key="TransitGatewayIds[]"),
    create="CreateTransitGateway",
    made="TransitGateway.TransitGatewayId",
    renamed={name: f"Options.{name}" for name in (*_CREATED.split(), *_OPTIONS.split())},
    shown={name: f"Options.{name}" for name in (*_CREATED.split(), *_OPTIONS.split())},
    attributes={"Id": "$id", "EncryptionSupportState": "Options.EncryptionSupport.EncryptionState"},
    modify={"ModifyTransitGateway": "*"},
    parts=(
        Exchanged(name=_BLOCKS, write_by=Call("ModifyTransitGateway"), shown_at=f"Options.{_BLOCKS}", within="Options"),
    ),
    delete="DeleteTransitGateway",
    state=_STATE,
    tags="transit-gateway",
    refused={
        "EncryptionSupport": untried("aws ec2 modify-transit-gateway"),
    },
    compare_as={_BLOCKS: Comparison.SET},
    defaults={"Description": ""},
)


def _attachment(name: str, **more: Any) -> AwsType:
    """The two spellings of one thing."""
    return block(
        name,
        "ec2",
        key="TransitGatewayAttachmentId",
        listed=Listed(
            operation=_ATTACHMENTS, id="TransitGatewayAttachmentId", size=1000, by_id="transit-gateway-attachment-id"
        ),
        asked=Call(_ATTACHMENTS, key="TransitGatewayAttachmentIds[]"),
        create="CreateTransitGatewayVpcAttachment",
        made="TransitGatewayVpcAttachment.TransitGatewayAttachmentId",
        attributes={"Id": "$id"},
        modify={"ModifyTransitGatewayVpcAttachment": "Options"},
        parts=(Exchanged(name="SubnetIds", write_by=Call("ModifyTransitGatewayVpcAttachment")),),
        delete="DeleteTransitGatewayVpcAttachment",
        state=_STATE,
        tags="transit-gateway-attachment",
        exclusive=[("TransitGatewayId", "VpcId")],
        **more,
    )


ATTACHMENT = _attachment("AWS::EC2::TransitGatewayAttachment")
_VPC_ATTACHMENT = _attachment(
    "AWS::EC2::TransitGatewayVpcAttachment",
    in_place="SubnetIds",
    refused={
        "AddSubnetIds RemoveSubnetIds": "It names a change, and no state: write the subnets that there are to be as "
        "SubnetIds.",
    },
)
# One list shows both types, and each as its own.
_SOURCE = replace(_VPC_ATTACHMENT.source, name=f"ec2.{_ATTACHMENTS} by their older name")
VPC_ATTACHMENT = replace(_VPC_ATTACHMENT, facts=replace(_VPC_ATTACHMENT.facts, source=_SOURCE.name), source=_SOURCE)
TABLE = block(
    "AWS::EC2::TransitGatewayRouteTable",
    "ec2",
    key="TransitGatewayRouteTableId",
    listed=Listed(
        operation=_TABLES, id="TransitGatewayRouteTableId", size=1000, by_id="transit-gateway-route-table-id"
    ),
    asked=Call(_TABLES, key="TransitGatewayRouteTableIds[]"),
    create="CreateTransitGatewayRouteTable",
    made="TransitGatewayRouteTable.TransitGatewayRouteTableId",
    delete="DeleteTransitGatewayRouteTable",
    state=_STATE,
    tags="transit-gateway-route-table",
)
TYPES = (GATEWAY, ATTACHMENT, VPC_ATTACHMENT, TABLE)
