"""A real Conductor whose system clock is set while it runs, and between its lives: drift is repaired all the same.

libfaketime moves the system clock that the Conductor sees; the monotonic clock goes on as it does on any machine.
"""

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from stepped_live import SteppedLive, library

from tenuto.bootstrap.clock import SystemClock
from tenuto_testing.cloud import Cloud, CloudServer

HOUR_S = 3600
DAY_S = 24 * HOUR_S
REPAIR_S = 30.0
"""Fifteen periods: long enough for a machine that is busy, and nothing beside the hours that a step could delay it."""
TEMPLATE = """
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties:
      CidrBlock: 10.0.0.0/16
      Tags: [{Key: Name, Value: declared}]
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


class Watched:
    """One converged process, and others who change what it holds."""

    def __init__(self, live: SteppedLive) -> None:
        self.live = live
        self._changes = 0
        self._ec2: Any = live.aws("ec2")

    def run(self) -> None:
        template = self.live.folder / "web.yaml"
        template.write_text(TEMPLATE)
        self.live.tenuto("run", str(template), "-a", "web", "--wait", check=True)

    def is_repaired(self, when: str) -> None:
        """A change by others is set back soon. Another value each time: the same one again and again is a fight."""
        [net] = [one for one in self._ec2.describe_vpcs()["Vpcs"] if one["CidrBlock"] == "10.0.0.0/16"]
        self._changes += 1
        self._ec2.create_tags(Resources=[net["VpcId"]], Tags=[{"Key": "Name", "Value": f"change {self._changes}"}])
        self.live.until(lambda: self._is_whole(net["VpcId"]), f"the repair {when}", patience_s=REPAIR_S)

    def _is_whole(self, vpc_id: str) -> bool:
        """The repair is made and its job has seen it: a change that comes between the two is a change refused."""
        return self._name(vpc_id) == "declared" and self.live.status("web")["converged"]

    def _name(self, vpc_id: str) -> str:
        [net] = self._ec2.describe_vpcs(VpcIds=[vpc_id])["Vpcs"]
        return str(next(tag["Value"] for tag in net["Tags"] if tag["Key"] == "Name"))

    def tells(self, words: str) -> None:
        """The log and the Conductor's node say so."""
        self.live.until(lambda: words in self._told(), f"nodes tell {words!r}", patience_s=REPAIR_S)
        assert words in (self.live.folder / "conductor.log").read_text()

    def _told(self) -> str:
        clock = self.live.node()["clock"]
        return str(clock["message"]) if clock else ""

    def goes_by_the_system_clock(self, ahead_s: int) -> None:
        """Times shown are those of the system clock again, once the Conductor has followed it."""

        def ahead() -> float:
            return datetime.fromisoformat(self.live.node()["checked_in"]).timestamp() - time.time()

        self.live.until(lambda: abs(ahead() - ahead_s) < HOUR_S / 2, "times shown are right", patience_s=REPAIR_S)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    found = library()
    if found is None:
        pytest.skip("libfaketime is not installed; 'apt-get install libfaketime' does it, and scripts/test as root")
    with CloudServer(Cloud(SystemClock())) as server:
        live = SteppedLive(tmp_path, server.url, found)
        try:
            yield Watched(live)
        finally:
            live.stop()


@pytest.mark.nightly
def test_drift_is_repaired_after_every_step_of_the_clock_and_after_restarts_by_another_one(watched: Watched) -> None:
    live = watched.live
    live.start()
    watched.run()
    watched.is_repaired("before any step")
    for ahead_s, words in (
        (HOUR_S, "went forward by 3600 s"),
        (0, "went back by 3600 s"),
        (-HOUR_S, "went back by 3600 s"),
        (-30 * DAY_S, "went back by 2588400 s"),
    ):
        live.set_clock(ahead_s)
        watched.is_repaired(f"at {ahead_s:+d} s")
        watched.tells(words)
        watched.goes_by_the_system_clock(ahead_s)
    assert live.stop() == 0

    live.set_clock(30 * DAY_S)
    live.start()
    watched.is_repaired("after a restart by a clock that is ahead")
    assert live.stop() == 0

    live.set_clock(0)
    live.start()
    watched.is_repaired("after a restart by the right clock")
    watched.tells("before the newest time in the database")
    live.kill_9()

    live.set_clock(-HOUR_S)
    live.start()
    watched.is_repaired("after a restart by a clock that is behind")
    watched.tells("before the newest time in the database")
    assert live.stop() == 0
