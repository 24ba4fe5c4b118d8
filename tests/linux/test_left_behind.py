"""Runs that were cut off: what has the number of a dead process in its name is removed, and nothing else."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import left_behind
import pytest

pytestmark = pytest.mark.slow


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], capture_output=True, check=True)


def stand(names: list[str]) -> list[str]:
    """The names that stand, of these."""
    return [name for name in names if Path("/run/netns", name).exists() or Path("/sys/class/net", name).exists()]


@pytest.fixture
def ends() -> Iterator[ExitStack]:
    with ExitStack() as held:
        yield held


def make(ends: ExitStack, *words: str) -> None:
    """Make a namespace or a link, which is gone at the end in any case."""
    kind, name = words[0], words[2]
    ip(*words)
    ends.callback(subprocess.run, ["ip", kind, "delete", name], capture_output=True, check=False)


def test_things_of_a_dead_process_are_removed_and_those_of_a_living_one_stand(ends: ExitStack) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    spaces, links = [f"tu{dead.pid}h1", f"tu{dead.pid}h2", f"tenuto-{dead.pid}-beside"], [f"tf{dead.pid}"]
    links += [f"tx{dead.pid}", f"tu{dead.pid}"]
    living = [f"tu{os.getpid()}h9", f"tf{os.getpid()}z"]
    for name in (*spaces, living[0]):
        make(ends, "netns", "add", name)
    for name in (*links, living[1]):
        make(ends, "link", "add", name, "type", "bridge")
    process = subprocess.Popen(["ip", "netns", "exec", spaces[0], "sleep", "600"])
    left_behind.note(io.StringIO())
    assert stand([*spaces, *links]) == []
    assert stand(living) == living
    assert process.wait(30) != 0, "it was ended with its namespace"


@pytest.mark.parametrize("name", ["tu-1234567", "tunnel", "t1", "eth0", "tenuto-h9x", "tuna99999999", "docker0"])
def test_names_of_others_belong_to_no_process(name: str) -> None:
    assert not left_behind.is_of_dead(name)


def test_a_mount_in_the_folder_of_a_test_that_was_cut_off_is_removed(tmp_path: Path, ends: ExitStack) -> None:
    file, place = io.StringIO(), tmp_path / "inner"
    place.mkdir()
    left_behind.note(file)
    subprocess.run(["mount", "-t", "tmpfs", "tenuto-test", str(place)], check=True)
    ends.callback(subprocess.run, ["umount", str(place)], capture_output=True, check=False)
    left_behind.note(file)
    assert not place.is_mount()
