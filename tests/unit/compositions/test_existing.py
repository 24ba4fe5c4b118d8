"""A template of what exists says what can be said, refers where it can, and compiles."""

from dataclasses import replace

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.existing import Thing, template_of
from tenuto.compositions.yaml_writer import to_yaml
from tenuto.core.planning.comparing.adoption import identifier_of
from tenuto.model.ids import Fid, Json, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.observation import ObservedItem, Owner
from tenuto.model.resource import Comparison, ResourceType, Unsaid
from tenuto.providers.aws.types.catalogue import CATALOGUE

REGION = "us-east-1"


def thing(
    type_name: str, physical_id: str, properties: dict[str, Json], *, owner: str = "", attributes: tuple[str, ...] = ()
) -> Thing:
    facts = ResourceType(
        name=TypeName(type_name),
        provider="aws",
        source=type_name,
        attributes=frozenset(attributes),
        when_absent={"Tags": []},
        compare_as={"Tags": Comparison.SET},
    )
    return Thing(
        facts=facts,
        item=ObservedItem(
            physical_id=PhysicalId(physical_id),
            properties=properties,
            attributes={name: f"{physical_id}-{name}" for name in attributes},
            owner=Owner(fid=Fid("gone"), logical_id=LogicalId(owner), object_id=ObjectId("old")) if owner else None,
        ),
    )


def named(name: str) -> list[Json]:
    return [{"Key": "Name", "Value": name}]


VPC = thing("AWS::EC2::VPC", "vpc-1", {"CidrBlock": "10.0.0.0/16", "Tags": []})


def test_an_id_of_another_resource_becomes_a_reference_and_nothing_empty_is_written() -> None:
    subnet = thing("AWS::EC2::Subnet", "subnet-1", {"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/24", "OutpostArn": ""})
    resources = template_of([VPC, subnet], region=REGION)["Resources"]
    assert resources["VPC"]["Properties"] == {"CidrBlock": "10.0.0.0/16"}
    assert resources["Subnet"]["Properties"] == {"VpcId": {"Ref": "VPC"}, "CidrBlock": "10.0.0.0/24"}


def test_an_id_that_ref_does_not_give_is_referred_to_by_its_attribute() -> None:
    address = thing("AWS::EC2::EIP", "eip-1", {"Domain": "vpc"}, attributes=("AllocationId",))
    gateway = thing("AWS::EC2::NatGateway", "nat-1", {"AllocationId": "eip-1-AllocationId", "SubnetId": "subnet-9"})
    properties = template_of([address, gateway], region=REGION)["Resources"]["NatGateway"]["Properties"]
    assert properties == {"AllocationId": {"Fn::GetAtt": ["EIP", "AllocationId"]}, "SubnetId": "subnet-9"}


def test_what_the_provider_chose_and_what_excludes_another_property_is_left_out() -> None:
    unsaid = (
        Unsaid(names=frozenset({"Iops"}), where={"VolumeType": frozenset({"gp2"})}),
        Unsaid(names=frozenset({"SnapshotId"}), beside="Size"),
        Unsaid(names=frozenset({"Encrypted"})),
    )
    zone = {"AvailabilityZone": "us-east-1a", "Encrypted": False, "SnapshotId": "snap-1"}

    def declared(**more: Json) -> set[str]:
        volume = thing("AWS::EC2::Volume", "vol-1", {**zone, **more})
        volume = replace(volume, facts=replace(volume.facts, unsaid=unsaid))
        return set(template_of([volume], region=REGION)["Resources"]["Volume"]["Properties"])

    assert declared(VolumeType="gp2", Size=8, Iops=100) == {"AvailabilityZone", "Size", "VolumeType"}
    assert declared(VolumeType="io1", Iops=200) == {"AvailabilityZone", "Iops", "SnapshotId", "VolumeType"}


