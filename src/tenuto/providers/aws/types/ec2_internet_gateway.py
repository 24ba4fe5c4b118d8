"""AWS::EC2::InternetGateway and AWS::EC2::VPCGatewayAttachment, which is seen at its gateway.

An attachment is known by its kind and its VPC (`Ref`), but found again by its gateway.
"""

from tenuto.model.ids import Json, JsonMap
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.together import together

_BY_ID = "internet-gateway-id"
_KIND = "IGW"


def _attachments(gateway: JsonMap) -> Json:
    return [
        {"InternetGatewayId": gateway["InternetGatewayId"], **one, "Kind": _KIND, "Ref": f"{_KIND}|{one['VpcId']}"}
        for one in gateway.get("Attachments") or ()
    ]


INTERNET_GATEWAY = block(
    "AWS::EC2::InternetGateway",
    "ec2",
    key="InternetGatewayId",
    listed=Listed(operation="DescribeInternetGateways", id="InternetGatewayId", size=1000, by_id=_BY_ID),
    asked=Call("DescribeInternetGateways", key="InternetGatewayIds[]"),
    create="CreateInternetGateway",
    made="InternetGateway.InternetGatewayId",
    delete="DeleteInternetGateway",
    tags="internet-gateway",
)
GATEWAY_ATTACHMENT = block(
    "AWS::EC2::VPCGatewayAttachment",
    "ec2",
    key="InternetGatewayId VpcId",
    listed=Listed(
        operation="DescribeInternetGateways",
        each=_attachments,
        id="InternetGatewayId VpcId",
        size=1000,
        by_id=_BY_ID,
    ),
    create="AttachInternetGateway",
    delete="DetachInternetGateway",
    state=State(at="State", pending="attaching", going="detaching", gone="detached", ends_at_once=True),
    attributes={"AttachmentType": "Kind", "Ref": "Ref"},
    create_only="InternetGatewayId VpnGatewayId",
    exclusive=[("InternetGatewayId",), ("VpcId",)],
    unsupported="VpnGatewayId",
)
TYPES = together(INTERNET_GATEWAY, GATEWAY_ATTACHMENT)
