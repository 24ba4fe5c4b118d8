"""`tenuto demo` tells its story without an account, a configuration or a trace."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from browser import Browser

TENUTO = [sys.executable, "-c", "from tenuto.cli import main; main()"]


def environment(folder: Path) -> Mapping[str, str]:
    """A user who has AWS settings of his own, all of which would lead astray."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "AWS_PROFILE": "production",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ACCESS_KEY_ID": "real",
        "AWS_SECRET_ACCESS_KEY": "real",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }


def story_of(folder: Path, *options: str) -> str:
    """The story of a demo, which leaves nothing behind."""
    done = subprocess.run(
        [*TENUTO, "demo", *options],
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert [path.name for path in folder.iterdir() if path.name.startswith("tenuto")] == []
    return done.stdout


def test_the_demo_builds_repairs_and_takes_down_a_network(tmp_path: Path) -> None:
    story = story_of(tmp_path, "--period", "1")
    assert "Plan: 20 create, 0 unchanged." in story
    assert re.search(r"lets in: 22 from 0.0.0.0/0, 443 from 0.0.0.0/0\n", story)
    assert re.search(r"~ modify Web .*: drift.*\n.*SecurityGroupIngress", story)
    assert re.search(r"lets in: 443 from 0.0.0.0/0\n", story)
    assert "the same as before" in story


def test_the_local_demo_repairs_what_is_damaged_and_makes_nothing_twice(tmp_path: Path) -> None:
    story = story_of(tmp_path, "--local", "--period", "1")
    assert "Plan: 5 create, 0 unchanged." in story
    assert re.search(r"modify Net .*: drift.*\n +Deviations: .*the NAT rule is missing", story)
    assert re.search(r'modify Web .*: drift.*\n +PowerState: "off \(ended by signal 9\)" → "on"', story)
    assert re.search(r"the host h\d does not answer", story)
    assert "nothing was made a second time" in story
    assert "The hosts are empty, as before." in story


@contextmanager
def told_until(folder: Path, word: str) -> Iterator["subprocess.Popen[str]"]:
    """A local demo that has said a word."""
    with subprocess.Popen(
        [*TENUTO, "demo", "--local"],
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as story:
        assert story.stdout is not None
        assert any(word in line for line in story.stdout)
        yield story


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_demo_that_is_interrupted_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    with told_until(tmp_path, "--wait") as story:
        story.send_signal(number)
        _, problems = story.communicate(timeout=60)
    assert story.returncode == 130
    assert problems == "tenuto: Interrupted; nothing stays behind.\n"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("tenuto")] == []


def test_a_demo_that_was_killed_is_told_and_removed_by_the_next(tmp_path: Path) -> None:
    with told_until(tmp_path, "--wait") as story:
        story.kill()
        story.communicate(timeout=60)
    (left,) = tmp_path.glob("tenuto-demo-*")
    told = story_of(tmp_path, "--local", "--period", "1")
    assert f"its folder {left}" in told.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--driver", "qemu"), "add --local"),
        (("--driver", "simulated"), "add --local"),
    ],
)
def test_a_demo_that_cannot_be_told_is_refused_with_what_to_do(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    told = subprocess.run(
        [*TENUTO, "demo", *arguments],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (told.returncode, told.stdout) == (2, "")
    assert words in told.stderr


def test_the_demo_of_the_dashboard_is_served_until_it_is_interrupted(tmp_path: Path) -> None:
    demo = subprocess.Popen(
        [*TENUTO, "demo", "--web", "--period", "1"],
        env={**environment(tmp_path), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert demo.stdout is not None
        found = (re.search(r"(http://127.0.0.1:\d+)/login#code=(\S+)", line) for line in demo.stdout)
        told = next(one for one in found if one)
        browser = Browser(told[1])
        assert browser.post("/login", {"secret": f"code.{told[2]}"}).status == 303
        for name in ("shop", "orders", "search", "vpn-eu"):
            assert browser.get(f"/processes/{name}").status == 200
        assert Browser(told[1]).post("/login", {"secret": f"code.{told[2]}"}).status == 401, "a code is good once"
    finally:
        os.killpg(demo.pid, signal.SIGINT)
        _, message = demo.communicate(timeout=60)
    assert demo.returncode == 130
    assert "nothing stays behind" in message
    assert [path.name for path in tmp_path.iterdir()] == [".local"]


@pytest.mark.parametrize("words", ["Plan: 20 create", "opens SSH to the world"])
def test_an_interrupted_demo_leaves_nothing_running(tmp_path: Path, words: str) -> None:
    demo = subprocess.Popen(
        [*TENUTO, "demo"],
        env={**environment(tmp_path), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert demo.stdout is not None
    for line in demo.stdout:
        if words.casefold() in line.casefold():
            break
    os.killpg(demo.pid, signal.SIGINT)
    _, message = demo.communicate(timeout=60)
    assert demo.returncode == 130
    assert "nothing stays behind" in message
    assert [path.name for path in tmp_path.iterdir()] == [".local"], "the log of the command line alone"
    assert emulators(tmp_path) == []


def emulators(folder: Path) -> list[str]:
    """The processes of this machine that were started with our temporary directory."""
    marker = f"TMPDIR={folder}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if marker in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
        except OSError:
            continue
    return found
