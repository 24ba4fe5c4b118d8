"""Machines that end with the lease of their host, also one that a person has taken out of its control groups."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.ends_with_lease import LeasedThings
from tenuto.providers.local.executor.guard import begin_guard
from tenuto.providers.local.executor.kernel.cgroups import Cgroups
from tenuto.providers.local.executor.kernel.processes import start_of
from tenuto.providers.local.executor.leased import PROCESS, LeasedMachines
from tenuto.providers.local.executor.networking.outside import Outside
from tenuto.providers.local.leases import Lease, seconds_since_boot

KIND = "virtual"
PATIENCE_S = 30.0


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


@pytest.mark.parametrize("how", ["the note is gone", "the note is damaged", "the folder is gone"])
def test_only_the_words_of_an_order_keep_a_machine(tmp_path: Path, sleeper: subprocess.Popen[bytes], how: str) -> None:
    """A machine whose mark a person had removed ran on beside the one that was made elsewhere."""
    state, leased = leased_of(tmp_path)
    for controller in ("pids", "memory", "cpu", "freezer"):
        (tmp_path / "groups" / controller / "tenuto-x/one/cgroup.procs").write_text(f"{sleeper.pid}\n")
    leased.mark(KIND, "one", is_leased=True)
    if how == "the note is gone":
        (state.folder(KIND, "one") / "leased").unlink()
    elif how == "the note is damaged":
        state.write(KIND, "one", "leased", "n")
    else:
        state.remove(KIND, "one")
    leased.end()
    assert sleeper.wait(10) == -9
    assert state.has(KIND, "one") is leased.was_ended(KIND, "one") is (how != "the folder is gone")


def test_a_machine_whose_folder_is_a_link_stays_by_the_note_there(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    """A person may have moved it to another disk."""
    state, _ = leased_of(tmp_path)
    leased = LeasedMachines(state, Cgroups("tenuto-x", tmp_path / "groups"), ("machines", KIND))
    for controller in ("pids", "memory", "cpu", "freezer"):
        (tmp_path / "groups" / controller / "tenuto-x/one/cgroup.procs").write_text(f"{sleeper.pid}\n")
    leased.mark(KIND, "one", is_leased=False)
    folder = state.folder(KIND, "one").rename(tmp_path / "elsewhere")
    state.folder(KIND, "one").symlink_to(folder)
    leased.end()
    assert sleeper.poll() is None
    (folder / "leased").write_text("")
    leased.end()
    assert sleeper.wait(10) == -9


def test_a_note_that_is_another_one_than_ordered_is_told_and_set_right(tmp_path: Path) -> None:
    state, leased = leased_of(tmp_path)
    for is_leased in (False, True):
        leased.mark(KIND, "one", is_leased=is_leased)
        assert leased.problems(KIND, "one", is_leased=is_leased) == ()
        assert "has another content" in leased.problems(KIND, "one", is_leased=not is_leased)[0]
        (state.folder(KIND, "one") / "leased").unlink()
        assert "is missing" in leased.problems(KIND, "one", is_leased=is_leased)[0]
    assert leased.problems(KIND, "two", is_leased=True) == (), "its folder is gone, which others tell"


def test_folders_of_others_and_damaged_records_keep_no_machine_from_its_end(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    """A folder `lost+found` ended the guard, and the machines of all tenants ran on beside those made elsewhere."""
    state, leased = leased_of(tmp_path)
    for name in ("lost+found", "one.bak"):
        (state.path / KIND / name).mkdir(parents=True)
        (state.path / KIND / name / "leased").write_text("")
    for name, record in {"a": "{", "b": '{"start": "x"}', "c": '{"pid": "7", "start": "x"}', "d": "[]"}.items():
        leased.mark(KIND, name, is_leased=True)
        state.write(KIND, name, PROCESS, record)
    (state.made(KIND, "e") / "leased").symlink_to(tmp_path)
    state.made(KIND, "f")
    runs(state, "one", sleeper.pid, start_of(sleeper.pid))
    leased.mark(KIND, "one", is_leased=True)
    leased.end()
    assert sleeper.wait(10) == -9


def test_a_mark_that_cannot_be_read_ends_its_machine_and_keeps_no_other_one(
    tmp_path: Path, sleeper: subprocess.Popen[bytes]
) -> None:
    """A disk with an error is a likely companion of a host that is cut off."""
    _, made = leased_of(tmp_path)

    class Damaged(StateFolder):
        def read(self, kind: str, name: str, file: str, *, largest: int = 1 << 20) -> str | None:
            if name == "two":
                raise OSError(5, "Input/output error")
            return super().read(kind, name, file, largest=largest)

    state = Damaged(tmp_path / "state")
    leased = LeasedMachines(state, Cgroups("tenuto-x", tmp_path / "groups"), (KIND,))
    made.mark(KIND, "one", is_leased=True)
    made.mark(KIND, "two", is_leased=True)
    runs(state, "one", sleeper.pid, start_of(sleeper.pid))
    with subprocess.Popen(["sleep", "600"]) as other:
        for controller in ("pids", "memory", "cpu", "freezer"):
            (tmp_path / "groups" / controller / "tenuto-x/two/cgroup.procs").write_text(f"{other.pid}\n")
        leased.end()
        assert (sleeper.wait(10), other.wait(10)) == (-9, -9)


class Failing(LeasedMachines):
    """Machines whose end fails in a way that was not thought of."""

    def end(self) -> None:
        raise KeyError("pid")


class Noted(Outside):
    """Addresses outside that note their end."""

    is_withdrawn = False

    def withdraw(self) -> None:
        self.is_withdrawn = True


def test_addresses_are_let_go_also_when_the_machines_cannot_be_ended(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    outside = Noted(state)
    with pytest.raises(KeyError):
        LeasedThings(Failing(state, Cgroups("tenuto-x", tmp_path), (KIND,)), outside).end()
    assert outside.is_withdrawn


def test_addresses_of_a_network_are_let_go_also_when_the_file_of_another_one_cannot_be_read(tmp_path: Path) -> None:
    asked = []

    class Damaged(Outside):
        def kept(self, name: str) -> frozenset[tuple[str, str]]:
            asked.append(name)
            raise OSError(5, "Input/output error")

    state = StateFolder(tmp_path)
    for name in ("1", "2"):
        state.made("networks", name)
    Damaged(state).withdraw()
    assert asked == ["1", "2"]


class FailingFirst(LeasedThings):
    """Things whose end fails, and is noted when it is tried again."""

    def __init__(self, folder: Path) -> None:
        self._tried, self._ended = folder / "tried", folder / "ended"

    def end(self) -> None:
        if not self._tried.exists():
            self._tried.touch()
            raise KeyError("pid")
        self._ended.touch()


def test_no_error_ends_the_guard(tmp_path: Path) -> None:
    lease = Lease(tmp_path / "lease")
    lease.hold(seconds_since_boot() - 1)
    closed, other = os.pipe()
    guard = begin_guard(tmp_path, FailingFirst(tmp_path), lease, closed=closed)
    try:
        end = time.monotonic() + PATIENCE_S
        while not (tmp_path / "ended").exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert (tmp_path / "ended").exists()
        assert os.waitpid(guard, os.WNOHANG) == (0, 0)
    finally:
        os.kill(guard, signal.SIGKILL)
        os.waitpid(guard, 0)
        os.close(closed)
        os.close(other)


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_guard_whose_executor_and_own_record_are_gone_ends_the_machines(tmp_path: Path, *, is_folder: bool) -> None:
    lease = Lease(tmp_path / "lease")
    lease.hold(seconds_since_boot() + 1.0)
    if is_folder:
        (tmp_path / "guard").mkdir()
    closed, other = os.pipe()
    executor = os.fork()
    if not executor:
        begin_guard(tmp_path, FailingFirst(tmp_path), lease, closed=closed)
        os._exit(0)
    os.waitpid(executor, 0)
    end = time.monotonic() + PATIENCE_S
    while not (tmp_path / "ended").exists() and time.monotonic() < end:
        if not is_folder:
            (tmp_path / "guard").unlink(missing_ok=True)
        time.sleep(0.01)
    assert (tmp_path / "ended").exists()
    os.close(closed)
    os.close(other)
