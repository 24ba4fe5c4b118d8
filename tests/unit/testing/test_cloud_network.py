"""The strict cloud refuses what AWS refuses in networks, by AWS's codes, and makes what AWS makes."""

from collections.abc import Callable
from typing import Any

import pytest
from strict_cloud import Stage, code_of

from tenuto_testing.cloud import Pace, Quotas

NOBODY = "0123456789abcdef0"
Refused = Callable[[Any, dict[str, str]], object]


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def built(stage: Stage) -> dict[str, str]:
    """A VPC with everything in it that hangs together."""
    ec2, vpc = stage.me.ec2, stage.vpc()
    subnet, gateway, address = stage.subnet(vpc), stage.gateway(vpc), stage.address()
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", GatewayId=gateway)
    association = ec2.associate_route_table(RouteTableId=table, SubnetId=subnet)["AssociationId"]
    nat = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]["NatGatewayId"]
    front, back = stage.group(vpc), stage.group(vpc, "back")
    pair = {"IpProtocol": "tcp", "FromPort": 80, "ToPort": 80, "UserIdGroupPairs": [{"GroupId": front}]}
    ec2.authorize_security_group_ingress(GroupId=back, IpPermissions=[pair])
    found = ec2.describe_security_groups(Filters=[{"Name": "vpc-id", "Values": [vpc]}])["SecurityGroups"]
    default = next(group["GroupId"] for group in found if group["GroupName"] == "default")
    return {
        "vpc": vpc,
        "subnet": subnet,
        "gateway": gateway,
        "address": address,
        "table": table,
        "association": association,
        "nat": nat,
        "front": front,
        "back": back,
        "default": default,
    }


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("DependencyViolation", lambda ec2, it: ec2.delete_vpc(VpcId=it["vpc"])),
        ("DependencyViolation", lambda ec2, it: ec2.delete_subnet(SubnetId=it["subnet"])),
        ("DependencyViolation", lambda ec2, it: ec2.delete_internet_gateway(InternetGatewayId=it["gateway"])),
        (
            "DependencyViolation",
            lambda ec2, it: ec2.detach_internet_gateway(InternetGatewayId=it["gateway"], VpcId=it["vpc"]),
        ),
        ("DependencyViolation", lambda ec2, it: ec2.delete_route_table(RouteTableId=it["table"])),
        ("DependencyViolation", lambda ec2, it: ec2.delete_security_group(GroupId=it["front"])),
        ("CannotDelete", lambda ec2, it: ec2.delete_security_group(GroupId=it["default"])),
        ("InvalidIPAddress.InUse", lambda ec2, it: ec2.release_address(AllocationId=it["address"])),
    ],
)
def test_what_is_used_is_not_deleted(stage: Stage, built: dict[str, str], code: str, call: Refused) -> None:
    assert code_of(lambda: call(stage.me.ec2, built)) == code


