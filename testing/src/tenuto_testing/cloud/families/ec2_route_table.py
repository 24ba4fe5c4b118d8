"""Route tables, which subnet uses which, and the routes in them."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families.kinds import ROUTE_TABLE, SUBNET, VPC
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

TABLES = Listing(
    kind=ROUTE_TABLE,
    members="RouteTables",
    ids="RouteTableIds",
    filters={
        "association.gateway-id": "Associations.GatewayId",
        "association.main": "Associations.Main",
        "association.route-table-association-id": "Associations.RouteTableAssociationId",
        "association.route-table-id": "Associations.RouteTableId",
        "association.subnet-id": "Associations.SubnetId",
        "owner-id": "OwnerId",
        "route-table-id": "RouteTableId",
        "route.destination-cidr-block": "Routes.DestinationCidrBlock",
        "route.gateway-id": "Routes.GatewayId",
        "route.nat-gateway-id": "Routes.NatGatewayId",
        "route.state": "Routes.State",
        "vpc-id": "VpcId",
    },
    page=100,
    largest_page=100,
)


def make(call: Call, vpc: Thing, *, is_main: bool = False) -> Thing:
    """A table with the route that stays within the VPC."""
    local = {
        "DestinationCidrBlock": vpc["CidrBlock"],
        "GatewayId": "local",
        "Origin": "CreateRouteTable",
        "State": "active",
    }
    table = call.make(
        ROUTE_TABLE,
        {"Associations": [], "OwnerId": call.account, "PropagatingVgws": [], "Routes": [local], "VpcId": vpc.id},
        parents=[vpc.id],
        hidden={"is_main": is_main},
        is_asked_for=not is_main,
    )
    if is_main:
        _associate(call, table, None)
    return table


def let_go(call: Call, subnet_id: str) -> None:
    """The subnet goes, and its association with it."""
    found = _association_with(call, "SubnetId", subnet_id)
    if found is not None:
        call.edit(found[0])["Associations"].remove(found[1])


def blacken(call: Call, vpc_id: str, target: str, target_id: str) -> None:
    """Mark the routes of the VPC to a target that is gone: they stay, and lead nowhere."""
    _mark(call, vpc_id, target, target_id, "blackhole")


def revive(call: Call, vpc_id: str, target: str, target_id: str) -> None:
    """It is back."""
    _mark(call, vpc_id, target, target_id, "active")


def _mark(call: Call, vpc_id: str, target: str, target_id: str, state: str) -> None:
    for table in call.all(ROUTE_TABLE, vpc_id):
        if any(route.get(target) == target_id for route in table["Routes"]):
            for route in call.edit(table)["Routes"]:
                if route.get(target) == target_id:
                    route["State"] = state


def _associate(call: Call, table: Thing, subnet_id: str | None) -> str:
    association_id = call.new_id("rtbassoc")
    association: Data = {
        "Main": subnet_id is None,
        "RouteTableAssociationId": association_id,
        "RouteTableId": table.id,
        "AssociationState": {"State": "associated" if subnet_id is None else "associating"},
    }
    if subnet_id is not None:
        association["SubnetId"] = subnet_id
    call.edit(table)["Associations"].append(association)

    def settle(then: Call) -> None:
        for one in then.edit(table)["Associations"]:
            if one["RouteTableAssociationId"] == association_id:
                one["AssociationState"] = {"State": "associated"}

    call.later(call.cloud.pace.association_s, settle)
    return association_id


def _association_with(call: Call, name: str, value: str, vpc_id: str | None = None) -> tuple[Thing, Data] | None:
    for table in call.all(ROUTE_TABLE, vpc_id):
        for one in table["Associations"]:
            if one.get(name) == value:
                return table, one
    return None


def _association(call: Call, association_id: str) -> tuple[Thing, Data]:
    found = _association_with(call, "RouteTableAssociationId", association_id)
    if found is None:
        raise Refusal("InvalidAssociationID.NotFound", f"The association ID '{association_id}' does not exist")
    return found


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["route-table"])
    vpc = call.get(VPC, call.want("VpcId"))
    if len(call.all(ROUTE_TABLE, vpc.id)) >= call.cloud.quotas.route_tables:
        raise Refusal("RouteTableLimitExceeded", f"The maximum number of route tables of {vpc.id} has been reached.")
    return {"RouteTable": make(call, vpc)}


def _delete(call: Call) -> Data:
    table = call.get(ROUTE_TABLE, call.want("RouteTableId"))
    if table["Associations"]:
        raise Refusal("DependencyViolation", f"The routeTable '{table.id}' has dependencies and cannot be deleted.")
    call.remove(table)
    return {}


def _associate_subnet(call: Call) -> Data:
    table, subnet = call.get(ROUTE_TABLE, call.want("RouteTableId")), call.get(SUBNET, call.need("SubnetId"))
    if table["VpcId"] != subnet["VpcId"]:
        raise Refusal(
            "InvalidParameterValue", f"route table {table.id} and subnet {subnet.id} belong to different networks"
        )
    if _association_with(call, "SubnetId", subnet.id, subnet["VpcId"]):
        raise Refusal(
            "Resource.AlreadyAssociated",
            f"the specified association for route table {table.id} conflicts with an existing association",
        )
    return {"AssociationId": _associate(call, table, subnet.id), "AssociationState": {"State": "associating"}}


def _replace(call: Call) -> Data:
    target = call.get(ROUTE_TABLE, call.want("RouteTableId"))
    table, association = _association(call, call.want("AssociationId"))
    if table["VpcId"] != target["VpcId"]:
        raise Refusal("InvalidParameterValue", f"route tables {table.id} and {target.id} belong to different networks")
    call.edit(table)["Associations"].remove(association)
    new_id = _associate(call, target, association.get("SubnetId"))
    return {"NewAssociationId": new_id, "AssociationState": {"State": "associating"}}


def _disassociate(call: Call) -> Data:
    table, association = _association(call, call.want("AssociationId"))
    if association["Main"]:
        raise Refusal(
            "InvalidParameterValue",
            f"cannot disassociate the main route table association {call.want('AssociationId')}",
        )
    call.edit(table)["Associations"].remove(association)
    return {}


HANDLERS: Mapping[str, Any] = {
    "AssociateRouteTable": _associate_subnet,
    "CreateRouteTable": _create,
    "DeleteRouteTable": _delete,
    "DescribeRouteTables": describe(TABLES),
    "DisassociateRouteTable": _disassociate,
    "ReplaceRouteTableAssociation": _replace,
}
