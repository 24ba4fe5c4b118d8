"""Minds change on a real Conductor in front of an emulated AWS: a command takes back a deletion that sleeps.

A route table of another user holds the network, so that its deletion is refused and tried again. The table is deleted
while the process is suspended, and the pause lasts longer than the deletion sleeps. Without a mandate of its own the
deletion would then be the first thing that the Conductor does.
"""

import time
from pathlib import Path

import pytest
from live import Live
from night import by_day

from tenuto.kit.times import iso_text
from tenuto.model.phase_map import PhaseStatus
from tenuto.ports.provider import NO_MANDATE

NETWORK = "  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.20.0.0/16}}"
QUEUE = "  Jobs: {Type: AWS::SQS::Queue, Properties: {QueueName: minds-jobs}}"
PAUSE_S = 12.0
"""Longer than a refused deletion sleeps after its first refusals."""
WAYS = ("resume", "resume of a saved plan", "release", "update")


def template(folder: Path, *resources: str) -> str:
    path = folder / f"{len(resources)}.yaml"
    path.write_text("\n".join(("Resources:", *resources)))
    return str(path)


def deletions(live: Live, fid: str, after: str = "") -> list[str]:
    """The deletions that AWS was asked for, for a process; without those that were taken back before they were sent."""
    ops = live.tenuto("--json", "ops", fid, check=True).document["ops"]
    return [
        one["operation"]
        for one in ops
        if one["at"] > after
        and one["operation"].startswith("Delete")
        and one["operation"] != "DeleteTags"
        and one["code"] != NO_MANDATE
    ]


def is_at_rest(live: Live) -> bool:
    """Whether no deletion is under way: a slow one may be when the process is suspended."""
    counts = live.tenuto("--json", "phases", "resource.delete", check=True).document["counts"]
    return PhaseStatus.RUNNING not in counts


@pytest.mark.slow
@pytest.mark.parametrize("way", by_day(2, WAYS))
def test_a_deletion_that_is_taken_back_after_a_pause_is_not_carried_out(live: Live, tmp_path: Path, way: str) -> None:
    whole, less = template(tmp_path, NETWORK, QUEUE), template(tmp_path, QUEUE)
    live.tenuto("run", whole, "-a", "net", "--wait=60", check=True)
    document = live.status("net")
    fid, network = document["fid"], document["resources"]["Net"]["id"]
    ec2 = live.aws("ec2")
    table = ec2.create_route_table(VpcId=network)["RouteTable"]["RouteTableId"]
    if way in ("release", "resume", "resume of a saved plan"):
        live.tenuto("kill", "net", check=True)
    else:
        live.tenuto("update", "net", less, check=True)
    live.until(lambda: "DeleteVpc" in deletions(live, fid), "the deletion of the network is tried")
    live.tenuto("suspend", "net", check=True)
    live.until(lambda: live.status("net")["state"] == "Suspended", "it is suspended")
    live.until(lambda: is_at_rest(live), "the act that was under way is over")
    ec2.delete_route_table(RouteTableId=table)
    rested_at = iso_text(time.time())
    match way:
        case "release":
            time.sleep(PAUSE_S)
            live.tenuto("release", "net", "--wait=60", check=True)
        case "resume of a saved plan":
            file = str(tmp_path / "saved.plan")
            live.tenuto("resume", "net", "--dry-run", "-o", file)
            time.sleep(PAUSE_S)
            live.tenuto("resume", "net", "--plan", file, "--wait=60", check=True)
        case _:
            if way == "update":
                live.tenuto("update", "net", whole, check=True)
            time.sleep(PAUSE_S)
            live.tenuto("resume", "net", "--wait=60", check=True)
    assert deletions(live, fid, rested_at) == []
    assert [one["VpcId"] for one in ec2.describe_vpcs(VpcIds=[network])["Vpcs"]] == [network]
    if way != "release":
        assert live.id("net", "Net") == network


@pytest.mark.slow
def test_the_way_back_from_a_failed_replacement_keeps_the_volume(live: Live, tmp_path: Path) -> None:
    def volume(zone: str) -> str:
        return template(
            tmp_path, f"  Data: {{Type: AWS::EC2::Volume, Properties: {{Size: 8, AvailabilityZone: {zone}}}}}"
        )

    live.tenuto("run", volume("us-east-1a"), "-a", "disk", "--wait=60", check=True)
    original = live.id("disk", "Data")
    live.tenuto("update", "disk", volume("us-east-1z"), "--wait=60")
    assert live.status("disk")["state"] == "Suspended"
    again = live.tenuto("--json", "resume", "disk", "--dry-run", check=True).document
    assert [(one["op"], one["reason"]) for one in again["operations"]] == [
        ("replace", "again, because resource.configure failed"),
        ("delete", "replaced, once its successor is ready"),
    ]
    live.tenuto("update", "disk", volume("us-east-1a"), check=True)
    back = live.tenuto("--json", "resume", "disk", "--dry-run", check=True).document
    assert [(one["op"], one["id"] == original) for one in back["operations"]] == [("delete", False)]
    live.tenuto("resume", "disk", "--wait=60", check=True)
    assert live.id("disk", "Data") == original
    standing = live.aws("ec2").describe_volumes()["Volumes"]
    assert [one["VolumeId"] for one in standing] == [original]
