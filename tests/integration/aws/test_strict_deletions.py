"""Deletions in more than one step, where a sweep that is out of date must not be taken for the last word."""

from dataclasses import replace

from tenuto.model.ids import Fid, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.outcome import Request
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud import Cloud, InProcessSession, Lag
from tenuto_testing.ops import RecordedOps

HERE = Partition(account="default", region="us-east-1")


def test_an_address_that_was_let_go_a_moment_ago_is_released_all_the_same() -> None:
    clock = VirtualClock()
    cloud = Cloud(clock, lag=Lag(changed_s=5.0))
    session = InProcessSession(cloud)
    ec2 = session.create_client("ec2", HERE.region)
    subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
    order = {"ImageId": "ami-12c6146b", "InstanceType": "t3.micro", "MinCount": 1, "MaxCount": 1, "SubnetId": subnet}
    instance = ec2.run_instances(**order)["Instances"][0]["InstanceId"]
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    association = ec2.associate_address(AllocationId=address, InstanceId=instance)["AssociationId"]
    clock.advance(10.0)
    ec2.disassociate_address(AssociationId=association)
    provider = AwsProvider(session=session, ops=RecordedOps(), clock=clock, workers=1)
    request = Request(
        object_id=ObjectId("o"),
        fid=Fid("f"),
        process_name="p",
        logical_id=LogicalId("Address"),
        type=TypeName("AWS::EC2::EIP"),
        token="o",
        properties={},
    )
    provider.delete(HERE, [replace(request, physical_id=PhysicalId(address))])
    clock.advance(10.0)
    assert ec2.describe_addresses()["Addresses"] == []
