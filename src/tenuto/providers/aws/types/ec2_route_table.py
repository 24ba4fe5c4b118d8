"""AWS::EC2::RouteTable, AWS::EC2::SubnetRouteTableAssociation, and the source that shows both and the routes."""

from tenuto.errors import PermanentError
from tenuto.model.ids import JsonMap, PhysicalId
from tenuto.model.observation import Condition
from tenuto.model.outcome import Done, Outcome
from tenuto.providers.aws.client.answers.pages import ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.owner import read_tags
from tenuto.providers.aws.kind import AwsType, IdFilter, Scope, Seen, Source, Work, by_owner, by_properties
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types import ec2_route
from tenuto.providers.aws.types.facts import calls, facts

TABLE = "AWS::EC2::RouteTable"
ASSOCIATION = "AWS::EC2::SubnetRouteTableAssociation"
_TABLES = ec2("DescribeRouteTables", "RouteTables", page_size=100)
_MAIN = "it is the main route table of its VPC, and comes and goes with that"
_CONDITIONS = {
    "associating": Condition.PENDING,
    "disassociating": Condition.GOING,
    "disassociated": Condition.GONE,
    "failed": Condition.BROKEN,
}


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    found: list[Seen] = []
    for table in client.pages(_TABLES, **narrowed(scope.filters)):
        table_id = table["RouteTableId"]
        found.append(
            seen(
                TABLE,
                table_id,
                {"VpcId": table.get("VpcId")},
                attributes={"RouteTableId": table_id},
                tags=table.get("Tags") or (),
                undeclarable=_MAIN if any(one.get("Main") for one in table.get("Associations") or ()) else "",
            )
        )
        found += [_seen_association(one) for one in table.get("Associations") or () if one.get("SubnetId")]
        found += [ec2_route.seen_route(table_id, route) for route in table.get("Routes") or () if _is_declarable(route)]
    return found


def _is_declarable(route: JsonMap) -> bool:
    """Whether a route can be declared: routes within the VPC and routes that a gateway propagates come
    by themselves.
    """
    return route.get("GatewayId") != "local" and route.get("Origin") != "EnableVgwRoutePropagation"


def _seen_association(association: JsonMap) -> Seen:
    association_id = association["RouteTableAssociationId"]
    state = association.get("AssociationState") or {}
    return seen(
        ASSOCIATION,
        association_id,
        {"RouteTableId": association.get("RouteTableId"), "SubnetId": association["SubnetId"]},
        attributes={"Id": association_id},
        condition=_CONDITIONS.get(str(state.get("State")), Condition.READY),
        message=str(state.get("StatusMessage") or ""),
    )


def _create(work: Work) -> Outcome:
    made = work.change("ec2", "CreateRouteTable", VpcId=work.need("VpcId"), **work.birth())["RouteTable"]
    return Done(physical_id=made["RouteTableId"], attributes={"RouteTableId": made["RouteTableId"]})


def _delete(work: Work) -> Outcome:
    work.change("ec2", "DeleteRouteTable", RouteTableId=work.id)
    return Done(physical_id=work.id)


def _associate(work: Work) -> Outcome:
    """Associate the subnet, after a read: EC2 refuses a subnet that uses another table, and other endpoints answer with
    that other one.
    """
    table_id, subnet_id = work.need("RouteTableId"), work.need("SubnetId")
    present = _association_of(work, subnet_id)
    if present is None:
        answer = work.change("ec2", "AssociateRouteTable", RouteTableId=table_id, SubnetId=subnet_id)
        association_id = str(answer["AssociationId"])
    else:
        association_id = str(present["RouteTableAssociationId"])
        if present.get("RouteTableId") != table_id:
            association_id = _take_back(work, association_id, present)
    return Done(physical_id=PhysicalId(association_id), attributes={"Id": association_id})


def _association_of(work: Work, subnet_id: str) -> JsonMap | None:
    within = [{"Name": "association.subnet-id", "Values": [subnet_id]}]
    for table in work.client.pages(_TABLES, Filters=within):
        for association in table.get("Associations") or ():
            if association.get("SubnetId") == subnet_id:
                return {"RouteTableId": table["RouteTableId"], **association}
    return None


def _take_back(work: Work, association_id: str, present: JsonMap) -> str:
    table_id, subnet_id = work.need("RouteTableId"), work.need("SubnetId")
    if not _is_our_subnet(work, subnet_id):
        raise PermanentError(
            f"The subnet {subnet_id} uses the route table {present.get('RouteTableId')} already.",
            code="Resource.AlreadyAssociated",
        )
    answer = work.change("ec2", "ReplaceRouteTableAssociation", AssociationId=association_id, RouteTableId=table_id)
    return str(answer["NewAssociationId"])


def _is_our_subnet(work: Work, subnet_id: str) -> bool:
    """A subnet of this very process was pointed to another table: that is drift, not another one's property."""
    for subnet in work.read("ec2", "DescribeSubnets", SubnetIds=[subnet_id])["Subnets"]:
        owner = read_tags(subnet.get("Tags")).owner
        return owner is not None and owner.fid == work.request.fid
    return False


def _disassociate(work: Work) -> Outcome:
    work.change("ec2", "DisassociateRouteTable", AssociationId=work.id)
    return Done(physical_id=work.id)


SOURCE = Source(
    name="ec2.DescribeRouteTables",
    read=_read,
    by_id={
        TABLE: IdFilter(name="route-table-id"),
        ec2_route.NAME: IdFilter(name="route-table-id"),
        ASSOCIATION: IdFilter(name="association.route-table-association-id"),
    },
)

ROUTE_TABLE = AwsType(
    facts=facts(
        TABLE,
        SOURCE,
        calls=calls("ec2:CreateRouteTable", "ec2:DeleteRouteTable", is_tagged=True),
    ),
    source=SOURCE,
    question=by_ids("DescribeRouteTables", "RouteTableIds", "RouteTables"),
    create=_create,
    delete=_delete,
    is_found=by_owner,
    tagged_as="route-table",
)

ROUTE = ec2_route.route_type(SOURCE)

ROUTE_TABLE_ASSOCIATION = AwsType(
    facts=facts(
        ASSOCIATION,
        SOURCE,
        calls=calls("ec2:AssociateRouteTable", "ec2:DisassociateRouteTable"),
        exclusive=[("SubnetId",)],
        is_tagged=False,
        is_mutable=False,
    ),
    source=SOURCE,
    create=_associate,
    delete=_disassociate,
    is_found=by_properties("RouteTableId", "SubnetId"),
    is_answered_by_id=True,
    find_filters=(("RouteTableId", "route-table-id"),),
)
TYPES = (ROUTE, ROUTE_TABLE, ROUTE_TABLE_ASSOCIATION)
