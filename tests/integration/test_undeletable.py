"""What cannot be deleted: a real Conductor in front of an emulated AWS says who holds it, and what to do next."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live, emulated

TEMPLATE = """
Resources:
  Net: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.20.0.0/16}}
  Logs: {Type: AWS::S3::Bucket, Properties: {BucketName: undeletable-logs}}
"""


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """A Conductor without patience: what is held fails at the second refusal."""
    with emulated(tmp_path, TENUTO_PATIENCE="0.1") as running:
        yield running


@pytest.mark.slow
def test_a_kill_ends_suspended_with_holder_code_request_and_next_step_and_goes_on(live: Live, tmp_path: Path) -> None:
    template = tmp_path / "net.yaml"
    template.write_text(TEMPLATE)
    live.tenuto("run", str(template), "-a", "net", "--wait=60", check=True)
    vpc_id = live.status("net")["resources"]["Net"]["id"]
    ec2, s3 = live.aws("ec2"), live.aws("s3")
    table_id = ec2.create_route_table(VpcId=vpc_id)["RouteTable"]["RouteTableId"]
    s3.put_object(Bucket="undeletable-logs", Key="left", Body=b"behind")
    killed = live.tenuto("kill", "net", "--wait=60")
    assert killed.code == 1
    document = live.status("net")
    assert document["state"] == "Suspended"
    assert document["last_job"]["status"] == "HALTED"
    for words in (
        "Net (AWS::EC2::VPC): resource.delete failed",
        "DependencyViolation",
        f"held by route table {table_id}",
        "Logs (AWS::S3::Bucket): resource.delete failed",
        "BucketNotEmpty",
        "Empty the bucket",
        "request ",
        "'tenuto kill net' goes on",
    ):
        assert words in document["last_message"]
        assert words in live.tenuto("history", "net", check=True).out
        assert words in live.tenuto("status", check=True).out
    failures = live.tenuto("--json", "events", "net", "--type", "phase.failed").document["events"]
    assert {one["data"]["code"] for one in failures} == {"BucketNotEmpty", "DependencyViolation"}
    assert all(one["data"]["request_id"] for one in failures)
    ec2.delete_route_table(RouteTableId=table_id)
    s3.delete_object(Bucket="undeletable-logs", Key="left")
    live.tenuto("kill", "net", "--wait=60", check=True)
    assert live.status("net") is None