def test_everything_goes_in_the_right_order(stage: Stage, built: dict[str, str]) -> None:
    ec2 = stage.me.ec2
    ec2.delete_nat_gateway(NatGatewayId=built["nat"])
    ec2.release_address(AllocationId=built["address"])
    ec2.delete_security_group(GroupId=built["back"])
    ec2.delete_security_group(GroupId=built["front"])
    ec2.disassociate_route_table(AssociationId=built["association"])
    ec2.delete_route_table(RouteTableId=built["table"])
    ec2.detach_internet_gateway(InternetGatewayId=built["gateway"], VpcId=built["vpc"])
    ec2.delete_internet_gateway(InternetGatewayId=built["gateway"])
    ec2.delete_subnet(SubnetId=built["subnet"])
    ec2.delete_vpc(VpcId=built["vpc"])
    within = [{"Name": "vpc-id", "Values": [built["vpc"]]}]
    assert ec2.describe_security_groups(Filters=within)["SecurityGroups"] == []
    assert ec2.describe_security_group_rules()["SecurityGroupRules"] != []
    assert ec2.describe_network_acls(Filters=within)["NetworkAcls"] == []
    assert ec2.describe_route_tables(Filters=within)["RouteTables"] == []


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("InvalidParameterValue", lambda ec2, it: ec2.create_vpc(CidrBlock="10.0.0.0")),
        ("InvalidParameterValue", lambda ec2, it: ec2.create_vpc(CidrBlock="ten/8")),
        ("InvalidVpc.Range", lambda ec2, it: ec2.create_vpc(CidrBlock="10.0.0.0/8")),
        ("MissingParameter", lambda ec2, it: ec2.create_vpc()),
        ("InvalidParameterValue", lambda ec2, it: ec2.create_vpc(CidrBlock="10.0.0.0/16", InstanceTenancy="mine")),
        ("InvalidSubnet.Conflict", lambda ec2, it: ec2.create_subnet(VpcId=it["vpc"], CidrBlock="10.0.0.128/25")),
        ("InvalidSubnet.Range", lambda ec2, it: ec2.create_subnet(VpcId=it["vpc"], CidrBlock="10.1.0.0/24")),
        ("MissingParameter", lambda ec2, it: ec2.create_subnet(CidrBlock="10.0.1.0/24")),
        (
            "InvalidParameterValue",
            lambda ec2, it: ec2.create_subnet(VpcId=it["vpc"], CidrBlock="10.0.1.0/24", AvailabilityZone="us-east-1z"),
        ),
        ("InvalidVpcID.NotFound", lambda ec2, it: ec2.create_subnet(VpcId=f"vpc-{NOBODY}", CidrBlock="10.0.1.0/24")),
        ("InvalidVpcId.Malformed", lambda ec2, it: ec2.describe_vpcs(VpcIds=["vpc-nobody"])),
        ("InvalidSubnetID.NotFound", lambda ec2, it: ec2.describe_subnets(SubnetIds=[f"subnet-{NOBODY}"])),
        ("InvalidRouteTableID.NotFound", lambda ec2, it: ec2.delete_route_table(RouteTableId=f"rtb-{NOBODY}")),
        ("NatGatewayNotFound", lambda ec2, it: ec2.delete_nat_gateway(NatGatewayId=f"nat-{NOBODY}")),
        ("InvalidParameterValue", lambda ec2, it: ec2.describe_vpcs(Filters=[{"Name": "shape", "Values": ["x"]}])),
        ("InvalidParameterValue", lambda ec2, it: ec2.describe_vpcs(MaxResults=4)),
        ("InvalidParameterValue", lambda ec2, it: ec2.describe_route_tables(MaxResults=101)),
        ("InvalidNextToken", lambda ec2, it: ec2.describe_vpcs(NextToken="next")),
        (
            "RouteAlreadyExists",
            lambda ec2, it: ec2.create_route(
                RouteTableId=it["table"], DestinationCidrBlock="0.0.0.0/0", GatewayId=it["gateway"]
            ),
        ),
        (
            "InvalidParameterCombination",
            lambda ec2, it: ec2.create_route(
                RouteTableId=it["table"],
                DestinationCidrBlock="10.9.0.0/16",
                GatewayId=it["gateway"],
                NatGatewayId=it["nat"],
            ),
        ),
        (
            "Resource.AlreadyAssociated",
            lambda ec2, it: ec2.associate_route_table(RouteTableId=it["table"], SubnetId=it["subnet"]),
        ),
        (
            "Resource.AlreadyAssociated",
            lambda ec2, it: ec2.attach_internet_gateway(InternetGatewayId=it["gateway"], VpcId=it["vpc"]),
        ),
        (
            "InvalidGroup.Duplicate",
            lambda ec2, it: ec2.create_security_group(GroupName="front", Description="d", VpcId=it["vpc"]),
        ),
        (
            "InvalidPermission.Duplicate",
            lambda ec2, it: ec2.authorize_security_group_egress(
                GroupId=it["front"], IpPermissions=[{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
            ),
        ),
        (
            "InvalidPermission.NotFound",
            lambda ec2, it: ec2.revoke_security_group_ingress(
                GroupId=it["front"], IpProtocol="tcp", FromPort=1, ToPort=1, CidrIp="0.0.0.0/0"
            ),
        ),
        (
            "InvalidParameterValue",
            lambda ec2, it: ec2.authorize_security_group_ingress(
                GroupId=it["front"], IpProtocol="tcp", FromPort=443, CidrIp="0.0.0.0/0"
            ),
        ),
        ("AuthFailure", lambda ec2, it: ec2.disassociate_address(AssociationId=_association(ec2, it["address"]))),
        ("InvalidParameterValue", lambda ec2, it: ec2.create_tags(Resources=[it["vpc"]], Tags=[{"Key": "aws:x"}])),
        ("InvalidID", lambda ec2, it: ec2.create_tags(Resources=["thing-1"], Tags=[{"Key": "x"}])),
        (
            "TagLimitExceeded",
            lambda ec2, it: ec2.create_tags(Resources=[it["vpc"]], Tags=[{"Key": f"k{n}"} for n in range(51)]),
        ),
        (
            "InvalidParameterValue",
            lambda ec2, it: ec2.create_vpc(
                CidrBlock="10.0.0.0/16", TagSpecifications=[{"ResourceType": "subnet", "Tags": [{"Key": "a"}]}]
            ),
        ),
        ("DryRunOperation", lambda ec2, it: ec2.delete_vpc(VpcId=it["vpc"], DryRun=True)),
    ],
)
def test_what_aws_does_not_take_is_refused_in_its_words(
    stage: Stage, built: dict[str, str], code: str, call: Refused
) -> None:
    assert code_of(lambda: call(stage.me.ec2, built)) == code


