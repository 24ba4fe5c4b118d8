"""A program that hands out credentials and never ends, under a real Conductor: a problem of its account alone."""

import shlex
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from live import Live

from tenuto.bootstrap.clock import SystemClock
from tenuto.providers.aws.client.entrance.programs import LIMIT_S
from tenuto_testing.cloud import Cloud, CloudServer

NETWORK = """
Resources:
  Net:
    Type: AWS::EC2::VPC
    Properties: {CidrBlock: 10.9.0.0/16}
"""
ENDS_WITHIN_S = 20.0
"""Less than the limit of a program: a Conductor that waited for it would be late."""


class Hanging(Live):
    """An installation with a profile `p` whose program never ends."""

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {"AWS_CONFIG_FILE": str(self.folder / "aws-config")}

    def configure(self) -> None:
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\necho $$ >> {shlex.quote(str(self.pids))}\nexec sleep 3000\n")
        program.chmod(0o755)
        self.pids.touch()
        (self.folder / "aws-config").write_text(f"[profile p]\ncredential_process = {program}\n")

    @property
    def pids(self) -> Path:
        return self.folder / "pids"

    @property
    def started(self) -> list[str]:
        return self.pids.read_text().split()

    @property
    def left(self) -> list[str]:
        return [pid for pid in self.started if Path("/proc", pid).exists()]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Hanging]:
    with CloudServer(Cloud(SystemClock())) as server:
        installation = Hanging(tmp_path, server.url)
        installation.configure()
        try:
            installation.start()
            yield installation
        finally:
            installation.stop()


def test_a_program_that_never_ends_is_a_problem_of_its_account_and_holds_up_nothing(live: Hanging) -> None:
    file = live.folder / "web.yaml"
    file.write_text(NETWORK)
    live.tenuto("account", "add", "p", "--profile", "p", "--unchecked", check=True)
    with ThreadPoolExecutor(8) as pool:
        checks = [pool.submit(live.tenuto, "account", "check", "p") for _ in range(8)]
        live.until(lambda: len(live.started) == 1, "the program is started")
        live.tenuto("run", str(file), "-a", "here", check=True)
        live.until(lambda: "converged" in live.asked("status", "here").out, "the other account goes on")
        answers = [one.result() for one in checks]
    assert {one.code for one in answers} == {1}
    assert all(f"gave no credentials within {LIMIT_S:g} s" in one.err for one in answers), answers
    assert len(live.started) == 1
    assert live.left == []
    assert "gave no credentials" in live.asked("--json", "account", "show", "p").out

    live.tenuto("run", str(file), "-a", "there", "--account", "p", "--region", "eu-west-1")
    live.until(lambda: "gave no credentials" in live.asked("--json", "status", "there").out, "the process tells it")


def test_the_end_of_the_conductor_ends_the_program_and_waits_for_nothing(live: Hanging) -> None:
    live.tenuto("account", "add", "p", "--profile", "p", "--unchecked", check=True)
    with ThreadPoolExecutor(1) as pool:
        checking = pool.submit(live.tenuto, "account", "check", "p")
        live.until(lambda: len(live.started) == 1, "the program is started")
        began = time.monotonic()
        assert live.stop() == 0
        assert time.monotonic() - began < ENDS_WITHIN_S
        assert checking.result().code != 0
    assert live.left == []
