"""The volumes of a machine: attached as declared, held among those of others, and detached when they are taken out."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto.model.outcome import Done, Request
from tenuto_testing.provider_conformance import Bench, Example

MACHINE, ZONE = LogicalId("Machine"), "us-east-1a"


def _disk(name: str) -> Example:
    properties = {"AvailabilityZone": ZONE, "Size": 1}
    return Example(name=LogicalId(name), type=TypeName("AWS::EC2::Volume"), properties=properties)


EXAMPLES = (
    Example(name=LogicalId("Net"), type=TypeName("AWS::EC2::VPC"), properties={"CidrBlock": "10.0.0.0/16"}),
    Example(
        name=LogicalId("Subnet"),
        type=TypeName("AWS::EC2::Subnet"),
        properties={"VpcId": {"Ref": "Net"}, "CidrBlock": "10.0.0.0/24", "AvailabilityZone": ZONE},
    ),
    _disk("First"),
    _disk("Second"),
    Example(
        name=MACHINE,
        type=TypeName("AWS::EC2::Instance"),
        properties={
            "ImageId": "ami-12c6146b",
            "SubnetId": {"Ref": "Subnet"},
            "Volumes": [
                {"Device": "/dev/sdk", "VolumeId": {"Ref": "First"}},
                {"Device": "/dev/sdl", "VolumeId": {"Ref": "Second"}},
            ],
        },
    ),
)


@pytest.fixture
def bench(bench_of: BenchOf) -> Iterator[Bench]:
    with bench_of(EXAMPLES) as made:
        made.make_all()
        yield made


def repaired(bench: Bench, request: Request) -> Request:
    """The request after a change, as the next sweep meets it."""
    asked = replace(request, observed=bench.ready(request).properties)
    outcome = bench.until_done(bench.provider.modify, asked)
    assert isinstance(outcome, Done)
    assert bench.differing(request, bench.ready(request)) == ()
    return replace(request, attributes={**request.attributes, **outcome.attributes})


def devices(ec2: Any, instance: str) -> dict[str, str]:
    [found] = ec2.describe_instances(InstanceIds=[instance])["Reservations"][0]["Instances"]
    return {one["Ebs"]["VolumeId"]: one["DeviceName"] for one in found["BlockDeviceMappings"]}


def test_volumes_are_attached_held_and_taken_out(bench: Bench, stranger: Callable[[str], Any]) -> None:
    ec2, request = stranger("ec2"), bench.requests[MACHINE]
    machine = str(request.physical_id)
    first, second = (str(bench.requests[LogicalId(name)].physical_id) for name in ("First", "Second"))
    assert bench.differing(request, bench.ready(request)) == ()
    assert devices(ec2, machine).items() >= {first: "/dev/sdk", second: "/dev/sdl"}.items()

    other = ec2.create_volume(AvailabilityZone=ZONE, Size=1)["VolumeId"]
    ec2.attach_volume(VolumeId=other, InstanceId=machine, Device="/dev/sdz")
    assert bench.differing(request, bench.ready(request)) == (), "what others attach is no drift"
    ec2.detach_volume(VolumeId=first, InstanceId=machine)
    ec2.detach_volume(VolumeId=second, InstanceId=machine)
    ec2.attach_volume(VolumeId=second, InstanceId=machine, Device="/dev/sdm")
    assert bench.differing(request, bench.ready(request)) == ("Volumes",)
    request = repaired(bench, request)
    assert devices(ec2, machine).items() >= {first: "/dev/sdk", second: "/dev/sdl", other: "/dev/sdz"}.items()

    left = replace(request, properties={**request.properties, "Volumes": request.properties["Volumes"][:1]})
    request = repaired(bench, left)
    assert devices(ec2, machine).keys() & {first, second, other} == {first, other}
    repaired(bench, replace(request, properties={**request.properties, "Volumes": []}))
    assert devices(ec2, machine).keys() & {first, second, other} == {other}
    ec2.detach_volume(VolumeId=other, InstanceId=machine)
    ec2.delete_volume(VolumeId=other)
