"""Machines that end with the lease of their host, also one that a person has taken out of its control groups."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.kernel.cgroups import Cgroups
from tenuto.providers.local.executor.kernel.processes import start_of
from tenuto.providers.local.executor.leased import PROCESS, LeasedMachines

KIND = "virtual"


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "600"]) as found:
        yield found
        found.kill()


def leased_of(folder: Path) -> tuple[StateFolder, LeasedMachines]:
    """The machines of a host whose groups hold no process."""
    groups = folder / "groups"
    for controller in ("memory", "cpu", "pids", "freezer"):
        for name in ("one", "two"):
            place = groups / controller / "tenuto-x" / name
            place.mkdir(parents=True)
            (place / "cgroup.procs").write_text("")
            (place / "freezer.state").write_text("THAWED")
    state = StateFolder(folder / "state")
    return state, LeasedMachines(state, Cgroups("tenuto-x", groups), (KIND,))


def runs(state: StateFolder, name: str, pid: int, start: str) -> None:
    state.write(KIND, name, PROCESS, json.dumps({"pid": pid, "start": start}))


def test_a_machine_outside_of_its_groups_ends_with_the_lease(tmp_path: Path, sleeper: subprocess.Popen[bytes]) -> None:
    state, leased = leased_of(tmp_path)
    runs(state, "one", sleeper.pid, start_of(sleeper.pid))
    leased.mark(KIND, "one", is_leased=True)
    leased.end()
    assert sleeper.wait(10) == -9
    assert leased.was_ended(KIND, "one")


def test_no_other_process_ends_that_has_the_number_of_a_machine_by_now(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    state, leased = leased_of(tmp_path)
    runs(state, "one", sleeper.pid, "another boot 1")
    leased.mark(KIND, "one", is_leased=True)
    runs(state, "two", sleeper.pid, start_of(sleeper.pid))
    leased.mark(KIND, "two", is_leased=False)
    leased.end()
    assert sleeper.poll() is None
    assert not leased.was_ended(KIND, "one")
