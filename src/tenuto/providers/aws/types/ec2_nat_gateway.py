"""AWS::EC2::NatGateway. Slow both ways: minutes from pending to available, and from deleting to deleted."""

from collections.abc import Sequence

from tenuto.errors import ProviderError
from tenuto.model.ids import JsonMap
from tenuto.model.observation import Condition
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.model.resource import Comparison
from tenuto.providers.aws.absence import UNSHOWN
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.client.answers.pages import any_of, ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.names import client_token
from tenuto.providers.aws.kind import AwsType, IdFilter, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import seen
from tenuto.providers.aws.outcomes import outcome_of
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types.facts import calls, facts, unsaid

NAME = "AWS::EC2::NatGateway"
_GATEWAYS = ec2("DescribeNatGateways", "NatGateways")
_INTERNET_GATEWAYS = ec2("DescribeInternetGateways", "InternetGateways")
_CONDITIONS = {
    "pending": Condition.PENDING,
    "failed": Condition.BROKEN,
    "deleting": Condition.GOING,
    "deleted": Condition.GONE,
}
_REGIONAL = ("AutoProvisionZones", "AutoScalingIps", "RouteTableId")
"""Attributes that a regional gateway has, and no other."""
_GONE = "unknown to AWS"
_READ_AGAIN_S = 10.0
"""AWS takes about a minute to delete one; asking more often tells nothing."""


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    # This API alone calls its parameter Filter.
    filters = {"Filter": list(scope.filters)} if scope.filters else {}
    return [_seen(gateway) for gateway in client.pages(_GATEWAYS, **filters)]


def _seen(gateway: JsonMap) -> Seen:
    addresses = gateway.get("NatGatewayAddresses") or ()
    primary: JsonMap = next((one for one in addresses if one.get("IsPrimary")), next(iter(addresses), {}))
    others = [one for one in addresses if one is not primary]
    state = str(gateway.get("State"))
    return seen(
        NAME,
        gateway["NatGatewayId"],
        {
            "AllocationId": primary.get("AllocationId"),
            "AvailabilityMode": gateway.get("AvailabilityMode"),
            "ConnectivityType": gateway.get("ConnectivityType"),
            "PrivateIpAddress": primary.get("PrivateIp"),
            "SecondaryAllocationIds": [one["AllocationId"] for one in others if one.get("AllocationId")],
            "SecondaryPrivateIpAddresses": [one["PrivateIp"] for one in others if one.get("PrivateIp")],
            "SecondaryPrivateIpAddressCount": len(others),
            "SubnetId": gateway.get("SubnetId"),
            "VpcId": gateway.get("VpcId"),
        },
        attributes={"NatGatewayId": gateway["NatGatewayId"], "EniId": primary.get("NetworkInterfaceId")}
        | {name: gateway.get(name) for name in _REGIONAL},
        tags=gateway.get("Tags") or (),
        condition=_CONDITIONS.get(state, Condition.READY),
        message=str(gateway.get("FailureMessage") or ""),
    )


def _create(work: Work) -> Outcome:
    if work.want("ConnectivityType") != "private" and not _has_way_out(work):
        # AWS accepts it all the same, and lets it fail for good a minute later.
        return Pending(
            message=f"{work.want('SubnetId') or work.want('VpcId')} has no way out yet: a public NAT gateway needs an "
            "internet gateway attached to its VPC",
            code="Gateway.NotAttached",
            is_undone=True,
        )
    try:
        made = _order(work)
    except ProviderError as error:
        held = _held_by_a_gone_one(work) if error.code == "Resource.AlreadyAssociated" else None
        if held is None:
            raise
        return held
    return Done(physical_id=made["NatGatewayId"], attributes={"NatGatewayId": made["NatGatewayId"]})


def _order(work: Work) -> JsonMap:
    answer = work.change(
        "ec2",
        "CreateNatGateway",
        **work.given(
            "AllocationId",
            "AvailabilityMode",
            "ConnectivityType",
            "PrivateIpAddress",
            "SecondaryAllocationIds",
            "SecondaryPrivateIpAddressCount",
            "SecondaryPrivateIpAddresses",
            "SubnetId",
            "VpcId",
        ),
        ClientToken=client_token(work.request),
        **work.birth(),
    )
    found: JsonMap = answer["NatGateway"]
    return found


