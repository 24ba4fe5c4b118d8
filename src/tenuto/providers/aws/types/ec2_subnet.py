"""AWS::EC2::Subnet."""

from tenuto.model.ids import Json, JsonMap
from tenuto.model.observation import Condition
from tenuto.model.outcome import Done, Outcome
from tenuto.model.resource import Comparison
from tenuto.providers.aws.client.answers.answers import only
from tenuto.providers.aws.client.answers.pages import VALUES_PER_FILTER, any_of, ec2
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, IdFilter, Scope, Seen, Source, Work, by_owner
from tenuto.providers.aws.observed import narrowed, seen
from tenuto.providers.aws.question import by_ids
from tenuto.providers.aws.types.facts import calls, facts

NAME = "AWS::EC2::Subnet"
_SUBNETS = ec2("DescribeSubnets", "Subnets")
_ACLS = ec2("DescribeNetworkAcls", "NetworkAcls")
_SWITCHES = ("AssignIpv6AddressOnCreation", "MapPublicIpOnLaunch", "EnableDns64")
_LOST = ("disassociating", "disassociated", "failing", "failed")


def _read(client: AccountClient, scope: Scope) -> list[Seen]:
    subnets = list(client.pages(_SUBNETS, **narrowed(scope.filters)))
    tracked = [subnet["SubnetId"] for subnet in subnets if scope.is_tracked(NAME, subnet["SubnetId"])]
    associations = _acl_associations(client, tracked)
    return [_seen(subnet, associations.get(subnet["SubnetId"])) for subnet in subnets]


def _acl_associations(client: AccountClient, subnet_ids: list[Json]) -> dict[str, str]:
    """The network ACL association of each subnet, for `Fn::GetAtt`. There are fewer ACLs than subnets."""
    if not subnet_ids:
        return {}
    filters = next(any_of("association.subnet-id", subnet_ids)) if len(subnet_ids) <= VALUES_PER_FILTER else []
    return {
        association["SubnetId"]: association["NetworkAclAssociationId"]
        for acl in client.pages(_ACLS, **narrowed(filters))
        for association in acl.get("Associations") or ()
    }


def _is_kept(block: JsonMap) -> bool:
    """Whether the subnet has a block, or gets it. Emulators have other words for that than AWS, but not for its end."""
    return block.get("Ipv6CidrBlockState", {}).get("State") not in _LOST


def _seen(subnet: JsonMap, acl_association: str | None) -> Seen:
    ipv6 = [one["Ipv6CidrBlock"] for one in subnet.get("Ipv6CidrBlockAssociationSet") or () if _is_kept(one)]
    properties = {
        name: subnet.get(name)
        for name in (
            "AvailabilityZone",
            "AvailabilityZoneId",
            "CidrBlock",
            "Ipv6Native",
            "OutpostArn",
            "PrivateDnsNameOptionsOnLaunch",
            "VpcId",
            *_SWITCHES,
        )
    }
    return seen(
        NAME,
        subnet["SubnetId"],
        properties | {"Ipv6CidrBlock": ipv6[0] if ipv6 else None},
        attributes={
            "SubnetId": subnet["SubnetId"],
            "VpcId": subnet.get("VpcId"),
            "AvailabilityZone": subnet.get("AvailabilityZone"),
            "AvailabilityZoneId": subnet.get("AvailabilityZoneId"),
            "CidrBlock": subnet.get("CidrBlock"),
            "OutpostArn": subnet.get("OutpostArn"),
            "BlockPublicAccessStates": subnet.get("BlockPublicAccessStates"),
            "Ipv6CidrBlocks": ipv6,
            "NetworkAclAssociationId": acl_association,
        },
        tags=subnet.get("Tags") or (),
        condition=Condition.PENDING if subnet.get("State") == "pending" else Condition.READY,
    )


