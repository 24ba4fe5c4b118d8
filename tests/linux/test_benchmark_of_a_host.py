"""`python -m benchmarks local` runs on this machine, and leaves nothing."""

import subprocess

import pytest
from benchmarks.local import local

from tenuto.providers.local.drivers.qemu.host import obstacle

pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(300)]


def spaces() -> str:
    return subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout


def test_the_benchmark_of_a_host_runs_and_leaves_nothing() -> None:
    if reason := obstacle():
        pytest.skip(f"no host of driver qemu: {reason}")
    before = spaces()
    rows = local(1)
    assert [row["step"] for row in rows] == [
        "networks",
        "machines ns",
        "an observation of networks and machines ns",
        "machines qemu, to the answer of the guest",
        "an observation of all",
    ]
    assert all(row["wall s"] > 0 and row["bare s"] > 0 for row in rows)
    assert spaces() == before
