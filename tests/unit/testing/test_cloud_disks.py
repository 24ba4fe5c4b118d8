"""Volumes and snapshots of the strict cloud: on their way to an instance, bigger once in six hours, and copied."""

from collections.abc import Callable
from typing import Any

import pytest
from strict_cloud import Somebody, Stage, code_of

from tenuto_testing.cloud import Pace

IMAGE = "ami-12c6146b"
ZONE = "us-east-1a"
Refused = Callable[[Somebody], object]


def disk(me: Somebody, **more: Any) -> str:
    return str(me.ec2.create_volume(**{"AvailabilityZone": ZONE, "Size": 8, "VolumeType": "gp3", **more})["VolumeId"])


def run(me: Somebody) -> str:
    order = {
        "ImageId": IMAGE,
        "InstanceType": "t3.micro",
        "MinCount": 1,
        "MaxCount": 1,
        "Placement": {"AvailabilityZone": ZONE},
    }
    return str(me.ec2.run_instances(**order)["Instances"][0]["InstanceId"])


def attach(me: Somebody, volume: str, instance: str, device: str = "/dev/sdh") -> Any:
    return me.ec2.attach_volume(VolumeId=volume, InstanceId=instance, Device=device)


def shown(me: Somebody, volume: str) -> dict[str, Any]:
    found: dict[str, Any] = me.ec2.describe_volumes(VolumeIds=[volume])["Volumes"][0]
    return found


def test_a_volume_is_attached_and_detached_in_a_moment_and_cannot_be_deleted_meanwhile() -> None:
    stage = Stage(pace=Pace())
    me = stage.me
    instance, volume = run(me), disk(me)
    assert code_of(lambda: attach(me, volume, instance)) == "IncorrectState"
    stage.clock.advance(21.0)
    attach(me, volume, instance)
    assert shown(me, volume)["Attachments"][0]["State"] == "attaching"
    stage.clock.advance(4.0)
    assert shown(me, volume)["Attachments"][0]["State"] == "attached"
    assert code_of(lambda: me.ec2.delete_volume(VolumeId=volume)) == "VolumeInUse"
    me.ec2.detach_volume(VolumeId=volume)
    assert shown(me, volume)["Attachments"][0]["State"] == "detaching"
    assert code_of(lambda: me.ec2.delete_volume(VolumeId=volume)) == "VolumeInUse"
    stage.clock.advance(4.0)
    assert shown(me, volume)["State"] == "available"
    me.ec2.delete_volume(VolumeId=volume)
    assert shown(me, volume)["State"] == "deleting"
    stage.clock.advance(1.0)
    assert code_of(lambda: shown(me, volume)) == "InvalidVolume.NotFound"


def test_a_volume_outlives_an_instance_that_did_not_start_from_it() -> None:
    stage = Stage(pace=Pace())
    me = stage.me
    instance, volume = run(me), disk(me)
    stage.clock.advance(21.0)
    attach(me, volume, instance)
    root = next(one["VolumeId"] for one in me.ec2.describe_volumes()["Volumes"] if one["VolumeId"] != volume)
    me.ec2.terminate_instances(InstanceIds=[instance])
    stage.clock.advance(31.0)
    assert shown(me, volume)["State"] == "available"
    assert code_of(lambda: shown(me, root)) == "InvalidVolume.NotFound"


def test_a_volume_grows_once_in_six_hours_and_never_shrinks() -> None:
    stage = Stage(pace=Pace())
    me, volume = stage.me, disk(stage.me)
    stage.clock.advance(5.0)
    assert code_of(lambda: me.ec2.modify_volume(VolumeId=volume, Size=7)) == "InvalidParameterValue"
    me.ec2.modify_volume(VolumeId=volume, Size=9)
    assert code_of(lambda: me.ec2.modify_volume(VolumeId=volume, Size=10)) == "VolumeModificationRateExceeded"
    stage.clock.advance(6 * 3600.0)
    assert shown(me, volume)["Size"] == 9
    me.ec2.modify_volume(VolumeId=volume, Size=10)


def test_a_snapshot_takes_a_minute_and_makes_volumes_of_at_least_its_size() -> None:
    stage = Stage(pace=Pace())
    me, volume = stage.me, disk(stage.me)
    stage.clock.advance(5.0)
    snapshot = me.ec2.create_snapshot(VolumeId=volume)["SnapshotId"]
    assert code_of(lambda: disk(me, SnapshotId=snapshot)) == "IncorrectState"
    stage.clock.advance(60.0)
    me.ec2.delete_volume(VolumeId=volume)
    assert me.ec2.describe_snapshots(OwnerIds=["self"])["Snapshots"][0]["State"] == "completed"
    assert code_of(lambda: disk(me, SnapshotId=snapshot, Size=7)) == "InvalidParameterValue"
    assert shown(me, disk(me, SnapshotId=snapshot))["SnapshotId"] == snapshot


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("MissingParameter", lambda me: me.ec2.create_volume(AvailabilityZone=ZONE)),
        ("InvalidParameterValue", lambda me: disk(me, Size=70_000)),
        ("InvalidParameterValue", lambda me: disk(me, VolumeType="st1")),
        ("InvalidParameterDependency", lambda me: disk(me, VolumeType="io1")),
        ("InvalidParameterDependency", lambda me: disk(me, VolumeType="gp2", Throughput=125)),
        ("InvalidParameterValue", lambda me: disk(me, Iops=100)),
        ("InvalidParameterCombination", lambda me: disk(me, MultiAttachEnabled=True)),
        ("InvalidParameterDependency", lambda me: disk(me, KmsKeyId="k")),
        ("InvalidSnapshot.NotFound", lambda me: disk(me, SnapshotId="snap-0123456789abcdef0")),
        ("InvalidParameterValue", lambda me: attach(me, disk(me), run(me), "sofa")),
        ("InvalidParameterValue", lambda me: attach(me, disk(me), run(me), "/dev/xvda")),
        ("InvalidVolume.ZoneMismatch", lambda me: attach(me, disk(me, AvailabilityZone="us-east-1b"), run(me))),
        ("InvalidInstanceID.NotFound", lambda me: attach(me, disk(me), "i-0123456789abcdef0")),
        ("IncorrectState", lambda me: me.ec2.detach_volume(VolumeId=disk(me))),
    ],
)
def test_what_volumes_do_not_take_is_refused_in_their_words(code: str, call: Refused) -> None:
    assert code_of(lambda: call(Stage().me)) == code


def test_a_volume_is_attached_to_one_instance_and_a_root_stays_where_it_is() -> None:
    me = Stage().me
    volume, instance = disk(me), run(me)
    root = next(one["VolumeId"] for one in me.ec2.describe_volumes()["Volumes"] if one["VolumeId"] != volume)
    attach(me, volume, instance)
    assert code_of(lambda: attach(me, volume, run(me))) == "VolumeInUse"
    assert code_of(lambda: me.ec2.detach_volume(VolumeId=root)) == "OperationNotPermitted"
