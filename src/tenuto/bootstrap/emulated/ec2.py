"""Refusals of EC2 about transit gateways and prefix lists that are not there, and the first tags of an attachment.

Moto shows nothing in place of a thing that is asked for by its id and is gone, which no answer of EC2 does.
"""

from collections.abc import Callable
from typing import Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response

_ASKED = {
    "describe_managed_prefix_lists": ("PrefixListIds", "managed_prefix_lists", "PrefixListID"),
    "describe_transit_gateways": ("TransitGatewayIds", "transit_gateways", "TransitGatewayID"),
    "describe_transit_gateway_vpc_attachments": (
        "TransitGatewayAttachmentIds",
        "transit_gateway_attachments",
        "TransitGatewayAttachmentID",
    ),
    "describe_transit_gateway_route_tables": (
        "TransitGatewayRouteTableIds",
        "transit_gateways_route_tables",
        "RouteTableID",
    ),
}
"""The calls, each with the parameter of ids, where moto keeps the things, and EC2's word for the id."""
_searched = EC2Response.search_transit_gateway_routes
_attach = EC2Response.create_transit_gateway_vpc_attachment


def _refusing(call: Callable[[Any], Any], parameter: str, kept: str, word: str) -> Callable[[Any], Any]:
    def asked(self: Any) -> Any:
        for one in self._get_param(parameter, []):
            if one not in getattr(self.ec2_backend, kept):
                raise EC2ClientError(f"Invalid{word}.NotFound", f"The ID '{one}' does not exist")
        return call(self)

    return asked


def _attach_tagged(self: Any) -> Any:
    answer = _attach(self)
    tags = self._parse_tag_specification().get("transit-gateway-attachment", {})
    list(self.ec2_backend.transit_gateway_attachments.values())[-1].add_tags(tags)
    return answer


def _search(self: Any) -> Any:
    """The routes of a table; moto shows one attachment in place of a list."""
    answer: Any = _searched(self)
    for route in answer.result["routeSet"]:
        one = route.get("transitGatewayAttachments")
        route["transitGatewayAttachments"] = [one] if isinstance(one, dict) else one or []
    return answer


def add() -> None:
    """Add them."""
    for name, place in _ASKED.items():
        setattr(EC2Response, name, _refusing(getattr(EC2Response, name), *place))
    setattr(EC2Response, "create_transit_gateway_vpc_attachment", _attach_tagged)  # noqa: B010
    setattr(EC2Response, "search_transit_gateway_routes", _search)  # noqa: B010
    # In place of a route that is there, moto puts the new one.
    setattr(EC2Response, "replace_transit_gateway_route", EC2Response.create_transit_gateway_route)  # noqa: B010
