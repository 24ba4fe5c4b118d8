"""The needs of each test here: a machine that can be a host.

Where it cannot be one, the tests are skipped with the reason; with `local` in TENUTO_REQUIRE they fail instead.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import left_behind
import pytest
from agents import HostsLive
from installation import Installation
from passable import passable

from tenuto.providers.local.drivers.ns.host import obstacle


def _obstacle() -> str:
    return obstacle() or ("" if shutil.which("ping") else "it lacks packages: apt-get install iputils-ping")


@pytest.fixture(autouse=True)
def _alone(_able: None) -> Iterator[None]:
    """One test at a time, whichever process runs it: this machine is one host, and its names are those of one."""
    with (Path(tempfile.gettempdir()) / "tenuto-linux-tests.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        left_behind.note(lock)
        yield
        left_behind.forget(lock)


@pytest.fixture(scope="session")
def _able() -> None:
    if reason := _obstacle():
        if "local" in os.environ.get("TENUTO_REQUIRE", "").split(","):
            pytest.fail(f"TENUTO_REQUIRE asks for local: {reason}")
        pytest.skip(f"no host of driver ns: {reason}")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder that other users can be let into. That of pytest is closed to them again by each run that begins, as a
    test does that runs the tests of somebody's provider."""
    with tempfile.TemporaryDirectory(prefix="test_") as folder:
        yield Path(folder).resolve()


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """An installation that reaches no cloud, and whose Conductor is started by the page."""
    live = HostsLive(passable(tmp_path))
    (tmp_path / "conductor.log").touch()
    made = Installation(tmp_path, live)
    with ExitStack() as ends:
        ends.callback(live.end)
        ends.callback(made.bash.close)
        yield made
