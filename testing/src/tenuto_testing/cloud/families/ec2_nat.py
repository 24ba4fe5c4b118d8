"""NAT gateways. A mistake in an order for one shows later: it is accepted, stays pending, and fails for good."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families import ec2_address, ec2_interface, ec2_route_table
from tenuto_testing.cloud.families.ec2_gateway import has_way_out
from tenuto_testing.cloud.families.kinds import ADDRESS, INTERFACE, NAT_GATEWAY, SUBNET
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_GONE = ("deleting", "deleted")

GATEWAYS = Listing(
    kind=NAT_GATEWAY,
    members="NatGateways",
    ids="NatGatewayIds",
    filters={
        "nat-gateway-id": "NatGatewayId",
        "state": "State",
        "subnet-id": "SubnetId",
        "vpc-id": "VpcId",
    },
    filters_in="Filter",
)


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["natgateway"])
    subnet = call.get(SUBNET, call.need("SubnetId"))
    if call.want("VpcId"):
        raise Refusal("InvalidParameterCombination", "VpcId is for regional NAT gateways, which take no SubnetId.")
    is_public = call.want("ConnectivityType", "public") == "public"
    if not is_public and call.want("AllocationId"):
        raise Refusal("InvalidParameterCombination", "A private NAT gateway takes no AllocationId.")
    address = call.get(ADDRESS, call.need("AllocationId")) if is_public else None
    standing = [one for one in call.all(NAT_GATEWAY) if one["State"] in ("pending", "available")]
    if (
        len([one for one in standing if one.hidden["zone"] == subnet["AvailabilityZone"]])
        >= call.cloud.quotas.nat_gateways
    ):
        raise Refusal(
            "NatGatewayLimitExceeded",
            f"The maximum number of NAT gateways in {subnet['AvailabilityZone']} has been reached.",
        )
    problem = _problem(call, subnet, address)
    gateway = call.make(
        NAT_GATEWAY,
        {
            "AvailabilityMode": "zonal",
            "ConnectivityType": "public" if is_public else "private",
            "CreateTime": call.now,
            "NatGatewayAddresses": [{"AllocationId": address.id}] if address else [],
            "State": "pending",
            "SubnetId": subnet.id,
            "VpcId": subnet["VpcId"],
        },
        parents=[subnet["VpcId"], subnet.id],
        hidden={"zone": subnet["AvailabilityZone"], "interface": ""},
    )
    if problem is not None:
        call.later(call.cloud.pace.nat_failure_s, lambda then: _fail(then, gateway, problem))
    else:
        _connect(call, gateway, subnet, address)
        call.later(call.cloud.pace.nat_start_s, lambda then: _start(then, gateway))
    return {"NatGateway": gateway}


def _problem(call: Call, subnet: Thing, address: Thing | None) -> tuple[str, str] | None:
    """Code and message of the failure that the order will end in."""
    if address is None:
        return None
    if not has_way_out(call, subnet["VpcId"]):
        return "Gateway.NotAttached", f"Network {subnet['VpcId']} has no Internet gateway attached"
    if address.get("AssociationId"):
        return "Resource.AlreadyAssociated", f"Elastic IP address [{address.id}] is already associated"
    return None


def _connect(call: Call, gateway: Thing, subnet: Thing, address: Thing | None) -> None:
    interface = ec2_interface.make(
        call,
        subnet,
        (),
        holder=gateway.id,
        description=f"Interface for NAT Gateway {gateway.id}",
        wanted_ip=call.want("PrivateIpAddress"),
        kind="nat_gateway",
    )
    gateway.hidden["interface"] = interface.id
    shown: Data = {
        "IsPrimary": True,
        "NetworkInterfaceId": interface.id,
        "PrivateIp": interface["PrivateIpAddress"],
        "Status": "associating",
    }
    if address is not None:
        association_id = ec2_address.bind(call, address, interface)
        shown |= {"AllocationId": address.id, "AssociationId": association_id, "PublicIp": address["PublicIp"]}
    call.edit(gateway)["NatGatewayAddresses"] = [shown]


def _start(call: Call, gateway: Thing) -> None:
    if gateway["State"] == "pending":
        data = call.edit(gateway)
        data["State"] = "available"
        data["NatGatewayAddresses"] = [{**one, "Status": "succeeded"} for one in data["NatGatewayAddresses"]]


def _fail(call: Call, gateway: Thing, problem: tuple[str, str]) -> None:
    if gateway["State"] == "pending":
        call.edit(gateway).update(State="failed", FailureCode=problem[0], FailureMessage=problem[1])
        call.later(call.cloud.pace.remembered_s, lambda then: _forget(then, gateway))


def _delete(call: Call) -> Data:
    gateway = call.get(NAT_GATEWAY, call.want("NatGatewayId"))
    if gateway["State"] not in _GONE:
        call.edit(gateway)["State"] = "deleting"
        ec2_route_table.blacken(call, gateway["VpcId"], "NatGatewayId", gateway.id)
        call.later(call.cloud.pace.nat_stop_s, lambda then: _end(then, gateway))
    return {"NatGatewayId": gateway.id}


def _end(call: Call, gateway: Thing) -> None:
    for address in call.all(ADDRESS, gateway.hidden["interface"]):
        ec2_address.unbind(call, address)
    for interface in call.all(INTERFACE, gateway.id):
        ec2_interface.remove(call, interface)
    call.edit(gateway).update(State="deleted", DeleteTime=call.now)
    call.place.table(NAT_GATEWAY).move(gateway, ())
    call.later(call.cloud.pace.remembered_s, lambda then: _forget(then, gateway))


def _forget(call: Call, gateway: Thing) -> None:
    if gateway.id in call.place.table(NAT_GATEWAY).things and gateway["State"] in ("failed", "deleted"):
        call.remove(gateway)


HANDLERS: Mapping[str, Any] = {
    "CreateNatGateway": _create,
    "DeleteNatGateway": _delete,
    "DescribeNatGateways": describe(GATEWAYS),
}