def _association(ec2: Any, allocation_id: str) -> str:
    return str(ec2.describe_addresses(AllocationIds=[allocation_id])["Addresses"][0]["AssociationId"])


def test_host_bits_of_blocks_are_cut_off(stage: Stage) -> None:
    vpc = stage.vpc("10.0.0.5/16")
    group = stage.group(vpc)
    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "10.0.0.5/24"}]}
    made = stage.me.ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[rule])["SecurityGroupRules"]
    assert [one["CidrIpv4"] for one in made] == ["10.0.0.0/24"]
    assert stage.me.ec2.describe_vpcs(VpcIds=[vpc])["Vpcs"][0]["CidrBlock"] == "10.0.0.0/16"


def test_a_region_begins_with_a_default_vpc_that_has_a_way_out(stage: Stage) -> None:
    (vpc,) = stage.me.ec2.describe_vpcs()["Vpcs"]
    (gateway,) = stage.me.ec2.describe_internet_gateways()["InternetGateways"]
    assert (vpc["IsDefault"], gateway["Attachments"][0]["VpcId"]) == (True, vpc["VpcId"])
    assert len(stage.me.ec2.describe_subnets()["Subnets"]) == 6
    (group,) = stage.me.ec2.describe_security_groups()["SecurityGroups"]
    assert group["IpPermissions"][0]["UserIdGroupPairs"][0]["GroupId"] == group["GroupId"]


def test_a_nat_gateway_without_a_way_out_is_accepted_and_fails_a_minute_later() -> None:
    stage = Stage(pace=Pace())
    subnet, address = stage.subnet(stage.vpc()), stage.address()
    made = stage.me.ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]
    assert made["State"] == "pending"
    stage.clock.advance(59.0)
    assert _nat(stage, made["NatGatewayId"])["State"] == "pending"
    stage.clock.advance(2.0)
    failed = _nat(stage, made["NatGatewayId"])
    assert (failed["State"], failed["FailureCode"]) == ("failed", "Gateway.NotAttached")


def test_a_nat_gateway_holds_its_address_until_it_is_deleted_and_leaves_black_holes() -> None:
    stage = Stage(pace=Pace())
    ec2, vpc = stage.me.ec2, stage.vpc()
    subnet, address = stage.subnet(vpc), stage.address()
    stage.gateway(vpc)
    nat = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)["NatGateway"]["NatGatewayId"]
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat)
    stage.clock.advance(91.0)
    assert _nat(stage, nat)["State"] == "available"
    ec2.delete_nat_gateway(NatGatewayId=nat)
    assert code_of(lambda: ec2.release_address(AllocationId=address)) == "InvalidIPAddress.InUse"
    routes = ec2.describe_route_tables(RouteTableIds=[table])["RouteTables"][0]["Routes"]
    assert [route["State"] for route in routes] == ["active", "blackhole"]
    stage.clock.advance(61.0)
    assert _nat(stage, nat)["State"] == "deleted"
    ec2.release_address(AllocationId=address)
    stage.clock.advance(3601.0)
    assert code_of(lambda: _nat(stage, nat)) == "NatGatewayNotFound"


def _nat(stage: Stage, nat_id: str) -> dict[str, Any]:
    found: dict[str, Any] = stage.me.ec2.describe_nat_gateways(NatGatewayIds=[nat_id])["NatGateways"][0]
    return found


def test_quotas_are_those_of_a_new_account() -> None:
    stage = Stage(quotas=Quotas(addresses=1))
    for _ in range(4):
        stage.vpc()
    assert code_of(stage.vpc) == "VpcLimitExceeded"
    stage.address()
    assert code_of(stage.address) == "AddressLimitExceeded"
