"""Security groups. Their rules are things of their own (`ec2_rules`); a group shows permissions that are made of
those."""

from collections.abc import Mapping
from typing import Any

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.describing import Listing, describe
from tenuto_testing.cloud.families.ec2_rules import Rule, add_rules, drop_rules, show_rules
from tenuto_testing.cloud.families.kinds import INTERFACE, RULE, SECURITY_GROUP, VPC
from tenuto_testing.cloud.tags import check_specifications
from tenuto_testing.cloud.wire.messages import Refusal
from tenuto_testing.cloud.world import Data, Thing

__all__ = ["HANDLERS", "drop_rules", "make"]

_LONGEST = 255

GROUPS = Listing(
    kind=SECURITY_GROUP,
    members="SecurityGroups",
    ids="GroupIds",
    filters={
        "description": "Description",
        "group-id": "GroupId",
        "group-name": "GroupName",
        "ip-permission.cidr": "IpPermissions.IpRanges.CidrIp",
        "ip-permission.group-id": "IpPermissions.UserIdGroupPairs.GroupId",
        "owner-id": "OwnerId",
        "vpc-id": "VpcId",
    },
)
_list_groups = describe(GROUPS)


def make(call: Call, name: str, description: str, vpc_id: str, *, is_default: bool = False) -> Thing:
    """A group that lets everything out; a VPC's default one lets in the traffic from itself."""
    group = call.make(
        SECURITY_GROUP,
        {
            "Description": description,
            "GroupName": name,
            "IpPermissions": [],
            "IpPermissionsEgress": [],
            "OwnerId": call.account,
            "VpcId": vpc_id,
        },
        parents=[vpc_id],
        hidden={"is_default": is_default},
        is_asked_for=not is_default,
    )
    group.data["SecurityGroupArn"] = f"arn:aws:ec2:{call.region}:{call.account}:security-group/{group.id}"
    born = [Rule(is_egress=True, protocol="-1", cidr="0.0.0.0/0")]
    if is_default:
        born.append(Rule(is_egress=False, protocol="-1", group=group.id, owner=call.account))
    add_rules(call, group, born, is_asked_for=False)
    show_rules(call, group)
    return group


def _create(call: Call) -> Data:
    check_specifications(call.want("TagSpecifications") or (), ["security-group"])
    name, vpc_id = call.need("GroupName"), call.want("VpcId") or _default_vpc(call)
    vpc = call.get(VPC, vpc_id)
    for what, text in (("GroupName", name), ("GroupDescription", call.need("Description"))):
        if len(text) > _LONGEST or not text.isascii():
            raise Refusal("InvalidParameterValue", f"Value ({text}) for parameter {what} is invalid.")
    if name.startswith("sg-"):
        raise Refusal("InvalidParameterValue", "Invalid group name: it cannot start with 'sg-'.")
    if name == "default":
        raise Refusal("InvalidGroup.Reserved", "The security group 'default' is reserved")
    if any(one["GroupName"] == name for one in call.all(SECURITY_GROUP, vpc.id)):
        raise Refusal("InvalidGroup.Duplicate", f"The security group '{name}' already exists for VPC '{vpc.id}'")
    if len(call.all(SECURITY_GROUP)) >= call.cloud.quotas.security_groups:
        raise Refusal("SecurityGroupLimitExceeded", "The maximum number of security groups has been reached.")
    group = make(call, name, call.want("Description"), vpc.id)
    return {"GroupId": group.id, "Tags": group.tags(), "SecurityGroupArn": group["SecurityGroupArn"]}


def _default_vpc(call: Call) -> str:
    for vpc in call.all(VPC):
        if vpc["IsDefault"]:
            return vpc.id
    raise Refusal("VPCIdNotSpecified", "No default VPC for this user")


def _describe(call: Call) -> Data:
    names = call.want("GroupNames")
    if not names:
        return _list_groups(call)
    default = _default_vpc(call)
    by_name = {one["GroupName"]: one for one in call.all(SECURITY_GROUP, default)}
    for name in names:
        if name not in by_name:
            raise Refusal(
                "InvalidGroup.NotFound", f"The security group '{name}' does not exist in default VPC '{default}'"
            )
    return {"SecurityGroups": [by_name[name] for name in names]}


def _delete(call: Call) -> Data:
    group = call.get(SECURITY_GROUP, call.need("GroupId"))
    if group.hidden["is_default"]:
        raise Refusal("CannotDelete", f'the specified group: "{group.id}" name: "default" cannot be deleted by a user')
    referring = [rule for rule in call.all(RULE, group.id) if rule["GroupId"] != group.id]
    if referring or call.all(INTERFACE, group.id):
        raise Refusal("DependencyViolation", f"resource {group.id} has a dependent object")
    drop_rules(call, group)
    call.remove(group)
    return {"Return": True, "GroupId": group.id}


HANDLERS: Mapping[str, Any] = {
    "CreateSecurityGroup": _create,
    "DeleteSecurityGroup": _delete,
    "DescribeSecurityGroups": _describe,
}