def _held_by_a_gone_one(work: Work) -> Outcome | None:
    """The outcome when a gateway on its way out, or out, still holds the address; None when something else does.

    AWS lets go once the deletion is done. An endpoint that never does is asked to, and asked again later. A gateway
    shows the address for an hour after its deletion, when another one, or another user, may have it.
    """
    held = _association(work)
    leaving = [{"Name": "state", "Values": ["deleting", "deleted"]}]
    for gateway in work.client.pages(_GATEWAYS, Filter=leaving):
        is_out = gateway.get("State") == "deleted"
        for address in gateway.get("NatGatewayAddresses") or ():
            its = str(address.get("AssociationId") or "")
            is_of_another = is_out and bool(held and its) and held != its
            if address.get("AllocationId") != work.want("AllocationId") or is_of_another:
                continue
            if is_out and held and held == its:
                work.let_go("ec2", "DisassociateAddress", AssociationId=held)
            return Pending(
                message=f"{gateway['NatGatewayId']}, which is {gateway.get('State')}, still holds the address",
                code="Resource.AlreadyAssociated",
                is_undone=True,
            )
    return None


def _association(work: Work) -> str:
    """The association by which something has the address; empty while it is free."""
    found = work.read("ec2", "DescribeAddresses", AllocationIds=[work.want("AllocationId")])["Addresses"]
    return next((str(one.get("AssociationId") or "") for one in found), "")


def _has_way_out(work: Work) -> bool:
    """Whether an internet gateway is attached to the VPC of the subnet."""
    vpc_id = work.want("VpcId")
    if work.want("SubnetId"):
        subnets = work.read("ec2", "DescribeSubnets", SubnetIds=[work.want("SubnetId")])["Subnets"]
        vpc_id = next((subnet.get("VpcId") for subnet in subnets), vpc_id)
    within = [{"Name": "attachment.vpc-id", "Values": [str(vpc_id)]}]
    return any(True for _ in work.client.pages(_INTERNET_GATEWAYS, Filters=within))


def _delete_all(client: AccountClient, requests: Sequence[Request]) -> list[Outcome]:
    """Delete the gateways between two bulk reads: a gateway is gone when it is seen as deleted, or AWS knows of none.

    One that is not shown is told to go as well: the refusal tells that it is gone, which a list that lacks it does not.
    """
    ids = [str(request.physical_id) for request in requests]
    states = _states(client, ids)
    failures: dict[str, Outcome] = {}
    gone: set[str] = set()
    for request in requests:
        if states.get(str(request.physical_id), UNSHOWN) in ("available", "failed", "pending", UNSHOWN):
            try:
                client.change("ec2", "DeleteNatGateway", (request.object_id,), NatGatewayId=str(request.physical_id))
            except ProviderError as error:
                if faults.is_gone(error):
                    gone.add(str(request.physical_id))
                else:
                    failures[request.object_id] = outcome_of(error)
    states = {**dict.fromkeys(gone, _GONE), **_states(client, ids)}
    return [failures.get(request.object_id) or _end(request, states) for request in requests]


def _states(client: AccountClient, ids: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for filters in any_of("nat-gateway-id", ids):
        for gateway in client.pages(_GATEWAYS, Filter=filters):
            found[gateway["NatGatewayId"]] = str(gateway.get("State"))
    return found


def _end(request: Request, states: JsonMap) -> Outcome:
    state = states.get(str(request.physical_id), UNSHOWN)
    if state in ("deleted", _GONE):
        return Done(physical_id=request.physical_id, was_absent=state == _GONE)
    return Pending(message=f"{request.physical_id} is {state}", delay_s=_READ_AGAIN_S)


SOURCE = Source(
    name="ec2.DescribeNatGateways",
    read=_read,
    by_id={
        NAME: IdFilter(name="nat-gateway-id"),
    },
)

NAT_GATEWAY = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        refused={
            "AvailabilityZoneAddresses": "Only regional NAT gateways have it, which no emulator serves, so "
            "nothing shows that it would be held. Declare a gateway with SubnetId for each zone.",
        },
        calls=calls("ec2:CreateNatGateway", "ec2:DeleteNatGateway", is_tagged=True),
        makes_once=True,
        create_only="SecondaryAllocationIds SecondaryPrivateIpAddressCount SecondaryPrivateIpAddresses",
        compare_as={
            "AvailabilityMode": Comparison.SHOWN,
            "ConnectivityType": Comparison.SHOWN,
            "SecondaryAllocationIds": Comparison.SET,
            "SecondaryPrivateIpAddresses": Comparison.SET,
        },
        unsaid=[unsaid("PrivateIpAddress SecondaryPrivateIpAddressCount"), unsaid("VpcId", beside="SubnetId")],
        exclusive=[("AllocationId",)],
    ),
    source=SOURCE,
    question=by_ids("DescribeNatGateways", "NatGatewayIds", "NatGateways"),
    create=_create,
    delete_all=_delete_all,
    is_found=by_owner,
    tagged_as="natgateway",
)
TYPES = (NAT_GATEWAY,)
