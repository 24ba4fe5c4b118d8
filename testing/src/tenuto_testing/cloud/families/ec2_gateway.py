"""Internet gateways and their attachment to one VPC."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families import ec2_route_table
from tenuto_testing.cloud.families.kinds import INTERFACE, INTERNET_GATEWAY, VPC
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

GATEWAYS = Listing(
    kind=INTERNET_GATEWAY,
    members="InternetGateways",
    ids="InternetGatewayIds",
    filters={
        "attachment.state": "Attachments.State",
        "attachment.vpc-id": "Attachments.VpcId",
        "internet-gateway-id": "InternetGatewayId",
        "owner-id": "OwnerId",
    },
)


def make(call: Call, *, is_asked_for: bool = True) -> Thing:
    return call.make(INTERNET_GATEWAY, {"Attachments": [], "OwnerId": call.account}, is_asked_for=is_asked_for)


def attach(call: Call, gateway: Thing, vpc_id: str) -> None:
    call.edit(gateway)["Attachments"] = [{"State": "available", "VpcId": vpc_id}]
    call.place.table(INTERNET_GATEWAY).move(gateway, (vpc_id,))
    ec2_route_table.revive(call, vpc_id, "GatewayId", gateway.id)


def has_way_out(call: Call, vpc_id: str) -> bool:
    """Whether an internet gateway is attached to the VPC."""
    return bool(call.all(INTERNET_GATEWAY, vpc_id))


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["internet-gateway"])
    if len(call.all(INTERNET_GATEWAY)) >= call.cloud.quotas.internet_gateways:
        raise Refusal(
            "InternetGatewayLimitExceeded", "The maximum number of internet gateways for this account has been reached."
        )
    return {"InternetGateway": make(call)}


def _attach(call: Call) -> Data:
    gateway = call.get(INTERNET_GATEWAY, call.want("InternetGatewayId"))
    vpc = call.get(VPC, call.want("VpcId"))
    if gateway["Attachments"]:
        held_by = gateway["Attachments"][0]["VpcId"]
        raise Refusal("Resource.AlreadyAssociated", f"resource {gateway.id} is already attached to network {held_by}")
    if has_way_out(call, vpc.id):
        raise Refusal("InvalidParameterValue", f"Network {vpc.id} already has an internet gateway attached")
    attach(call, gateway, vpc.id)
    return {}


def _detach(call: Call) -> Data:
    gateway = call.get(INTERNET_GATEWAY, call.want("InternetGatewayId"))
    vpc = call.get(VPC, call.want("VpcId"))
    if not any(one["VpcId"] == vpc.id for one in gateway["Attachments"]):
        raise Refusal("Gateway.NotAttached", f"resource {gateway.id} is not attached to network {vpc.id}")
    if any(interface.get("Association") for interface in call.all(INTERFACE, vpc.id)):
        raise Refusal(
            "DependencyViolation",
            f"Network {vpc.id} has some mapped public address(es). Please unmap those public address(es) before "
            "detaching the gateway.",
        )
    call.edit(gateway)["Attachments"] = []
    call.place.table(INTERNET_GATEWAY).move(gateway, ())
    ec2_route_table.blacken(call, vpc.id, "GatewayId", gateway.id)
    return {}


def _delete(call: Call) -> Data:
    gateway = call.get(INTERNET_GATEWAY, call.want("InternetGatewayId"))
    if gateway["Attachments"]:
        raise Refusal(
            "DependencyViolation", f"The internetGateway '{gateway.id}' has dependencies and cannot be deleted."
        )
    call.remove(gateway)
    return {}


HANDLERS: Mapping[str, Any] = {
    "AttachInternetGateway": _attach,
    "CreateInternetGateway": _create,
    "DeleteInternetGateway": _delete,
    "DescribeInternetGateways": describe(GATEWAYS),
    "DetachInternetGateway": _detach,
}
