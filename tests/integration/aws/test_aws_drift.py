"""Somebody changes things behind Tenuto's back, and what is done about it; what cannot be deleted, and says so."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from aws_examples import COMPUTE, NETWORK, ROUTING, STORAGE

from tenuto.model.ids import LogicalId, ObjectId, Partition, TypeName
from tenuto.model.observation import Condition
from tenuto.model.outcome import Done, Pending, Refused, Request
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

Stranger = Callable[[str], Any]


@pytest.fixture
def bench(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Iterator[Bench]:
    case = ProviderCase(
        provider=provider,
        partition=partition,
        examples=(*NETWORK, *ROUTING, *COMPUTE, *STORAGE),
        ids=ids,
        ops=ops,
        wait=lambda seconds: None,
        is_strict=False,
    )
    with Bench(case) as found:
        yield found


def make(bench: Bench, *names: str) -> Request:
    """Make the named examples in order; the request of the last one."""
    by_name: dict[str, Example] = {example.name: example for example in bench.case.examples}
    return [bench.make(bench.request(by_name[name])) for name in names][-1]


def drifted(bench: Bench, request: Request) -> tuple[str, ...]:
    return bench.differing(request, bench.ready(request))


def test_a_rule_that_somebody_opened_is_revoked_and_a_rule_of_its_own_stays(bench: Bench, stranger: Stranger) -> None:
    make(bench, "Vpc", "Group", "Ingress")
    group = bench.requests[LogicalId("Group")]
    assert drifted(bench, group) == ()
    stranger("ec2").authorize_security_group_ingress(
        GroupId=group.physical_id,
        IpPermissions=[{"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}],
    )
    assert drifted(bench, group) == ("SecurityGroupIngress",)
    before = len(bench.case.ops.all)
    bench.configure(group)
    assert drifted(bench, group) == ()
    assert [op.operation for op in bench.case.ops.all[before:]] == ["RevokeSecurityGroupIngress"]
    assert drifted(bench, bench.requests[LogicalId("Ingress")]) == ()


def test_a_tag_that_somebody_added_goes_and_tags_of_aws_and_owner_stay(bench: Bench, stranger: Stranger) -> None:
    vpc = make(bench, "Vpc")
    ec2 = stranger("ec2")
    ec2.create_tags(
        Resources=[vpc.physical_id], Tags=[{"Key": "mine", "Value": "1"}, {"Key": "aws:cloud", "Value": "2"}]
    )
    assert drifted(bench, vpc) == ("Tags",)
    bench.configure(vpc)
    keys = {tag["Key"] for tag in ec2.describe_vpcs(VpcIds=[vpc.physical_id])["Vpcs"][0]["Tags"]}
    assert keys == {"Name", "team", "aws:cloud", "tenuto:object", "tenuto:process", "tenuto:resource"}


def test_a_route_that_somebody_pointed_elsewhere_is_pointed_back(bench: Bench, stranger: Stranger) -> None:
    route = make(bench, "Vpc", "Subnet", "Gateway", "Attachment", "Table", "Address", "Nat", "Route")
    stranger("ec2").replace_route(
        RouteTableId=bench.requests[LogicalId("Table")].physical_id,
        DestinationCidrBlock="0.0.0.0/0",
        NatGatewayId=bench.requests[LogicalId("Nat")].physical_id,
    )
    assert drifted(bench, route) == ("GatewayId",)
    bench.configure(route)
    assert drifted(bench, route) == ()


def test_equal_tags_of_many_are_written_in_one_call(bench: Bench) -> None:
    gateway = next(example for example in ROUTING if example.name == "Gateway")
    made = [bench.make(bench.request(gateway, LogicalId(f"Gateway{number}"))) for number in range(3)]
    wanted = [replace(one, properties={"Tags": [{"Key": "same", "Value": "1"}]}) for one in made]
    before = len(bench.case.ops.all)
    outcomes = bench.provider.modify(bench.partition, wanted)
    assert all(isinstance(outcome, Done) for outcome in outcomes)
    operations = [(op.operation, len(op.object_ids)) for op in bench.case.ops.all[before:]]
    assert operations == [("CreateTags", 3), ("DeleteTags", 3)]


def test_all_instances_are_terminated_in_one_call(bench: Bench) -> None:
    make(bench, "Vpc", "Subnet")
    properties = {"ImageId": "ami-12c6146b", "InstanceType": "t3.micro", "SubnetId": {"Ref": "Subnet"}}
    example = Example(name=LogicalId("Many"), type=TypeName("AWS::EC2::Instance"), properties=properties)
    made = [bench.make(bench.request(example, LogicalId(f"Many{number}"))) for number in range(3)]
    before = len(bench.case.ops.all)
    outcomes = bench.provider.delete(bench.partition, made)
    assert all(isinstance(outcome, Done) for outcome in outcomes)
    assert [(op.operation, len(op.object_ids)) for op in bench.case.ops.all[before:]] == [("TerminateInstances", 3)]


def test_a_terminated_instance_is_gone(bench: Bench, stranger: Stranger) -> None:
    instance = make(bench, "Vpc", "Subnet", "Group", "Key", "Instance")
    assert instance.physical_id is not None
    stranger("ec2").terminate_instances(InstanceIds=[instance.physical_id])
    item = bench.sweep(instance.type)[instance.physical_id]
    assert item.condition is Condition.GONE


def test_an_instance_that_was_stopped_for_a_change_owes_a_start(bench: Bench, stranger: Stranger) -> None:
    """The Conductor died after the change and before the start: the next sweep must still show work to be done."""
    instance = make(bench, "Vpc", "Subnet", "Group", "Key", "Instance")
    ec2 = stranger("ec2")
    ec2.create_tags(Resources=[instance.physical_id], Tags=[{"Key": "tenuto:stopped", "Value": "InstanceType"}])
    ec2.stop_instances(InstanceIds=[instance.physical_id])
    assert drifted(bench, instance) == ("InstanceType", "UserData")
    bench.configure(instance)
    assert drifted(bench, instance) == ()
    shown = ec2.describe_instances(InstanceIds=[instance.physical_id])["Reservations"][0]["Instances"][0]
    assert shown["State"]["Name"] == "running"
    assert not [tag for tag in shown["Tags"] if tag["Key"] == "tenuto:stopped"]


def test_a_bucket_with_something_in_it_is_refused_with_a_hint(bench: Bench, stranger: Stranger) -> None:
    bucket = make(bench, "Bucket")
    s3 = stranger("s3")
    s3.put_object(Bucket=bucket.physical_id, Key="something", Body=b"x")
    (outcome,) = bench.provider.delete(bench.partition, [bucket])
    assert isinstance(outcome, Refused)
    assert "Empty the bucket" in outcome.hint
    for version in s3.list_object_versions(Bucket=bucket.physical_id)["Versions"]:
        s3.delete_object(Bucket=bucket.physical_id, Key=version["Key"], VersionId=version["VersionId"])


def test_a_bucket_of_somebody_else_is_not_taken(bench: Bench, stranger: Stranger) -> None:
    stranger("s3").create_bucket(Bucket="front-logs-tenuto")
    tags = {"TagSet": [{"Key": "team", "Value": "front"}]}
    stranger("s3").put_bucket_tagging(Bucket="front-logs-tenuto", Tagging=tags)
    request = bench.request(next(example for example in STORAGE if example.name == "Logs"))
    assert list(bench.provider.find(bench.partition, [request])) == [None]
    (outcome,) = bench.provider.create(bench.partition, [request])
    assert isinstance(outcome, Refused)
    assert outcome.code == "BucketNameTaken"


def test_a_key_pair_whose_private_key_was_never_kept_is_made_again(bench: Bench, stranger: Stranger) -> None:
    key = make(bench, "Key")
    stranger("ssm").delete_parameter(Name=f"/ec2/keypair/{key.attributes['KeyPairId']}")
    again = replace(key, physical_id=None, observed=None, attributes={})
    assert list(bench.provider.find(bench.partition, [again])) == [None]
    assert bench.make(again).attributes["KeyPairId"] != key.attributes["KeyPairId"]


def test_no_secret_is_in_what_is_recorded(bench: Bench) -> None:
    make(bench, "Key")
    assert "PRIVATE KEY" not in repr(bench.case.ops.all)


def test_a_nat_gateway_that_somebody_deleted_gives_its_address_to_the_next(bench: Bench, stranger: Stranger) -> None:
    nat = make(bench, "Vpc", "Subnet", "Gateway", "Attachment", "Address", "Nat")
    for name in ("nat-2", "nat-3"):  # For the third one two deleted gateways show the address.
        stranger("ec2").delete_nat_gateway(NatGatewayId=nat.physical_id)
        nat = replace(nat, physical_id=None, object_id=ObjectId(name), token=name)
        (first,) = bench.provider.create(bench.partition, [nat])
        assert isinstance(first, Pending)
        assert first.is_undone
        (second,) = bench.provider.create(bench.partition, [nat])
        assert isinstance(second, Done)
        nat = replace(nat, physical_id=second.physical_id)
    bench.provider.delete(bench.partition, [nat])


def test_an_address_that_another_has_by_now_is_not_told_as_held_by_a_deleted_gateway(
    bench: Bench, stranger: Stranger
) -> None:
    make(bench, "Vpc", "Subnet", "Group", "Key", "Instance", "Gateway", "Attachment", "Address", "Nat")
    nat, ec2 = bench.requests[LogicalId("Nat")], stranger("ec2")
    address_id = bench.requests[LogicalId("Address")].physical_id
    ec2.delete_nat_gateway(NatGatewayId=nat.physical_id)
    held = ec2.describe_addresses(AllocationIds=[address_id])["Addresses"][0]["AssociationId"]
    ec2.disassociate_address(AssociationId=held)
    ec2.associate_address(AllocationId=address_id, InstanceId=bench.requests[LogicalId("Instance")].physical_id)
    (outcome,) = bench.provider.create(
        bench.partition, [replace(nat, physical_id=None, object_id=ObjectId("nat-2"), token="nat-2")]
    )
    assert isinstance(outcome, Refused)


def test_an_address_that_an_instance_has_is_not_taken_from_it(bench: Bench, stranger: Stranger) -> None:
    make(bench, "Vpc", "Subnet", "Group", "Key", "Instance", "Gateway", "Attachment", "Address")
    address = bench.requests[LogicalId("Address")]
    instance_id = bench.requests[LogicalId("Instance")].physical_id
    ec2 = stranger("ec2")
    ec2.associate_address(AllocationId=address.physical_id, InstanceId=instance_id)
    properties = {"AllocationId": address.physical_id, "SubnetId": bench.requests[LogicalId("Subnet")].physical_id}
    example = Example(name=LogicalId("Second"), type=TypeName("AWS::EC2::NatGateway"), properties=properties)
    (outcome,) = bench.provider.create(bench.partition, [bench.request(example)])
    assert isinstance(outcome, Refused)
    assert ec2.describe_addresses(AllocationIds=[address.physical_id])["Addresses"][0]["InstanceId"] == instance_id


def test_a_subnet_that_somebody_gave_another_table_gets_its_own_back(bench: Bench, stranger: Stranger) -> None:
    association = make(bench, "Vpc", "Subnet", "Table", "Association")
    ec2 = stranger("ec2")
    vpc_id = bench.requests[LogicalId("Vpc")].physical_id
    other = ec2.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
    ec2.replace_route_table_association(AssociationId=association.physical_id, RouteTableId=other)
    (outcome,) = bench.provider.create(bench.partition, [replace(association, physical_id=None)])
    assert isinstance(outcome, Done)
    assert outcome.physical_id is not None
    table = bench.sweep(association.type)[outcome.physical_id].properties["RouteTableId"]
    assert table == bench.requests[LogicalId("Table")].physical_id
    bench.provider.delete(bench.partition, [replace(association, physical_id=outcome.physical_id)])
    ec2.delete_route_table(RouteTableId=other)


def test_a_described_rule_between_groups_that_somebody_added_is_revoked(bench: Bench, stranger: Stranger) -> None:
    make(bench, "Vpc", "Group")
    group = bench.requests[LogicalId("Group")]
    peer = {"GroupId": group.physical_id, "Description": "mine"}
    rule = {"IpProtocol": "tcp", "FromPort": 5, "ToPort": 6, "UserIdGroupPairs": [peer]}
    stranger("ec2").authorize_security_group_ingress(GroupId=group.physical_id, IpPermissions=[rule])
    assert drifted(bench, group) == ("SecurityGroupIngress",)
    bench.configure(group)
    assert drifted(bench, group) == ()
