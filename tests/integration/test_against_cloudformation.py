"""Templates run by Tenuto and by the emulator's own CloudFormation engine: the two accounts must look the same.

The templates hold what that engine can read: no Fn::Cidr, network ACLs, bucket policies or blocks of public access.
What it reads and does not set, against its own template, is in `NOT_SET_THERE`; there Tenuto must have done as
declared, which test_templates.py and the drift tests hold.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from live import Live

from tenuto.bootstrap.tools.emulator import Emulator

TEMPLATES = sorted((Path(__file__).parent / "cloudformation").glob("*.yaml"))
WITHOUT_ID = ("AWS::EC2::VPCGatewayAttachment", "AWS::EC2::SubnetRouteTableAssociation", "AWS::EC2::Route")
"""There, such a resource is known by the id of what it stands on."""
NOT_SET_THERE = {
    "vpcs": {"enableDnsHostnames"},
    "subnets": {"MapPublicIpOnLaunch"},
    "gateways": {"Tags"},
    "tables": {"Tags", "on"},
    "nats": {"ConnectivityType", "by"},
    "groups": {"IpPermissionsEgress"},
    "instances": {"groups"},
    "roles": {"policies"},
    "buckets": {"versioning"},
}
Json = Any
Picture = dict[str, list[Json]]


@pytest.fixture(scope="module")
def endpoints() -> Iterator[tuple[str, str]]:
    with Emulator() as ours, Emulator() as theirs:
        yield ours.url, theirs.url


@pytest.fixture(scope="module")
def live(endpoints: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    found = Live(tmp_path_factory.mktemp("live"), endpoints[0])
    found.start()
    yield found
    found.stop()


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_makes_what_cloudformation_makes_of_it(
    template: Path, live: Live, endpoints: tuple[str, str], tmp_path: Path
) -> None:
    live.tenuto("run", str(template), "-a", template.stem, "--wait=80", check=True)
    ours = {found["id"]: name for name, found in live.status(template.stem)["resources"].items()}
    theirs = stack(Live(tmp_path, endpoints[1]), template)
    one = picture(live.aws, ours)
    other = picture(Live(tmp_path, endpoints[1]).aws, theirs)
    assert list(differences(one, other)) == []
    assert sum(map(len, one.values())) > len(ours) / 2, "the pictures show most of the resources"


def stack(elsewhere: Live, template: Path) -> dict[str, str]:
    """Make a stack of the template; logical ids by physical ids."""
    cloudformation = elsewhere.aws("cloudformation")
    cloudformation.create_stack(
        StackName=template.stem, TemplateBody=template.read_text(), Capabilities=["CAPABILITY_IAM"]
    )
    resources = cloudformation.describe_stack_resources(StackName=template.stem)["StackResources"]
    return {
        one["PhysicalResourceId"]: one["LogicalResourceId"]
        for one in resources
        if one.get("PhysicalResourceId") and one["ResourceType"] not in WITHOUT_ID
    }


def differences(ours: Picture, theirs: Picture) -> Iterator[str]:
    """What is not the same, a line each."""
    for kind, rows in ours.items():
        if len(rows) != len(theirs[kind]):
            yield f"{kind}: {len(rows)} here, {len(theirs[kind])} there"
        for one, other in zip(rows, theirs[kind], strict=False):
            name = next(iter(one.values()))
            for key in sorted(one.keys() - NOT_SET_THERE.get(kind, set())):
                if one[key] != other[key]:
                    yield f"{kind} {name} {key}: {one[key]}, there {other[key]}"


def picture(client: Callable[[str], Any], names: Mapping[str, str]) -> Picture:
    """What there is of these resources, with logical ids for physical ones, in no order that depends on chance."""
    ec2, iam, s3 = client("ec2"), client("iam"), client("s3")
    shown: dict[str, Iterator[Json]] = {
        "vpcs": _vpcs(ec2),
        "subnets": _rows(
            ec2.describe_subnets()["Subnets"],
            "SubnetId",
            "VpcId",
            "CidrBlock",
            "AvailabilityZone",
            "MapPublicIpOnLaunch",
            "Tags",
        ),
        "gateways": _rows(
            ec2.describe_internet_gateways()["InternetGateways"], "InternetGatewayId", "Attachments", "Tags"
        ),
        "tables": _tables(ec2),
        "nats": _nats(ec2),
        "addresses": _addresses(ec2, names),
        "groups": _groups(ec2),
        "instances": _instances(ec2),
        "roles": _roles(iam, names),
        "profiles": _profiles(iam, names),
        "buckets": _buckets(s3, names),
    }
    return {
        kind: sorted((_named(row, names) for row in rows if _is_ours(row, names)), key=str)
        for kind, rows in shown.items()
    }  # fmt: skip


def _rows(found: list[Json], *keys: str) -> Iterator[Json]:
    for one in found:
        yield {key: one.get(key) for key in keys}


def _is_ours(row: Json, names: Mapping[str, str]) -> bool:
    return next(iter(row.values())) in (*names, *names.values())


def _named(value: Json, names: Mapping[str, str]) -> Json:
    """The value with logical ids for physical ones, and without the marks of either engine."""
    if isinstance(value, str):
        for physical, name in names.items():
            value = value.replace(physical, f"<{name}>") if physical else value
        return value
    if isinstance(value, Mapping):
        return {key: _named(member, names) for key, member in value.items()}
    if isinstance(value, list):
        kept = [one for one in value if not (isinstance(one, Mapping) and _is_mark(one))]
        return sorted((_named(one, names) for one in kept), key=str)
    return value


def _is_mark(tag: Mapping[str, Json]) -> bool:
    return str(tag.get("Key", "")).startswith(("aws:", "tenuto:"))


def _vpcs(ec2: Any) -> Iterator[Json]:
    for vpc in ec2.describe_vpcs()["Vpcs"]:
        asked = {
            name: ec2.describe_vpc_attribute(VpcId=vpc["VpcId"], Attribute=name)[name[0].upper() + name[1:]]["Value"]
            for name in ("enableDnsSupport", "enableDnsHostnames")
        }
        keys = ("VpcId", "CidrBlock", "InstanceTenancy", "Tags")
        yield {key: vpc.get(key) for key in keys} | asked


def _tables(ec2: Any) -> Iterator[Json]:
    for table in ec2.describe_route_tables()["RouteTables"]:
        routes = [
            {key: value for key, value in route.items() if key not in ("State", "Origin")} for route in table["Routes"]
        ]
        subnets = [one["SubnetId"] for one in table["Associations"] if not one["Main"]]
        yield {key: table.get(key) for key in ("RouteTableId", "VpcId", "Tags")} | {"on": subnets, "routes": routes}


def _nats(ec2: Any) -> Iterator[Json]:
    for nat in ec2.describe_nat_gateways()["NatGateways"]:
        address = [one.get("AllocationId") for one in nat["NatGatewayAddresses"]]
        yield {key: nat.get(key) for key in ("NatGatewayId", "SubnetId", "ConnectivityType", "Tags")} | {"by": address}


def _addresses(ec2: Any, names: Mapping[str, str]) -> Iterator[Json]:
    """Here an address goes by its allocation, there by what it is."""
    for address in ec2.describe_addresses()["Addresses"]:
        name = next((address[key] for key in ("AllocationId", "PublicIp") if address[key] in names), "")
        yield {"name": name, "Domain": address["Domain"]}


def _groups(ec2: Any) -> Iterator[Json]:
    for group in ec2.describe_security_groups()["SecurityGroups"]:
        rules = {name: list(_rules(group[name])) for name in ("IpPermissions", "IpPermissionsEgress")}
        yield {key: group.get(key) for key in ("GroupId", "VpcId", "Description", "Tags")} | rules


def _rules(permissions: list[Json]) -> Iterator[Json]:
    """Each range and each peer for itself: how they are put together is nobody's wish."""
    for permission in permissions:
        ports = {key: permission.get(key) for key in ("IpProtocol", "FromPort", "ToPort")}
        for one in permission["IpRanges"]:
            yield ports | dict(one)
        for one in permission["UserIdGroupPairs"]:
            yield ports | {"GroupId": one["GroupId"]}


