"""What stays behind when a process is killed: snapshots of volumes, and what is retained."""

from pathlib import Path

import pytest
from live import Live

TEMPLATE = """
Resources:
  Copied:
    Type: AWS::EC2::Volume
    DeletionPolicy: Snapshot
    UpdateReplacePolicy: Snapshot
    Properties: {AvailabilityZone: ZONE, Size: 8, Tags: [{Key: team, Value: data}]}
  Plain: {Type: AWS::EC2::Volume, DeletionPolicy: KEPT, Properties: {AvailabilityZone: us-east-1a, Size: 1}}
"""


def template(folder: Path, zone: str, kept: str) -> str:
    path = folder / f"{zone}-{kept}.yaml"
    path.write_text(TEMPLATE.replace("ZONE", zone).replace("KEPT", kept))
    return str(path)


@pytest.mark.slow
def test_a_snapshot_is_made_before_a_replacement_and_before_a_kill_and_an_updated_policy_holds(
    live: Live, tmp_path: Path
) -> None:
    ec2 = live.aws("ec2")
    live.tenuto("run", template(tmp_path, "us-east-1a", "Delete"), "-a", "disks", "--wait=60", check=True)
    before = live.status("disks")["resources"]["Copied"]["id"]
    live.tenuto("update", "disks", template(tmp_path, "us-east-1b", "Retain"), "--wait=60", check=True)
    resources = live.status("disks")["resources"]
    after, kept = resources["Copied"]["id"], resources["Plain"]["id"]
    assert after != before
    live.tenuto("kill", "disks", "--wait=60", check=True)
    own = [
        one
        for one in ec2.describe_snapshots(OwnerIds=["self"])["Snapshots"]
        if any(tag["Key"] == "tenuto:snapshot-of" for tag in one.get("Tags", []))
    ]
    assert sorted(one["VolumeId"] for one in own) == sorted([before, after])
    assert all({"Key": "team", "Value": "data"} in one["Tags"] for one in own)
    (left,) = ec2.describe_volumes()["Volumes"]
    assert left["VolumeId"] == kept
    assert not [tag for tag in left.get("Tags", []) if tag["Key"].startswith("tenuto:")]
