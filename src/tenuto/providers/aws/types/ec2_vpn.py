"""AWS::EC2::VPNGateway and AWS::EC2::CustomerGateway, the two ends of a VPN, the connection and its routes.

EC2 shows the keys of the tunnels of a connection, so nothing of its tunnels is read. The values that were sent are
noted, and only another connection has other tunnels.
"""

from collections.abc import Sequence

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.together import together
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import generated_name
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.held_members import HeldMembers, held

_STATE = State(at="State", pending="pending", going="deleting", gone="deleted")

VPN_GATEWAY = block(
    "AWS::EC2::VPNGateway",
    "ec2",
    key="VpnGatewayId",
    listed=Listed(operation="DescribeVpnGateways", id="VpnGatewayId", members="VpnGateways", by_id="vpn-gateway-id"),
    asked=Call("DescribeVpnGateways", key="VpnGatewayIds[]"),
    create="CreateVpnGateway",
    made="VpnGateway.VpnGatewayId",
    delete="DeleteVpnGateway",
    state=_STATE,
    tags="vpn-gateway",
)
CUSTOMER_GATEWAY = block(
    "AWS::EC2::CustomerGateway",
    "ec2",
    key="CustomerGatewayId",
    listed=Listed(
        operation="DescribeCustomerGateways",
        id="CustomerGatewayId",
        members="CustomerGateways",
        by_id="customer-gateway-id",
    ),
    asked=Call("DescribeCustomerGateways", key="CustomerGatewayIds[]"),
    create="CreateCustomerGateway",
    made="CustomerGateway.CustomerGatewayId",
    delete="DeleteCustomerGateway",
    state=_STATE,
    tags="customer-gateway",
    # EC2 shows numbers as texts, and large ones in another member.
    shown={"BgpAsn": lambda one: int(one["BgpAsn"]) if str(one.get("BgpAsn", "")).isdecimal() else None},
)
_LIST, _TUNNELS = "DescribeVpnConnections", "VpnTunnelOptionsSpecifications"
_OPTIONS = (
    "EnableAcceleration LocalIpv4NetworkCidr LocalIpv6NetworkCidr OutsideIpAddressType RemoteIpv4NetworkCidr "
    "RemoteIpv6NetworkCidr StaticRoutesOnly TransportTransitGatewayAttachmentId TunnelBandwidth TunnelInsideIpVersion"
)
CONNECTION = block(
    "AWS::EC2::VPNConnection",
    "ec2",
    key="VpnConnectionId",
    listed=Listed(operation=_LIST, id="VpnConnectionId", members="VpnConnections", by_id="vpn-connection-id"),
    asked=Call(_LIST, key="VpnConnectionIds[]"),
    create=Call(
        "CreateVpnConnection",
        renamed={_TUNNELS: "Options.TunnelOptions", **{name: f"Options.{name}" for name in _OPTIONS.split()}},
    ),
    made="VpnConnection.VpnConnectionId",
    shown={name: f"Options.{name}" for name in _OPTIONS.split()},
    modify={
        "ModifyVpnConnection": "CustomerGatewayId TransitGatewayId VpnGatewayId",
        "ModifyVpnConnectionOptions": "TunnelBandwidth",
    },
    delete="DeleteVpnConnection",
    state=State(at="State", pending="pending modifying", going="deleting", gone="deleted"),
    tags="vpn-connection",
    create_only=_TUNNELS,
    write_only=_TUNNELS,
)


def _routes(connection: JsonMap) -> Json:
    return [
        {**one, "VpnConnectionId": connection["VpnConnectionId"]}
        for one in connection.get("Routes") or ()
        if one.get("Source") == "Static"
    ]


ROUTE = block(
    "AWS::EC2::VPNConnectionRoute",
    "ec2",
    key="DestinationCidrBlock VpnConnectionId",
    listed=Listed(operation=_LIST, each=_routes, id="DestinationCidrBlock VpnConnectionId", members="VpnConnections"),
    create="CreateVpnConnectionRoute",
    delete="DeleteVpnConnectionRoute",
    state=State(at="State", pending="pending", going="deleting", gone="deleted", ends_at_once=True),
    exclusive=[("VpnConnectionId", "DestinationCidrBlock")],
)
_TABLES = Listed(operation="DescribeRouteTables", id="RouteTableId", size=100).paging("ec2")


def _told_by(client: AccountClient, gateway: str) -> frozenset[str]:
    """The route tables that learn routes of a gateway; EC2 has no filter for it."""
    tables = client.pages(_TABLES)
    return frozenset(
        str(table["RouteTableId"])
        for table in tables
        if any(one.get("GatewayId") == gateway for one in table.get("PropagatingVgws") or ())
    )


def _propagate(work: Work, gateway: str, tables: Sequence[str]) -> None:
    for one in tables:
        work.change("ec2", "EnableVgwRoutePropagation", GatewayId=gateway, RouteTableId=one)


def _stop(work: Work, gateway: str, tables: Sequence[str]) -> None:
    for one in tables:
        work.let_go("ec2", "DisableVgwRoutePropagation", GatewayId=gateway, RouteTableId=one)


PROPAGATION = held(
    HeldMembers(
        name="AWS::EC2::VPNGatewayRoutePropagation",
        holder="VpnGatewayId",
        members="RouteTableIds",
        there=_told_by,
        put=_propagate,
        take_out=_stop,
        told=list,
        declared=list,
        # An update keeps it, as it does in CloudFormation.
        answered=lambda request: dict.fromkeys(("Id", "Ref"), generated_name(request, 64)),
    ),
    put="ec2:EnableVgwRoutePropagation",
    take_out="ec2:DisableVgwRoutePropagation",
    create_only="VpnGatewayId",
    exclusive=[("VpnGatewayId", "RouteTableIds")],
    attributes="Id Ref",
    ref_attribute="Ref",
)
TYPES = (VPN_GATEWAY, CUSTOMER_GATEWAY, *together(CONNECTION, ROUTE), PROPAGATION)