def test_a_member_that_the_provider_chose_is_left_out_of_every_member_of_a_list() -> None:
    unsaid = (
        Unsaid(
            names=frozenset(
                {"GlobalSecondaryIndexes.WarmThroughput", "PointInTimeRecoverySpecification.RecoveryPeriodInDays"}
            )
        ),
    )
    key = {
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    }
    index = {"IndexName": "ids", "KeySchema": key["KeySchema"], "Projection": {"ProjectionType": "ALL"}}
    warm = {"WarmThroughput": {"ReadUnitsPerSecond": 1}}
    kept = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7}
    lasting = {"PointInTimeRecoverySpecification": kept}
    table = thing("AWS::DynamoDB::Table", "orders", {**key, **lasting, "GlobalSecondaryIndexes": [{**index, **warm}]})
    table = replace(table, facts=replace(table.facts, unsaid=unsaid))
    found = template_of([table], region=REGION)["Resources"]["Table"]["Properties"]
    assert found["GlobalSecondaryIndexes"] == [index]
    assert found["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


ALARM: dict[str, Json] = {
    "ComparisonOperator": "GreaterThanThreshold",
    "EvaluationPeriods": 1,
    "MetricName": "Heat",
    "Namespace": "House",
    "Period": 60,
    "Statistic": "Sum",
    "Threshold": 1,
}


@pytest.mark.parametrize(
    ("type_name", "shown", "left_out"),
    [
        (
            "AWS::CloudWatch::Alarm",
            {
                **ALARM,
                "ActionConfiguration": {"AlarmTagsPropagation": {"Enabled": False}},
                "EvaluationWindow": {"SlidingWindow": {}},
            },
            {"ActionConfiguration", "EvaluationWindow"},
        ),
        (
            "AWS::CloudWatch::Alarm",
            {
                **ALARM,
                "ActionConfiguration": {"AlarmTagsPropagation": {"Enabled": True}},
                "EvaluationWindow": {"WallClockWindow": {"Timezone": "UTC"}},
            },
            set(),
        ),
        (
            "AWS::ElasticLoadBalancingV2::LoadBalancer",
            {"Type": "application", "Subnets": ["subnet-1", "subnet-2"], "EnablePrefixForIpv6SourceNat": "off"},
            {"EnablePrefixForIpv6SourceNat"},
        ),
    ],
)
def test_a_setting_that_everything_has_is_left_out_until_it_is_another(
    type_name: str, shown: dict[str, Json], left_out: set[str]
) -> None:
    found = replace(thing(type_name, "one", shown), facts=CATALOGUE[TypeName(type_name)].facts)
    [written] = template_of([found], region=REGION)["Resources"].values()
    assert shown.keys() - written["Properties"].keys() == left_out


def test_what_is_known_by_the_name_of_another_thing_refers_to_that() -> None:
    bucket = thing("AWS::S3::Bucket", "logs", {"BucketName": "logs"})
    bucket = replace(bucket, facts=replace(bucket.facts, named_by="BucketName"))
    policy = thing("AWS::S3::BucketPolicy", "logs", {"Bucket": "logs", "PolicyDocument": {"Statement": []}})
    for things in ([bucket, policy], [policy, bucket]):
        found = template_of(things, region=REGION)["Resources"]
        assert found["Bucket"]["Properties"]["BucketName"] == "logs"
        assert found["BucketPolicy"]["Properties"]["Bucket"] == {"Ref": "Bucket"}


def test_references_never_make_a_circle() -> None:
    def group(one: str, other: str) -> Thing:
        rule = {"IpProtocol": "tcp", "FromPort": 1, "ToPort": 1, "SourceSecurityGroupId": other}
        return thing("AWS::EC2::SecurityGroup", one, {"GroupDescription": "x", "SecurityGroupIngress": [rule]})

    template = template_of([group("sg-1", "sg-2"), group("sg-2", "sg-1")], region=REGION)
    compile_text(to_yaml(template), file="x.yaml", parameters={}, region=REGION)


def test_of_properties_that_exclude_each_other_one_is_left_out() -> None:
    zones = {"VpcId": "vpc-9", "CidrBlock": "10.0.0.0/24", "AvailabilityZone": "a", "AvailabilityZoneId": "use1-az1"}
    properties = template_of([thing("AWS::EC2::Subnet", "subnet-1", zones)], region=REGION)["Resources"]["Subnet"]
    assert properties["Properties"].keys() == {"VpcId", "CidrBlock", "AvailabilityZone"}


@pytest.mark.parametrize(
    ("things", "names"),
    [
        ([VPC, thing("AWS::EC2::VPC", "vpc-2", {})], ["VPC", "VPC2"]),
        ([thing("AWS::EC2::VPC", "vpc-2", {"Tags": named("web front-1")})], ["WebFront1"]),
        ([thing("AWS::EC2::VPC", "vpc-2", {"Tags": named("1st")})], ["VPC1st"]),
        ([thing("AWS::EC2::VPC", "vpc-2", {"Tags": named("x")}, owner="Main")], ["Main"]),
    ],
)
def test_resources_are_named_by_their_last_owner_their_name_tag_or_their_type(
    things: list[Thing], names: list[str]
) -> None:
    for one in things:
        one.item.properties.setdefault("CidrBlock", "10.0.0.0/16")  # type: ignore[attr-defined]
    assert list(template_of(things, region=REGION)["Resources"]) == names


def test_the_written_template_compiles_and_says_what_it_means() -> None:
    text = to_yaml(template_of([VPC], region=REGION))
    (declared,) = compile_text(text, file="x.yaml", parameters={}, region=REGION).composition.resources
    assert identifier_of(declared) == "vpc-1"