def _instances(ec2: Any) -> Iterator[Json]:
    for reservation in ec2.describe_instances()["Reservations"]:
        for one in reservation["Instances"]:
            keys = ("InstanceId", "ImageId", "InstanceType", "SubnetId", "KeyName", "Tags")
            data = ec2.describe_instance_attribute(InstanceId=one["InstanceId"], Attribute="userData")
            profile = (one.get("IamInstanceProfile") or {}).get("Arn", "").rpartition("/")[2]
            yield {key: one.get(key) for key in keys} | {
                "groups": [group["GroupId"] for group in one["SecurityGroups"]],
                "profile": profile,
                "state": one["State"]["Name"],
                "user data": data["UserData"],
            }


def _roles(iam: Any, names: Mapping[str, str]) -> Iterator[Json]:
    for listed in iam.list_roles()["Roles"]:
        name = listed["RoleName"]
        if name not in names:
            continue
        role = iam.get_role(RoleName=name)["Role"]
        policies = {
            one: iam.get_role_policy(RoleName=name, PolicyName=one)["PolicyDocument"]
            for one in iam.list_role_policies(RoleName=name)["PolicyNames"]
        }
        attached = [one["PolicyArn"] for one in iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]]
        keys = ("RoleName", "Path", "Description", "MaxSessionDuration", "AssumeRolePolicyDocument", "Tags")
        yield {key: role.get(key) for key in keys} | {"policies": policies, "attached": attached}


def _profiles(iam: Any, names: Mapping[str, str]) -> Iterator[Json]:
    for profile in iam.list_instance_profiles()["InstanceProfiles"]:
        if profile["InstanceProfileName"] in names:
            roles = [role["RoleName"] for role in profile["Roles"]]
            yield {key: profile.get(key) for key in ("InstanceProfileName", "Path")} | {"roles": roles}


def _buckets(s3: Any, names: Mapping[str, str]) -> Iterator[Json]:
    for bucket in s3.list_buckets()["Buckets"]:
        name = bucket["Name"]
        if name not in names:
            continue
        versioning = s3.get_bucket_versioning(Bucket=name).get("Status")
        encryption = s3.get_bucket_encryption(Bucket=name)["ServerSideEncryptionConfiguration"]["Rules"]
        yield {
            "Name": name,
            "versioning": versioning,
            "encryption": [one["ApplyServerSideEncryptionByDefault"] for one in encryption],
            "tags": s3.get_bucket_tagging(Bucket=name)["TagSet"],
        }
