"""AWS::EC2::TransitGateway, its attachments to VPCs, its route tables and the associations of the two.

Their Refs are their ids. EC2 shows what was deleted for some time. A member of a list is added and removed by the call
that changes the thing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import Json
from tenuto.model.resource import Comparison
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.parts import Shown
from tenuto.providers.aws.blocks.thing import Thing
from tenuto.providers.aws.blocks.wire import at
from tenuto.providers.aws.kind import Work, texts

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


@dataclass(frozen=True, kw_only=True)
class _Members(Shown):
    """A list of texts of which a change names the members that come and go."""

    name: str
    about: str
    write: str
    within: str = ""
    """The parameter that holds the list, and the place of the list in an answer."""

    @property
    def properties(self) -> frozenset[str]:
        return frozenset({self.name})

    def read(self, thing: Thing) -> dict[str, Json]:
        shown = at(thing.answer, self.within) if self.within else thing.answer
        return {self.name: texts((shown or {}).get(self.name))}

    def repair(self, work: Work, service: str, words: str) -> None:
        if not work.differs(self.name):
            return
        wanted, present = texts(work.want(self.name)), texts(work.seen(self.name))
        change = {
            f"Add{self.name}": [one for one in wanted if one not in present],
            f"Remove{self.name}": [one for one in present if one not in wanted],
        }
        given = {name: members for name, members in change.items() if members}
        about = {self.about: work.id}
        work.change(service, self.write, **about, **({self.within: given} if self.within else given))

    def at_birth(self, work: Work) -> dict[str, Json]:
        return {} if self.within else work.given(self.name)

    def changes(self, service: str) -> Mapping[str, str]:
        return {self.name: f"{service}:{self.write}"}


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
        _Members(
            name="TransitGatewayCidrBlocks", about="TransitGatewayId", write="ModifyTransitGateway", within="Options"
        ),
    ),
    delete="DeleteTransitGateway",
    state=_STATE,
    tags="transit-gateway",
    # No emulator serves it, so nothing could show that it is held.
    unsupported="EncryptionSupport",
    compare_as={"TransitGatewayCidrBlocks": Comparison.SET},
    defaults={"Description": ""},
)
ATTACHMENT = block(
    "AWS::EC2::TransitGatewayAttachment",
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
    parts=(_Members(name="SubnetIds", about="TransitGatewayAttachmentId", write="ModifyTransitGatewayVpcAttachment"),),
    delete="DeleteTransitGatewayVpcAttachment",
    state=_STATE,
    tags="transit-gateway-attachment",
    exclusive=[("TransitGatewayId", "VpcId")],
)
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
TYPES = (GATEWAY, ATTACHMENT, TABLE)
