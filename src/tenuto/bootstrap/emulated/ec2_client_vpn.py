"""Endpoints of Client VPN, and the networks that are associated with them."""

from typing import Any
from uuid import uuid4

from moto.core.responses import ActionResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response

_SETTINGS = (
    "AuthenticationOptions",
    "ClientCidrBlock",
    "ClientConnectOptions",
    "ClientLoginBannerOptions",
    "ClientRouteEnforcementOptions",
    "ConnectionLogOptions",
    "Description",
    "DevicePostureOptions",
    "DisconnectOnSessionTimeout",
    "DnsServers",
    "EndpointIpAddressType",
    "SecurityGroupIds",
    "ServerCertificateArn",
    "SessionTimeoutHours",
    "SplitTunnel",
    "TrafficIpAddressType",
    "TransitGatewayConfiguration",
    "TransportProtocol",
    "VpcId",
    "VpnPort",
)
_AT_FIRST = {
    "ClientConnectOptions": {"Enabled": False},
    "ClientLoginBannerOptions": {"Enabled": False},
    "ClientRouteEnforcementOptions": {"Enforced": False},
    "Description": "",
    "DisconnectOnSessionTimeout": True,
    "EndpointIpAddressType": "ipv4",
    "SessionTimeoutHours": 24,
    "SplitTunnel": False,
    "TrafficIpAddressType": "ipv4",
    "TransportProtocol": "udp",
    "VpnPort": 443,
}
_PORTAL, _CHAIN = "SelfServicePortal", "ClientRootCertificateChain"


def _endpoints(self: Any) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = vars(self.ec2_backend).setdefault("tenuto_client_vpn", {})
    return found


def _known(self: Any, name: str) -> dict[str, Any]:
    if name not in _endpoints(self):
        raise EC2ClientError("InvalidClientVpnEndpointId.NotFound", f"Endpoint {name} does not exist")
    return _endpoints(self)[name]


def _told(self: Any) -> dict[str, Any]:
    """The settings that a call names, in the words of a description."""
    found = {name: self._get_param(name) for name in _SETTINGS}
    found = {name: value for name, value in found.items() if value is not None}
    if self._get_param(_PORTAL):
        is_on = self._get_param(_PORTAL) == "enabled"
        found[f"{_PORTAL}Url"] = "https://self-service.clientvpn.amazonaws.com" if is_on else None
    return found


def _shown(endpoint: dict[str, Any]) -> dict[str, Any]:
    ways = []
    for way in endpoint.get("AuthenticationOptions") or ():
        chain = (way.get("MutualAuthentication") or {}).get(f"{_CHAIN}Arn")
        ways.append({**way, "MutualAuthentication": {_CHAIN: chain}} if chain else way)
    code = "available" if endpoint["tenuto_networks"] else "pending-associate"
    return {**endpoint, "AuthenticationOptions": ways, "Status": {"Code": code}}


def _create(self: Any) -> ActionResult:
    token = self._get_param("ClientToken")
    same = next((one for one in _endpoints(self).values() if token and one["tenuto_token"] == token), None)
    if same is None:
        name = f"cvpn-endpoint-{uuid4().hex[:17]}"
        tags = self._parse_tag_specification().get("client-vpn-endpoint", {})
        same = {
            **_AT_FIRST,
            **_told(self),
            "ClientVpnEndpointId": name,
            "Tags": [{"Key": key, "Value": value} for key, value in tags.items()],
            "tenuto_networks": {},
            "tenuto_token": token,
        }
        _endpoints(self)[name] = same
    return ActionResult({"ClientVpnEndpointId": same["ClientVpnEndpointId"], "Status": {"Code": "pending-associate"}})


def _describe(self: Any) -> ActionResult:
    names = list(self._get_param("ClientVpnEndpointIds", []) or [])
    for one in self._get_param("Filters", []) or []:
        names += [name for name in one["Values"] if name in _endpoints(self)]
    found = [_known(self, name) for name in names]
    is_asked = self._get_param("ClientVpnEndpointIds") or self._get_param("Filters")
    return ActionResult(
        {"ClientVpnEndpoints": [_shown(one) for one in (found if is_asked else _endpoints(self).values())]}
    )


def _modify(self: Any) -> ActionResult:
    endpoint, told = _known(self, self._get_param("ClientVpnEndpointId")), _told(self)
    servers = told.pop("DnsServers", None)
    if servers is not None:
        told["DnsServers"] = servers.get("CustomDnsServers") or []
    endpoint.update(told)
    return ActionResult({"Return": True})


def _delete(self: Any) -> ActionResult:
    endpoint = _known(self, self._get_param("ClientVpnEndpointId"))
    if endpoint["tenuto_networks"]:
        raise EC2ClientError("InvalidClientVpnState", "The endpoint has associated networks.")
    del _endpoints(self)[endpoint["ClientVpnEndpointId"]]
    return ActionResult({"Status": {"Code": "deleting"}})


def _associate(self: Any) -> ActionResult:
    endpoint = _known(self, self._get_param("ClientVpnEndpointId"))
    subnet = self.ec2_backend.get_subnet(self._get_param("SubnetId"))
    networks = endpoint["tenuto_networks"]
    same = next((one for one in networks.values() if one["TargetNetworkId"] == subnet.id), None)
    if same is not None and same["tenuto_token"] != self._get_param("ClientToken"):
        raise EC2ClientError("InvalidClientVpnDuplicateAssociation", "The subnet is associated already.")
    if same is None:
        same = {
            "AssociationId": f"cvpn-assoc-{uuid4().hex[:17]}",
            "AvailabilityZones": [subnet.availability_zone],
            "ClientVpnEndpointId": endpoint["ClientVpnEndpointId"],
            "Status": {"Code": "associated"},
            "TargetNetworkId": subnet.id,
            "VpcId": subnet.vpc_id,
            "tenuto_token": self._get_param("ClientToken"),
        }
        networks[same["AssociationId"]] = same
    return ActionResult({"AssociationId": same["AssociationId"], "Status": {"Code": "associating"}})


def _networks(self: Any) -> ActionResult:
    endpoint = _known(self, self._get_param("ClientVpnEndpointId"))
    names = self._get_param("AssociationIds", []) or []
    found = [one for name, one in endpoint["tenuto_networks"].items() if not names or name in names]
    return ActionResult({"ClientVpnTargetNetworks": found})


def _part(self: Any) -> ActionResult:
    endpoint, name = _known(self, self._get_param("ClientVpnEndpointId")), self._get_param("AssociationId")
    if endpoint["tenuto_networks"].pop(name, None) is None:
        raise EC2ClientError("InvalidClientVpnAssociationId.NotFound", f"Association {name} does not exist")
    return ActionResult({"AssociationId": name, "Status": {"Code": "disassociating"}})


def add() -> None:
    """Add the calls."""
    for name, call in (
        ("create_client_vpn_endpoint", _create),
        ("describe_client_vpn_endpoints", _describe),
        ("modify_client_vpn_endpoint", _modify),
        ("delete_client_vpn_endpoint", _delete),
        ("associate_client_vpn_target_network", _associate),
        ("describe_client_vpn_target_networks", _networks),
        ("disassociate_client_vpn_target_network", _part),
    ):
        setattr(EC2Response, name, call)
