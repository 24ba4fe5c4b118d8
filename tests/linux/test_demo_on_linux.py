"""`tenuto demo --local --driver ns`: the whole story on this machine, and what an interrupted one leaves."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from clearing import clear
from passable import passable

from tenuto.bootstrap.demo import linux_host
from tenuto.errors import UserError
from tenuto.providers.local.drivers.qemu.host import obstacle

COMMAND = [sys.executable, "-m", "tenuto", "demo", "--local", "--period", "1"]
CACHE = Path.home() / ".cache"
"""The cache of the image builder, which one build fills for all."""
PATIENCE_S = 600
"""Guests boot under software emulation, beside whatever else this machine does; what takes longer is stuck."""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@contextmanager
def begun(folder: Path, driver: str = "ns") -> Iterator["subprocess.Popen[str]"]:
    """A story that is told. One that a test gives up is interrupted, deletes its machines, and is ended if need be."""
    folder.chmod(0o711)
    story = subprocess.Popen(
        [*COMMAND, "--driver", driver],
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield story
    finally:
        if story.poll() is None:
            story.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                story.communicate(timeout=60)
        if story.poll() is None:
            give_up(story, folder, driver)
        for stream in (story.stdout, story.stderr):
            if stream is not None:
                stream.close()


def environment(folder: Path) -> Mapping[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
    return {**inherited, "TMPDIR": str(folder), "HOME": str(folder), "XDG_CACHE_HOME": str(CACHE)}


def demonstrations(folder: Path) -> list[str]:
    """The folders of demonstrations."""
    return sorted(one.name for one in folder.iterdir() if one.name.startswith("tenuto-demo"))


def pids(*words: str) -> list[int]:
    """The processes with these words in their command lines, in this order."""
    found = subprocess.run(["pgrep", "--full", ".*".join(words)], capture_output=True, text=True, check=False).stdout
    return [int(pid) for pid in found.split()]


def give_up(story: "subprocess.Popen[str]", folder: Path, driver: str) -> None:
    """End a story that does not end by itself, its agent, which has a session of its own, and its machines."""
    story.kill()
    story.communicate()
    subprocess.run(["pkill", "--full", f"node agent --state {folder}"], check=False)
    for machines in folder.glob("tenuto-demo*/h1.machines"):
        clear(machines.with_name("h1"), driver)


def spaces() -> str:
    """The namespaces of networks and machines."""
    return subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout


def kernel(folder: Path) -> str:
    """The namespaces of networks, and the processes that name the folder of the story."""
    return (
        spaces() + subprocess.run(["pgrep", "--full", str(folder)], capture_output=True, text=True, check=False).stdout
    )


def kernel_at_rest(folder: Path, expected: str) -> str:
    """The same, when the last processes have ended: the guard of a host asks twice a second whether it is needed, and
    the keeper of a story that was killed has machines to end."""
    deadline = time.monotonic() + 120
    while kernel(folder) != expected and time.monotonic() < deadline:
        time.sleep(0.5)
    return kernel(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return passable(tmp_path)


def test_the_story_of_real_machines_is_true_and_leaves_nothing(folder: Path) -> None:
    before = kernel(folder)
    with begun(folder) as story:
        told, problems = story.communicate(timeout=PATIENCE_S)
    assert problems == "", told
    assert told.count("1 received, 0% packet loss") == 2
    assert "link br0 is missing" in told
    assert 'PowerState: "off (ended by signal 9)" → "on"' in told
    assert "the host h1 does not answer" in told
    assert "The machines ran on" in told
    assert told.rstrip().endswith("Nothing is left: no process, no namespace, no bridge, no rule.")
    assert kernel_at_rest(folder, before) == before
    assert demonstrations(folder) == []


@pytest.mark.skipif(bool(obstacle()), reason=f"no host of driver qemu: {obstacle()}")
def test_the_story_of_virtual_machines_is_true_and_leaves_nothing(folder: Path) -> None:
    before = kernel(folder)
    with begun(folder, "qemu") as story:
        told, problems = story.communicate(timeout=PATIENCE_S)
    assert problems == "", told
    assert told.count("1 packets received, 0% packet loss") == 2
    assert 'PowerState: "off (ended by signal 9)" → "on"' in told
    assert "The machines ran on" in told
    assert told.rstrip().endswith("Nothing is left: no QEMU, no disk, no namespace, no bridge, no rule.")
    assert kernel_at_rest(folder, before) == before
    assert demonstrations(folder) == []


def has_machines(story: "subprocess.Popen[str]") -> None:
    """Wait until a story has machines that run."""
    assert story.stdout is not None
    assert any("B pings A" in line for line in story.stdout)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_an_interrupted_story_deletes_its_machines(folder: Path, number: signal.Signals) -> None:
    before = kernel(folder)
    with begun(folder) as story:
        has_machines(story)
        os.kill(story.pid, number)
        told, problems = story.communicate(timeout=PATIENCE_S)
    assert story.returncode == 130, problems
    assert "The story is interrupted; pair is deleted from red." in told
    assert kernel_at_rest(folder, before) == before
    assert demonstrations(folder) == []


def test_a_story_that_nobody_reads_any_more_deletes_its_machines(folder: Path) -> None:
    before = kernel(folder)
    with begun(folder) as story:
        has_machines(story)
        assert story.stdout is not None
        story.stdout.close()
        story.wait(PATIENCE_S)
    assert kernel_at_rest(folder, before) == before
    assert demonstrations(folder) == []


def test_a_killed_story_is_removed_by_its_keeper(folder: Path) -> None:
    before = kernel(folder)
    with begun(folder) as story:
        has_machines(story)
        story.kill()
    assert kernel_at_rest(folder, before) == before
    assert demonstrations(folder) == []


def test_a_story_that_was_killed_with_its_keeper_is_removed_by_the_next_and_no_living_one(folder: Path) -> None:
    before = kernel(folder)
    with begun(folder) as dead:
        has_machines(dead)
        (place,) = demonstrations(folder)
        for pid in pids("tenuto.bootstrap.demo.keeper", place):
            os.kill(pid, signal.SIGKILL)
        dead.kill()
    with begun(folder) as living:
        assert living.stdout is not None
        told, removed = living.stdout.readline(), living.stdout.readline()
        assert removed.startswith("This machine as a host")
        assert f"its folder {folder / place}" in told
        assert "2 machines, 1 network" in told
        assert not (folder / place).exists()
        has_machines(living)
        living.send_signal(signal.SIGSTOP)
        (other,) = demonstrations(folder)
        standing = spaces()
        subprocess.run(COMMAND, env=environment(folder), check=True, capture_output=True, timeout=PATIENCE_S)
        assert demonstrations(folder) == [other]
        assert spaces() == standing
        living.send_signal(signal.SIGCONT)
        living.send_signal(signal.SIGINT)
        living.communicate(timeout=PATIENCE_S)
    assert kernel_at_rest(folder, before) == before


def test_a_machine_that_cannot_be_a_host_is_told_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_host, "obstacle", lambda: "it lacks packages: apt-get install bubblewrap")
    with pytest.raises(UserError, match="apt-get install bubblewrap"):
        linux_host.check_machine()
