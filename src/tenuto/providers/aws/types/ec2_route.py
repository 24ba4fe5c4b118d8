"""AWS::EC2::Route. A route has no id: its table and its destination in EC2's own spelling name it."""

import ipaddress

from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.kind import AwsType, Seen, Source, Work, by_key
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.types.facts import calls, facts

NAME = "AWS::EC2::Route"
_DESTINATIONS = ("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId")
_TARGETS = (
    "CarrierGatewayId",
    "CoreNetworkArn",
    "EgressOnlyInternetGatewayId",
    "GatewayId",
    "InstanceId",
    "LocalGatewayId",
    "NatGatewayId",
    "NetworkInterfaceId",
    "TransitGatewayId",
    "VpcEndpointId",
    "VpcPeeringConnectionId",
)


def seen_route(table_id: str, route: JsonMap) -> Seen:
    """A route of a route table's answer."""
    targets = {name: route.get(name) or None for name in _TARGETS}
    if str(targets["GatewayId"]).startswith("vpce-"):
        # EC2 takes an endpoint by a parameter of its own and shows it as a gateway.
        targets |= {"VpcEndpointId": targets["GatewayId"], "GatewayId": None}
    destinations = {
        "DestinationCidrBlock": route.get("DestinationCidrBlock"),
        "DestinationIpv6CidrBlock": route.get("DestinationIpv6CidrBlock"),
        "DestinationPrefixListId": route.get("DestinationPrefixListId"),
    }
    properties = {"RouteTableId": table_id, **destinations, **targets}
    return seen(
        NAME,
        _route_id(properties),
        properties,
        attributes={"CidrBlock": _destination(properties)},
        undeclarable="a gateway endpoint makes it, and removes it again"
        if targets["VpcEndpointId"] and destinations["DestinationPrefixListId"]
        else "",
        message="its target is gone or detached (blackhole)" if route.get("State") == "blackhole" else "",
    )


def _route_id(properties: JsonMap) -> str:
    return f"{properties.get('RouteTableId')}|{_destination(properties)}"


def _destination(properties: JsonMap) -> str:
    """The destination as EC2 spells it: without host bits, IPv6 in its shortest form."""
    text = next((str(properties[name]) for name in _DESTINATIONS if properties.get(name)), "")
    try:
        return str(ipaddress.ip_network(text, strict=False))
    except ValueError:
        return text


def _create(work: Work) -> Outcome:
    work.change("ec2", "CreateRoute", RouteTableId=work.need("RouteTableId"), **work.given(*_DESTINATIONS, *_TARGETS))
    return Done(
        physical_id=PhysicalId(_route_id(work.request.properties)),
        attributes={"CidrBlock": _destination(work.request.properties)},
    )


def _modify(work: Work) -> Outcome:
    if any(work.differs(name) for name in _TARGETS):
        work.change(
            "ec2", "ReplaceRoute", RouteTableId=work.need("RouteTableId"), **work.given(*_DESTINATIONS, *_TARGETS)
        )
    return Done(physical_id=work.id)


def _delete(work: Work) -> Outcome:
    table_id, destination = work.id.split("|")
    name = "DestinationCidrBlock"
    if destination.startswith("pl-"):
        name = "DestinationPrefixListId"
    elif ":" in destination:
        name = "DestinationIpv6CidrBlock"
    work.change("ec2", "DeleteRoute", RouteTableId=table_id, **{name: destination})
    return Done(physical_id=work.id)


def route_type(source: Source) -> AwsType:
    """The block of the type; routes are seen where route tables are."""
    return AwsType(
        facts=facts(
            NAME,
            source,
            refused={
                "OdbNetworkArn": "No emulator serves its calls, so nothing shows that it would be held. Take "
                "the route out, and make it with `aws ec2 create-route`; Tenuto leaves routes alone that no "
                "composition declares.",
            },
            calls=calls("ec2:CreateRoute", "ec2:DeleteRoute", "ec2:ReplaceRoute"),
            compare_as={"DestinationCidrBlock": Comparison.CIDR, "DestinationIpv6CidrBlock": Comparison.CIDR},
            exclusive=[("RouteTableId", name) for name in _DESTINATIONS],
            is_tagged=False,
        ),
        source=source,
        create=_create,
        modify=_modify,
        delete=_delete,
        is_found=by_key(_route_id),
        find_filters=(("RouteTableId", "route-table-id"),),
    )
