"""VPCs, each with a main route table, a default security group and a default network ACL."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families import ec2_groups, ec2_network_acl, ec2_route_table
from tenuto_testing.cloud.families.cidr import ipv4
from tenuto_testing.cloud.families.kinds import (
    INTERFACE,
    INTERNET_GATEWAY,
    NETWORK_ACL,
    ROUTE_TABLE,
    SECURITY_GROUP,
    SUBNET,
    VPC,
)
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Kind, Thing

_ATTRIBUTES = {"EnableDnsSupport": True, "EnableDnsHostnames": False, "EnableNetworkAddressUsageMetrics": False}
_IN_THE_WAY: tuple[tuple[Kind, str], ...] = (
    (SUBNET, ""),
    (INTERNET_GATEWAY, ""),
    (INTERFACE, ""),
    (SECURITY_GROUP, "is_default"),
    (NETWORK_ACL, "is_default"),
    (ROUTE_TABLE, "is_main"),
)
"""The kinds of things that keep a VPC from its deletion, but for those that came with it."""

VPCS = Listing(
    kind=VPC,
    members="Vpcs",
    ids="VpcIds",
    filters={
        "cidr": "CidrBlock",
        "cidr-block-association.cidr-block": "CidrBlockAssociationSet.CidrBlock",
        "dhcp-options-id": "DhcpOptionsId",
        "is-default": "IsDefault",
        "owner-id": "OwnerId",
        "state": "State",
        "vpc-id": "VpcId",
    },
)


def make(call: Call, block: str, tenancy: str = "default", *, is_default: bool = False) -> Thing:
    """A VPC with its three companions."""
    association = {
        "AssociationId": call.new_id("vpc-cidr-assoc"),
        "CidrBlock": block,
        "CidrBlockState": {"State": "associated"},
    }
    vpc = call.make(
        VPC,
        {
            "CidrBlock": block,
            "State": "pending",
            "DhcpOptionsId": "dopt-0123456789abcdef0",
            "InstanceTenancy": tenancy,
            "IsDefault": is_default,
            "OwnerId": call.account,
            "CidrBlockAssociationSet": [association],
            "Ipv6CidrBlockAssociationSet": [],
        },
        hidden={**_ATTRIBUTES, "EnableDnsHostnames": is_default},
        is_asked_for=not is_default,
    )
    ec2_network_acl.make(call, vpc.id, is_default=True)
    ec2_route_table.make(call, vpc, is_main=True)
    ec2_groups.make(call, "default", "default VPC security group", vpc.id, is_default=True)
    call.later(call.cloud.pace.network_s, lambda then: then.edit(vpc).update(State="available"))
    return vpc


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["vpc"])
    block = ipv4(call.need("CidrBlock"), "cidrBlock")
    if not 16 <= block.prefixlen <= 28:
        raise Refusal("InvalidVpc.Range", f"The CIDR '{block}' is invalid.")
    if len(call.all(VPC)) >= call.cloud.quotas.vpcs:
        raise Refusal("VpcLimitExceeded", "The maximum number of VPCs has been reached.")
    return {"Vpc": make(call, str(block), call.want("InstanceTenancy", "default"))}


def _describe_attribute(call: Call) -> Data:
    vpc, wanted = call.get(VPC, call.want("VpcId")), call.want("Attribute")
    name = wanted[0].upper() + wanted[1:]
    return {"VpcId": vpc.id, name: {"Value": vpc.hidden[name]}}


def _modify_attribute(call: Call) -> Data:
    vpc = call.get(VPC, call.want("VpcId"))
    wanted = [name for name in _ATTRIBUTES if call.want(name) is not None]
    if len(wanted) != 1:
        raise Refusal("InvalidParameterCombination", "Exactly one attribute must be given.")
    vpc.hidden[wanted[0]] = call.want(wanted[0])["Value"]
    return {}


def _delete(call: Call) -> Data:
    vpc = call.get(VPC, call.want("VpcId"))
    for kind, came_along in _IN_THE_WAY:
        if any(not (came_along and one.hidden.get(came_along)) for one in call.all(kind, vpc.id)):
            raise Refusal("DependencyViolation", f"The vpc '{vpc.id}' has dependencies and cannot be deleted.")
    for kind in (SECURITY_GROUP, NETWORK_ACL, ROUTE_TABLE):
        for one in call.all(kind, vpc.id):
            if kind is SECURITY_GROUP:
                ec2_groups.drop_rules(call, one)
            call.remove(one)
    call.remove(vpc)
    return {}


HANDLERS: Mapping[str, Any] = {
    "CreateVpc": _create,
    "DeleteVpc": _delete,
    "DescribeVpcAttribute": _describe_attribute,
    "DescribeVpcs": describe(VPCS),
    "ModifyVpcAttribute": _modify_attribute,
}
