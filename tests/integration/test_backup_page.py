"""The page on backup and restore, done by hand: a backup while work goes on, more work, a restore, the doctor.

A real Conductor and the real command line in front of the strict cloud over HTTP.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live

from tenuto.bootstrap.clock import SystemClock
from tenuto_testing.cloud import Cloud, CloudServer

TEMPLATE = """
Parameters:
  Pw: {Type: String, NoEcho: true, Default: hush-hush-hush}
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties:
      CidrBlock: 10.0.0.0/16
      Tags: [{Key: Name, Value: one}, {Key: Pw, Value: !Ref Pw}]
"""
LARGER = """
  Right:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: !Ref Net, CidrBlock: 10.0.2.0/24}
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with CloudServer(Cloud(SystemClock())) as server:
        installation = Live(tmp_path, server.url)
        try:
            yield installation
        finally:
            installation.stop()


def put_in_place(live: Live, backup: Path) -> None:
    """As the page says: the present files away, the copy under their names, without a log of before."""
    away = live.folder / "before"
    away.mkdir()
    for part in live.folder.glob("tenuto.db*"):
        part.rename(away / part.name)
    for end in ("", ".key"):
        source = backup.with_name(f"{backup.name}{end}")
        source.rename(live.database.with_name(f"{live.database.name}{end}"))


def test_the_page_from_a_backup_to_the_doctor(live: Live) -> None:
    template, larger = live.folder / "web.yaml", live.folder / "larger.yaml"
    template.write_text(TEMPLATE)
    larger.write_text(TEMPLATE + LARGER)
    backup = live.folder / "backup.db"
    live.start()
    live.tenuto("run", str(template), "-a", "web", "--wait", check=True)
    live.tenuto("run", str(template), "-a", "other", check=True)
    live.until(lambda: live.status("other")["resources"]["Net"]["status"] != "planned", "the work on other has begun")
    live.tenuto("store", "backup", str(backup), "--with-key", check=True)
    checked = live.tenuto("store", "check", str(backup), check=True)
    assert "nothing is wrong, 2 processes examined, 2 sealed values opened" in checked.out
    live.until_converged("other", 0.0)

    live.tenuto("update", "web", str(larger), "--wait", check=True)
    right = live.id("web", "Right")
    assert right is not None
    assert live.stop() == 0

    put_in_place(live, backup)
    (live.folder / "tenuto.db.key").rename(live.folder / "kept.key")
    refused = live.tenuto("conductor")
    assert refused.code == 2
    assert "Restore" in refused.err
    (live.folder / "kept.key").rename(live.folder / "tenuto.db.key")
    live.start()
    live.until_converged("web", 0.0)
    live.until_converged("other", 0.0)
    doctor = live.tenuto("doctor")
    assert doctor.code == 11
    assert f"AWS::EC2::Subnet {right}" in doctor.out
    live.tenuto("doctor", "web", "--delete", right, check=True)
    assert live.tenuto("doctor").code == 0
    for alias in ("web", "other"):
        assert live.tenuto("plan", alias).code == 0
    assert live.tenuto("store", "check").code == 0
    assert live.account()["vpcs"] == 1 + 2, "the default network, and one of each process"
    assert right not in [one["SubnetId"] for one in live.aws("ec2").describe_subnets()["Subnets"]]
