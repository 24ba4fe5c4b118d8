"""AWS::EC2::VPC."""

from collections.abc import Mapping

from tenuto.model.default_group import RESTRICT_DEFAULT_GROUP
from tenuto.model.ids import JsonMap
from tenuto.model.observation import Condition
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers.pages import any_of, ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, IdFilter, Scope, Seen, Source, Work, by_owner, flag
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types.facts import calls, facts, untried

NAME = "AWS::EC2::VPC"
_VPCS = ec2("DescribeVpcs", "Vpcs")
_ACLS = ec2("DescribeNetworkAcls", "NetworkAcls")
_GROUPS = ec2("DescribeSecurityGroups", "SecurityGroups")
_DEFAULTS = ("DefaultNetworkAcl", "DefaultSecurityGroup")
_RESTRICTED = RESTRICT_DEFAULT_GROUP
_DNS = {"EnableDnsSupport": "enableDnsSupport", "EnableDnsHostnames": "enableDnsHostnames"}

_SIDES = {"IpPermissions": "RevokeSecurityGroupIngress", "IpPermissionsEgress": "RevokeSecurityGroupEgress"}


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    vpcs = list(client.pages(_VPCS, **narrowed(scope.filters)))
    tracked = [vpc["VpcId"] for vpc in vpcs if scope.is_tracked(NAME, vpc["VpcId"])]
    switches = scope.details(client, NAME, tracked, lambda asked: _switches(client, asked))
    defaults = scope.lasting(client, NAME, tracked, lambda asked: _defaults(client, list(asked)))
    return [
        _seen(vpc, switches.get(vpc["VpcId"], {}), defaults.get(vpc["VpcId"], {}))
        for vpc in vpcs
        if vpc["VpcId"] in switches or not scope.is_tracked(NAME, vpc["VpcId"])
    ]


def _switches(client: AccountClient, asked: Mapping[str, frozenset[str]]) -> dict[str, JsonMap]:
    """The DNS switches that are asked for of each VPC; no bulk call shows them."""
    return client.each_there(
        lambda vpc_id: {name: _switch(client, vpc_id, name) for name in sorted(asked[vpc_id])}, asked
    )


def _switch(client: AccountClient, vpc_id: str, name: str) -> bool:
    if name == _RESTRICTED:
        return not any(group.get(side) for group in _default_groups(client, vpc_id) for side in _SIDES)
    answer = client.read("ec2", "DescribeVpcAttribute", VpcId=vpc_id, Attribute=_DNS[name])
    return flag(answer[name].get("Value"))


def _default_groups(client: AccountClient, vpc_id: str) -> list[JsonMap]:
    """The security group that came with the VPC, with its rules."""
    filters = [{"Name": "vpc-id", "Values": [vpc_id]}, {"Name": "group-name", "Values": ["default"]}]
    return [one for one in client.pages(_GROUPS, Filters=filters) if one["VpcId"] == vpc_id]


def _defaults(client: AccountClient, vpc_ids: list[str]) -> dict[str, JsonMap]:
    """The network ACL and the security group that came with each VPC, for `Fn::GetAtt`; of those that show both."""
    found: dict[str, dict[str, str]] = {vpc_id: {} for vpc_id in vpc_ids}
    for within in any_of("vpc-id", vpc_ids):
        for acl in client.pages(_ACLS, **narrowed(within, {"Name": "default", "Values": ["true"]})):
            found.get(acl["VpcId"], {})["DefaultNetworkAcl"] = acl["NetworkAclId"]
        for group in client.pages(_GROUPS, **narrowed(within, {"Name": "group-name", "Values": ["default"]})):
            found.get(group["VpcId"], {})["DefaultSecurityGroup"] = group["GroupId"]
    return {vpc_id: both for vpc_id, both in found.items() if len(both) == len(_DEFAULTS)}


def _seen(vpc: JsonMap, switches: JsonMap, defaults: JsonMap) -> Seen:
    blocks = [one["AssociationId"] for one in vpc.get("CidrBlockAssociationSet") or () if "AssociationId" in one]
    ipv6 = [one["Ipv6CidrBlock"] for one in vpc.get("Ipv6CidrBlockAssociationSet") or () if one.get("Ipv6CidrBlock")]
    return seen(
        NAME,
        vpc["VpcId"],
        {"CidrBlock": vpc.get("CidrBlock"), "InstanceTenancy": vpc.get("InstanceTenancy"), **switches},
        attributes={
            "VpcId": vpc["VpcId"],
            "CidrBlock": vpc.get("CidrBlock"),
            "CidrBlockAssociations": blocks,
            # A block of IPv6 comes after its VPC. A resource that refers to it waits for it, and is not told of an
            # empty list.
            **({"Ipv6CidrBlocks": ipv6} if ipv6 else {}),
            **defaults,
        },
        tags=vpc.get("Tags") or (),
        condition=Condition.PENDING if vpc.get("State") == "pending" else Condition.READY,
    )


def _create(work: Work) -> Outcome:
    made = work.change(
        "ec2",
        "CreateVpc",
        **work.given("CidrBlock", "InstanceTenancy", "Ipv4IpamPoolId", "Ipv4NetmaskLength"),
        **work.birth(),
    )["Vpc"]
    return Done(physical_id=made["VpcId"], attributes={"VpcId": made["VpcId"], "CidrBlock": made.get("CidrBlock")})


def _modify(work: Work) -> Outcome:
    names = [name for name in _DNS if work.differs(name)]
    # Host names need support: support is switched on before them, and off after them.
    names.sort(key=lambda name: (name == "EnableDnsSupport") != flag(work.want("EnableDnsSupport")))
    for name in names:
        work.change("ec2", "ModifyVpcAttribute", VpcId=work.id, **{name: {"Value": flag(work.want(name))}})
    if work.differs(_RESTRICTED) and flag(work.want(_RESTRICTED)):
        _restrict(work)
    return Done(physical_id=work.id)


def _restrict(work: Work) -> None:
    """Take all rules off the default security group, so that a thing that is put into it by mistake is closed."""
    for group in _default_groups(work.client, str(work.id)):
        for side, operation in _SIDES.items():
            if group.get(side):
                work.change("ec2", operation, GroupId=group["GroupId"], IpPermissions=group[side])


def _delete(work: Work) -> Outcome:
    work.change("ec2", "DeleteVpc", VpcId=work.id)
    return Done(physical_id=work.id)


SOURCE = Source(name="ec2.DescribeVpcs", read=_read, by_id={NAME: IdFilter(name="vpc-id")})

VPC = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        refused={
            "VpcEncryptionControl": untried("aws ec2 create-vpc-encryption-control"),
        },
        calls=calls(
            "ec2:CreateVpc",
            "ec2:DeleteVpc",
            "ec2:ModifyVpcAttribute",
            changes={
                **dict.fromkeys(_DNS, "ec2:ModifyVpcAttribute"),
                _RESTRICTED: "ec2:RevokeSecurityGroupIngress ec2:RevokeSecurityGroupEgress",
            },
            settings={"EnableDnsHostnames": False, "EnableDnsSupport": True},
            is_tagged=True,
        ),
        create_only="InstanceTenancy",
        defaults={"EnableDnsHostnames": False, "EnableDnsSupport": True},
        attributes="CidrBlock",
        costly=(*_DNS, _RESTRICTED),
        compare_as={"CidrBlock": Comparison.CIDR},
    ),
    source=SOURCE,
    question=by_ids("DescribeVpcs", "VpcIds", "Vpcs"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    tagged_as="vpc",
)
TYPES = (VPC,)
