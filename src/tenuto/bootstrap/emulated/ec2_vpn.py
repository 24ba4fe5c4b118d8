"""Options, changes and routes of VPN connections, and the routes that a gateway makes known to route tables."""

from collections.abc import Callable
from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.models.route_tables import RouteTable
from moto.ec2.responses import EC2Response

_create = EC2Response.create_vpn_connection


def _known(self: Any) -> Any:
    return self.ec2_backend.describe_vpn_connections([self._get_param("VpnConnectionId")])[0]


def _created(self: Any) -> Any:
    answer = _create(self)
    vpn = list(self.ec2_backend.vpn_connections.values())[-1]
    vpn.options, vpn.routes = dict(self._get_param("Options") or {}), []
    vpn.options.pop("TunnelOptions", None)
    vpn.add_tags(self._parse_tag_specification().get("vpn-connection", {}))
    return answer


def _modify(self: Any) -> ActionResult:
    vpn = _known(self)
    for member, name in (
        ("customer_gateway_id", "CustomerGatewayId"),
        ("vpn_gateway_id", "VpnGatewayId"),
        ("transit_gateway_id", "TransitGatewayId"),
    ):
        if self._get_param(name):
            setattr(vpn, member, self._get_param(name))
    return ActionResult({"VpnConnection": vpn})


def _modify_options(self: Any) -> ActionResult:
    vpn = _known(self)
    vpn.options["TunnelBandwidth"] = self._get_param("TunnelBandwidth")
    return ActionResult({"VpnConnection": vpn})


def _route(self: Any) -> EmptyResult:
    route = {"DestinationCidrBlock": self._get_param("DestinationCidrBlock"), "State": "available", "Source": "Static"}
    _known(self).routes.append(route)
    return EmptyResult()


def _unroute(self: Any) -> EmptyResult:
    vpn, asked = _known(self), self._get_param("DestinationCidrBlock")
    vpn.routes = [one for one in vpn.routes if one["DestinationCidrBlock"] != asked]
    return EmptyResult()


def _propagate(*, is_on: bool) -> Callable[[Any], EmptyResult]:
    def act(self: Any) -> EmptyResult:
        table, gateway = self.ec2_backend.get_route_table(self._get_param("RouteTableId")), self._get_param("GatewayId")
        kept = [one for one in getattr(table, "propagating_vgws", []) if one["GatewayId"] != gateway]
        table.propagating_vgws = kept + ([{"GatewayId": gateway}] if is_on else [])
        return EmptyResult()

    return act


def add() -> None:
    """Add the calls."""
    for name, call in (
        ("create_vpn_connection", _created),
        ("modify_vpn_connection", _modify),
        ("modify_vpn_connection_options", _modify_options),
        ("create_vpn_connection_route", _route),
        ("delete_vpn_connection_route", _unroute),
        ("enable_vgw_route_propagation", _propagate(is_on=True)),
        ("disable_vgw_route_propagation", _propagate(is_on=False)),
    ):
        setattr(EC2Response, name, call)
    setattr(RouteTable, "propagating_vgws", [])  # noqa: B010
