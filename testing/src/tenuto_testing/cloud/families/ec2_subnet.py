"""Subnets."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families import ec2_network_acl, ec2_route_table
from tenuto_testing.cloud.families.cidr import ipv4, is_inside, overlapping
from tenuto_testing.cloud.families.ec2_region import zone_of
from tenuto_testing.cloud.families.kinds import INTERFACE, SUBNET, VPC
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

_SWITCHES = {
    "AssignIpv6AddressOnCreation": "AssignIpv6AddressOnCreation",
    "EnableDns64": "EnableDns64",
    "MapPublicIpOnLaunch": "MapPublicIpOnLaunch",
}
_PRIVATE_DNS = {
    "EnableResourceNameDnsAAAARecordOnLaunch": "EnableResourceNameDnsAAAARecord",
    "EnableResourceNameDnsARecordOnLaunch": "EnableResourceNameDnsARecord",
    "PrivateDnsHostnameTypeOnLaunch": "HostnameType",
}

SUBNETS = Listing(
    kind=SUBNET,
    members="Subnets",
    ids="SubnetIds",
    filters={
        "availability-zone": "AvailabilityZone",
        "availability-zone-id": "AvailabilityZoneId",
        "cidr-block": "CidrBlock",
        "default-for-az": "DefaultForAz",
        "map-public-ip-on-launch": "MapPublicIpOnLaunch",
        "owner-id": "OwnerId",
        "state": "State",
        "subnet-arn": "SubnetArn",
        "subnet-id": "SubnetId",
        "vpc-id": "VpcId",
    },
)


def make(call: Call, vpc: Thing, block: str, zone: Data, *, is_default: bool = False) -> Thing:
    """A subnet that uses the VPC's default network ACL."""
    subnet = call.make(
        SUBNET,
        {
            "AssignIpv6AddressOnCreation": False,
            "AvailabilityZone": zone["ZoneName"],
            "AvailabilityZoneId": zone["ZoneId"],
            "AvailableIpAddressCount": ipv4(block, "cidrBlock").num_addresses - 5,
            "CidrBlock": block,
            "DefaultForAz": is_default,
            "EnableDns64": False,
            "Ipv6CidrBlockAssociationSet": [],
            "Ipv6Native": False,
            "MapCustomerOwnedIpOnLaunch": False,
            "MapPublicIpOnLaunch": is_default,
            "OwnerId": call.account,
            "PrivateDnsNameOptionsOnLaunch": {
                "HostnameType": "ip-name",
                "EnableResourceNameDnsARecord": False,
                "EnableResourceNameDnsAAAARecord": False,
            },
            "State": "pending",
            "VpcId": vpc.id,
        },
        parents=[vpc.id],
        is_asked_for=not is_default,
    )
    subnet.data["SubnetArn"] = f"arn:aws:ec2:{call.region}:{call.account}:subnet/{subnet.id}"
    ec2_network_acl.adopt(call, subnet)
    call.later(call.cloud.pace.network_s, lambda then: then.edit(subnet).update(State="available"))
    return subnet


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["subnet"])
    vpc = call.get(VPC, call.want("VpcId"))
    block = ipv4(call.need("CidrBlock"), "cidrBlock")
    zone = zone_of(call)
    if not 16 <= block.prefixlen <= 28 or not is_inside(
        block, (one["CidrBlock"] for one in vpc["CidrBlockAssociationSet"])
    ):
        raise Refusal("InvalidSubnet.Range", f"The CIDR '{block}' is invalid.")
    neighbours = call.all(SUBNET, vpc.id)
    if overlapping(block, (one["CidrBlock"] for one in neighbours)):
        raise Refusal("InvalidSubnet.Conflict", f"The CIDR '{block}' conflicts with another subnet")
    if len(neighbours) >= call.cloud.quotas.subnets:
        raise Refusal("SubnetLimitExceeded", f"The maximum number of subnets for VPC '{vpc.id}' has been reached.")
    return {"Subnet": make(call, vpc, str(block), zone)}


def _modify(call: Call) -> Data:
    subnet = call.get(SUBNET, call.want("SubnetId"))
    wanted = [name for name in call.parameters if name not in ("SubnetId", "DryRun")]
    if len(wanted) != 1:
        raise Refusal("InvalidParameterCombination", "Exactly one subnet attribute must be given.")
    name, value = wanted[0], call.want(wanted[0])
    if name in _SWITCHES:
        call.edit(subnet)[_SWITCHES[name]] = value["Value"]
    elif name in _PRIVATE_DNS:
        options = call.edit(subnet)["PrivateDnsNameOptionsOnLaunch"]
        options[_PRIVATE_DNS[name]] = value["Value"] if isinstance(value, dict) else value
    elif name == "EnableLniAtDeviceIndex":
        call.edit(subnet)[name] = value
    else:
        raise Refusal("InvalidParameterValue", f"The attribute {name} of a subnet cannot be changed here.")
    return {}


def _delete(call: Call) -> Data:
    subnet = call.get(SUBNET, call.want("SubnetId"))
    if call.all(INTERFACE, subnet.id):
        raise Refusal("DependencyViolation", f"The subnet '{subnet.id}' has dependencies and cannot be deleted.")
    ec2_route_table.let_go(call, subnet.id)
    ec2_network_acl.let_go(call, subnet)
    call.remove(subnet)
    return {}


HANDLERS: Mapping[str, Any] = {
    "CreateSubnet": _create,
    "DeleteSubnet": _delete,
    "DescribeSubnets": describe(SUBNETS),
    "ModifySubnetAttribute": _modify,
}
