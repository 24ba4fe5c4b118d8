"""AWS::EC2::VPNGateway and AWS::EC2::CustomerGateway: the two ends of a connection. Their Refs are their ids."""

from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State

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
TYPES = (VPN_GATEWAY, CUSTOMER_GATEWAY)
