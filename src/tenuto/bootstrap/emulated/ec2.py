"""Refusals of EC2 about transit gateways and prefix lists that are not there, and the values that moto forgets: the
first tags of an attachment, the private address that an Elastic IP is given, the descriptions of rules about prefix
lists and groups.

Moto shows nothing in place of a thing that is asked for by its id and is gone, which no answer of EC2 does.
"""

from collections.abc import Callable
from typing import Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.elastic_ip_addresses import ElasticAddress
from moto.ec2.models.security_groups import SecurityGroup, SecurityGroupRule
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
_associate = EC2Response.associate_address
_make_rule = SecurityGroupRule.__init__
_in_groups = SecurityGroup._flattened_rules


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


def _associate_at(self: Any) -> Any:
    answer = _associate(self)
    association: Any = answer.result
    if association["AssociationId"]:
        [address] = self.ec2_backend.address_by_association([association["AssociationId"]])
        address.declared_private_ip = self._get_param("PrivateIpAddress")
    return answer


def _private_ip(self: Any) -> str | None:
    """The private address that an Elastic IP leads to: the first one of its interface where none was named."""
    if not self.eni:
        return None
    return getattr(self, "declared_private_ip", None) or str(self.eni.private_ip_address)


def _make_described_rule(self: Any, *given: Any, **more: Any) -> None:
    _make_rule(self, *given, **more)
    self.prefix_list = next((one for one in (*given, *more.values()) if _is_prefix_list(one)), None)


def _is_prefix_list(value: Any) -> bool:
    return isinstance(value, dict) and "PrefixListId" in value


def _with_prefix_lists(self: Any, rules: Any) -> Any:
    views = _in_groups(self, rules)
    for view in views:
        place = (view.ip_protocol, view.from_port, view.to_port)
        view.prefix_list_ids = [
            one.prefix_list
            for one in rules
            if one.prefix_list and (one.ip_protocol, one.from_port, one.to_port) == place
        ]
    return views


def _description(self: Any) -> str | None:
    found: str | None = (self.ip_range or self.source_group or self.prefix_list or {}).get("Description")
    return found


def _search(self: Any) -> Any:
    """The routes of a table; moto shows one attachment in place of a list."""
    answer: Any = _searched(self)
    for route in answer.result["routeSet"]:
        one = route.get("transitGatewayAttachments")
        route["transitGatewayAttachments"] = [one] if isinstance(one, dict) else one or []
    return answer


def add() -> None:
    """Add them."""
    setattr(EC2Response, "associate_address", _associate_at)  # noqa: B010
    setattr(ElasticAddress, "private_ip_address", property(_private_ip))  # noqa: B010
    setattr(SecurityGroupRule, "__init__", _make_described_rule)  # noqa: B010
    setattr(SecurityGroupRule, "description", property(_description))  # noqa: B010
    setattr(SecurityGroup, "_flattened_rules", _with_prefix_lists)  # noqa: B010
    for name, place in _ASKED.items():
        setattr(EC2Response, name, _refusing(getattr(EC2Response, name), *place))
    setattr(EC2Response, "create_transit_gateway_vpc_attachment", _attach_tagged)  # noqa: B010
    setattr(EC2Response, "search_transit_gateway_routes", _search)  # noqa: B010
    # In place of a route that is there, moto puts the new one.
    setattr(EC2Response, "replace_transit_gateway_route", EC2Response.create_transit_gateway_route)  # noqa: B010
