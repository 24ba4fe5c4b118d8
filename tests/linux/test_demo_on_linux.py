"""`tenuto demo --local --driver ns`: the whole story on this machine, and what an interrupted one leaves."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from clearing import clear
from passable import passable

from tenuto.bootstrap import linux_host
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
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TENUTO_")}
    story = subprocess.Popen(
        [*COMMAND, "--driver", driver],
        env={**environment, "TMPDIR": str(folder), "HOME": str(folder), "XDG_CACHE_HOME": str(CACHE)},
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


def give_up(story: "subprocess.Popen[str]", folder: Path, driver: str) -> None:
    """End a story that does not end by itself, its agent, which has a session of its own, and its machines."""
    story.kill()
    story.communicate()
    subprocess.run(["pkill", "--full", f"node agent --state {folder}"], check=False)
    for machines in folder.glob("tenuto-demo*/h1.machines"):
        clear(machines.with_name("h1"), driver)


def kernel(folder: Path) -> str:
    """The namespaces of networks, and the processes that name the folder of the story."""
    spaces = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    return spaces + subprocess.run(["pgrep", "--full", str(folder)], capture_output=True, text=True, check=False).stdout


def kernel_at_rest(folder: Path, expected: str) -> str:
    """The same, when the last processes have ended: the guard of a host asks twice a second whether it is needed."""
    deadline = time.monotonic() + 20
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
    assert problems == ""
    assert told.count("1 received, 0% packet loss") == 2
    assert "link br0 is missing" in told
    assert 'PowerState: "off (ended by signal 9)" → "on"' in told
    assert "the host h1 does not answer" in told
    assert "The machines ran on" in told
    assert told.rstrip().endswith("Nothing is left: no process, no namespace, no bridge, no rule.")
    assert kernel_at_rest(folder, before) == before
    assert [one.name for one in folder.iterdir() if one.name.startswith("tenuto-demo")] == []


@pytest.mark.skipif(bool(obstacle()), reason=f"no host of driver qemu: {obstacle()}")
def test_the_story_of_virtual_machines_is_true_and_leaves_nothing(folder: Path) -> None:
    before = kernel(folder)
    with begun(folder, "qemu") as story:
        told, problems = story.communicate(timeout=PATIENCE_S)
    assert problems == ""
    assert told.count("1 packets received, 0% packet loss") == 2
    assert 'PowerState: "off (ended by signal 9)" → "on"' in told
    assert "The machines ran on" in told
    assert told.rstrip().endswith("Nothing is left: no QEMU, no disk, no namespace, no bridge, no rule.")
    assert kernel_at_rest(folder, before) == before
    assert [one.name for one in folder.iterdir() if one.name.startswith("tenuto-demo")] == []


def test_an_interrupted_story_deletes_its_machines(folder: Path) -> None:
    before = kernel(folder)
    with begun(folder) as story:
        assert story.stdout is not None
        for line in story.stdout:
            if "B pings A" in line:
                break
        os.kill(story.pid, signal.SIGINT)
        told, problems = story.communicate(timeout=PATIENCE_S)
    assert story.returncode == 130, problems
    assert "The story is interrupted; pair is deleted from red." in told
    assert kernel_at_rest(folder, before) == before
    assert [one.name for one in folder.iterdir() if one.name.startswith("tenuto-demo")] == []


def test_a_machine_that_cannot_be_a_host_is_told_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linux_host, "obstacle", lambda: "it lacks packages: apt-get install bubblewrap")
    with pytest.raises(UserError, match="apt-get install bubblewrap"):
        linux_host.check_machine()
