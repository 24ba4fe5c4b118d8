"""AWS::EC2::InternetGateway and AWS::EC2::VPCGatewayAttachment, which is seen at its gateway.

An attachment is known by its kind and its VPC (`Ref`), but found again by its gateway. The gateway is one to the
internet or one of a VPN, and each kind has calls and a list of its own. Nothing marks an attachment, so the list of the
second kind is read only where one of it is held. Another gateway is attached in place, as in CloudFormation: a VPC has
no room for two of a kind, so the old one goes first.
"""

from collections.abc import Callable
from dataclasses import replace

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.outcome import Done, Outcome, Request
from tenuto.providers.aws.blocks.block import block
from tenuto.providers.aws.blocks.calls import Call, Listed, State
from tenuto.providers.aws.blocks.together import together
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, IdFilter, Scope, Seen, Work
from tenuto.providers.aws.types.facts import calls

_BY_ID, _BY_VPN_ID = "internet-gateway-id", "vpn-gateway-id"
_INTERNET, _VPN = "InternetGatewayId", "VpnGatewayId"
_NAME, _VPN_PREFIX = "AWS::EC2::VPCGatewayAttachment", "vgw-"
_DETACH = {_INTERNET: "DetachInternetGateway", _VPN: "DetachVpnGateway"}
_STATE = State(at="State", pending="attaching", going="detaching", gone="detached", ends_at_once=True)


def _attached(word: str, kind: str, attachments: str) -> Callable[[JsonMap], Json]:
    return lambda gateway: [
        {word: gateway[word], **one, "Kind": kind, "Ref": f"{kind}|{one['VpcId']}"}
        for one in gateway.get(attachments) or ()
        if one.get("State") != "detached"
    ]


def _attachment(word: str, listed: Listed, attach: str, detach: str) -> AwsType:
    """The attachments of one kind of gateway."""
    return block(
        _NAME,
        "ec2",
        key=f"{word} VpcId",
        listed=listed,
        create=attach,
        delete=detach,
        state=_STATE,
        attributes={"AttachmentType": "Kind", "Ref": "Ref"},
        exclusive=[(_INTERNET,), (_VPN,)],
    )


INTERNET_GATEWAY = block(
    "AWS::EC2::InternetGateway",
    "ec2",
    key=_INTERNET,
    listed=Listed(operation="DescribeInternetGateways", id=_INTERNET, size=1000, by_id=_BY_ID),
    asked=Call("DescribeInternetGateways", key="InternetGatewayIds[]"),
    create="CreateInternetGateway",
    made="InternetGateway.InternetGatewayId",
    delete="DeleteInternetGateway",
    tags="internet-gateway",
)
_TO_INTERNET = _attachment(
    _INTERNET,
    Listed(
        operation="DescribeInternetGateways",
        each=_attached(_INTERNET, "IGW", "Attachments"),
        id=f"{_INTERNET} VpcId",
        size=1000,
        by_id=_BY_ID,
    ),
    "AttachInternetGateway",
    _DETACH[_INTERNET],
)
_TO_VPN = _attachment(
    _VPN,
    Listed(
        operation="DescribeVpnGateways",
        each=_attached(_VPN, "VGW", "VpcAttachments"),
        id=f"{_VPN} VpcId",
        members="VpnGateways",
        by_id=_BY_VPN_ID,
    ),
    "AttachVpnGateway",
    _DETACH[_VPN],
)
_GATEWAY, _INTERNET_ATTACHMENT = together(INTERNET_GATEWAY, _TO_INTERNET)


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    filtered = {str(one["Name"]) for one in scope.filters}
    found = [] if _BY_VPN_ID in filtered else _GATEWAY.source.read(client, scope)
    is_vpn_asked = scope.names is not None or any(one.startswith(_VPN_PREFIX) for one in scope.ids(_NAME))
    if is_vpn_asked and _BY_ID not in filtered and (scope.names is None or _NAME in scope.names):
        found += _TO_VPN.source.read(client, scope)
    return found


def _wanted(request: Request) -> AwsType:
    """The kind that is declared. Raises PermanentError for both."""
    if request.properties.get(_INTERNET) and request.properties.get(_VPN):
        raise PermanentError(f"{request.type} takes {_INTERNET} or {_VPN}, not both.", code="InvalidRequest")
    return _TO_VPN if request.properties.get(_VPN) else _TO_INTERNET


def _sought(request: Request) -> str:
    find_name = _wanted(request).find_name
    assert find_name is not None
    return find_name(request)


def _move(work: Work) -> Outcome:
    """Attach another gateway in place of the one that is there."""
    if _sought(work.request) == work.id:
        return Done(physical_id=work.id)
    gateway, vpc = str(work.id).split("|")
    word = _VPN if gateway.startswith(_VPN_PREFIX) else _INTERNET
    work.let_go("ec2", _DETACH[word], **{word: gateway, "VpcId": vpc})
    return _wanted(work.request).create(work)


def _delete(work: Work) -> Outcome:
    delete = (_TO_VPN if work.id.startswith(_VPN_PREFIX) else _TO_INTERNET).delete
    assert delete is not None
    return delete(work)


_SOURCE = replace(
    _GATEWAY.source,
    read=_read,
    by_id={
        "AWS::EC2::InternetGateway": IdFilter(name=_BY_ID),
        _NAME: IdFilter(name=_BY_ID, others={_VPN_PREFIX: _BY_VPN_ID}),
    },
)
GATEWAY_ATTACHMENT = replace(
    _INTERNET_ATTACHMENT,
    source=_SOURCE,
    facts=replace(
        _INTERNET_ATTACHMENT.facts,
        mutable=True,
        calls=calls(
            "",
            "",
            changes={_INTERNET: "ec2:AttachInternetGateway", _VPN: "ec2:AttachVpnGateway"},
            settings={_INTERNET: None, _VPN: None},
        ),
    ),
    create=lambda work: _wanted(work.request).create(work),
    modify=_move,
    delete=_delete,
    find_name=_sought,
    is_found=lambda request, item: item.physical_id == _sought(request),
)
TYPES = (replace(_GATEWAY, source=_SOURCE), GATEWAY_ATTACHMENT)
