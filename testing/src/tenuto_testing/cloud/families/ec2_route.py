"""Routes: one destination, one target of the right VPC."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families.cidr import network
from tenuto_testing.cloud.families.kinds import INSTANCE, INTERFACE, INTERNET_GATEWAY, NAT_GATEWAY, ROUTE_TABLE
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

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
_NOT_FOUND = {
    "GatewayId": ("InvalidGatewayID.NotFound", "gateway ID"),
    "InstanceId": ("InvalidInstanceID.NotFound", "instance ID"),
    "NatGatewayId": ("InvalidNatGatewayID.NotFound", "natGateway ID"),
    "NetworkInterfaceId": ("InvalidNetworkInterfaceID.NotFound", "networkInterface ID"),
}
_KINDS = {
    "GatewayId": INTERNET_GATEWAY,
    "InstanceId": INSTANCE,
    "NatGatewayId": NAT_GATEWAY,
    "NetworkInterfaceId": INTERFACE,
}


def _destination(call: Call) -> tuple[str, str]:
    given = [name for name in _DESTINATIONS if call.want(name)]
    if len(given) != 1:
        raise Refusal("MissingParameter", "The request must contain exactly one destination")
    text = call.want(given[0])
    return given[0], text if given[0] == "DestinationPrefixListId" else str(network(text, given[0]))


def _target(call: Call, table: Thing) -> Data:
    given = [name for name in _TARGETS if call.want(name)]
    if len(given) != 1:
        code = "InvalidParameterCombination" if given else "MissingParameter"
        raise Refusal(code, "The request must contain exactly one target of the route")
    name, target_id = given[0], call.want(given[0])
    if target_id == "local":
        return {name: target_id}
    if name not in _KINDS:
        raise Refusal("InvalidParameterValue", f"The strict cloud has no targets of the kind {name}.")
    target = call.place.table(_KINDS[name]).things.get(target_id)
    is_gone = target is None or target.get("State") in ("failed", "deleting", "deleted")
    if target is None or is_gone or target.made_at > call.horizon().new:
        code, noun = _NOT_FOUND[name]
        raise Refusal(code, f"The {noun} '{target_id}' does not exist")
    return _reached(table, name, target)


def _reached(table: Thing, name: str, target: Thing) -> Data:
    vpcs = [one["VpcId"] for one in target["Attachments"]] if name == "GatewayId" else [target["VpcId"]]
    if table["VpcId"] not in vpcs:
        raise Refusal(
            "InvalidParameterValue",
            f"route table {table.id} and network gateway {target.id} belong to different networks",
        )
    if name == "InstanceId":
        interface = target["NetworkInterfaces"][0]["NetworkInterfaceId"]
        return {"InstanceId": target.id, "InstanceOwnerId": target.hidden["owner"], "NetworkInterfaceId": interface}
    return {name: target.id}


def _create(call: Call) -> Data:
    table = call.get(ROUTE_TABLE, call.want("RouteTableId"))
    name, destination = _destination(call)
    route = {name: destination, **_target(call, table), "Origin": "CreateRoute", "State": "active"}
    if any(one.get(name) == destination for one in table["Routes"]):
        raise Refusal("RouteAlreadyExists", f"The route identified by {destination} already exists.")
    if len(table["Routes"]) > call.cloud.quotas.routes:
        raise Refusal("RouteLimitExceeded", f"The maximum number of routes of {table.id} has been reached.")
    call.edit(table)["Routes"].append(route)
    return {"Return": True}


def _replace(call: Call) -> Data:
    table = call.get(ROUTE_TABLE, call.want("RouteTableId"))
    name, destination = _destination(call)
    index = _known(table, name, destination)
    route = {name: destination, **_target(call, table), "Origin": "CreateRoute", "State": "active"}
    call.edit(table)["Routes"][index] = route
    return {}


def _delete(call: Call) -> Data:
    table = call.get(ROUTE_TABLE, call.want("RouteTableId"))
    name, destination = _destination(call)
    index = _known(table, name, destination)
    if table["Routes"][index].get("GatewayId") == "local":
        raise Refusal("InvalidParameterValue", f"cannot remove local route {destination} in route table {table.id}")
    del call.edit(table)["Routes"][index]
    return {}


def _known(table: Thing, name: str, destination: str) -> int:
    for index, route in enumerate(table["Routes"]):
        if route.get(name) == destination:
            return index
    raise Refusal(
        "InvalidRoute.NotFound", f"no route with destination-cidr-block {destination} in route table {table.id}"
    )


HANDLERS: Mapping[str, Any] = {"CreateRoute": _create, "DeleteRoute": _delete, "ReplaceRoute": _replace}