def _create(work: Work) -> Outcome:
    made = work.change(
        "ec2",
        "CreateSubnet",
        **work.given(
            "AvailabilityZone",
            "AvailabilityZoneId",
            "CidrBlock",
            "Ipv4IpamPoolId",
            "Ipv4NetmaskLength",
            "Ipv6CidrBlock",
            "Ipv6IpamPoolId",
            "Ipv6Native",
            "Ipv6NetmaskLength",
            "OutpostArn",
            "VpcId",
        ),
        **work.birth(),
    )["Subnet"]
    names = ("SubnetId", "VpcId", "AvailabilityZone", "CidrBlock")
    return Done(physical_id=made["SubnetId"], attributes={name: made[name] for name in names if name in made})


def _modify(work: Work) -> Outcome:
    if work.differs("Ipv6CidrBlock"):
        _replace_ipv6_block(work)
    # One attribute a call is all that the API takes.
    for name in _SWITCHES:
        if work.differs(name):
            _modify_attribute(work, name, {"Value": work.want(name)})
    if work.differs("EnableLniAtDeviceIndex"):
        _modify_attribute(work, "EnableLniAtDeviceIndex", work.want("EnableLniAtDeviceIndex"))
    _modify_private_dns(work)
    return Done(physical_id=work.id)


def _modify_private_dns(work: Work) -> None:
    wanted = work.want("PrivateDnsNameOptionsOnLaunch")
    if not wanted or not work.differs("PrivateDnsNameOptionsOnLaunch"):
        return
    if "HostnameType" in wanted:
        _modify_attribute(work, "PrivateDnsHostnameTypeOnLaunch", wanted["HostnameType"])
    for name in ("EnableResourceNameDnsARecord", "EnableResourceNameDnsAAAARecord"):
        if name in wanted:
            _modify_attribute(work, f"{name}OnLaunch", {"Value": wanted[name]})


def _modify_attribute(work: Work, name: str, value: Json) -> None:
    work.change("ec2", "ModifySubnetAttribute", SubnetId=work.id, **{name: value})


def _replace_ipv6_block(work: Work) -> None:
    """A subnet has one IPv6 block: let go of another one first."""
    subnet = only(work.read("ec2", "DescribeSubnets", SubnetIds=[work.id]), "Subnets")
    for one in subnet.get("Ipv6CidrBlockAssociationSet") or ():
        if not _is_kept(one):
            continue
        if one.get("Ipv6CidrBlock") == work.want("Ipv6CidrBlock"):
            return
        work.change("ec2", "DisassociateSubnetCidrBlock", AssociationId=one["AssociationId"])
    work.change("ec2", "AssociateSubnetCidrBlock", SubnetId=work.id, Ipv6CidrBlock=work.want("Ipv6CidrBlock"))


def _delete(work: Work) -> Outcome:
    work.change("ec2", "DeleteSubnet", SubnetId=work.id)
    return Done(physical_id=work.id)


SOURCE = Source(name="ec2.DescribeSubnets", read=_read, by_id={NAME: IdFilter(name="subnet-id")})

SUBNET = AwsType(
    facts=facts(
        NAME,
        SOURCE,
        calls=calls(
            "ec2:CreateSubnet",
            "ec2:DeleteSubnet",
            "ec2:ModifySubnetAttribute",
            changes=dict.fromkeys(_SWITCHES, "ec2:ModifySubnetAttribute"),
            settings=dict.fromkeys(_SWITCHES, False),
            is_tagged=True,
        ),
        attributes="AvailabilityZone AvailabilityZoneId CidrBlock OutpostArn VpcId",
        compare_as={"CidrBlock": Comparison.CIDR, "Ipv6CidrBlock": Comparison.CIDR},
        defaults=dict.fromkeys(_SWITCHES, False),
        synonyms=[("AvailabilityZone", "AvailabilityZoneId")],
        exclusive=[("VpcId", "CidrBlock")],
    ),
    source=SOURCE,
    question=by_ids("DescribeSubnets", "SubnetIds", "Subnets"),
    create=_create,
    modify=_modify,
    delete=_delete,
    is_found=by_owner,
    tagged_as="subnet",
)
TYPES = (SUBNET,)
