"""The words of a program that a guest has taken over: they never fill the disk, and the last ones are kept."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.virtual.sayings import FILE, KEPT, Sayings

KIND, NAME = "virtual", "web"
FLOOD = (
    "import os, sys\nfor n in range(20000):\n    try: os.write(1, b'a line of no use\\n')\n    except OSError: pass\n"
)
HELD = f"{FLOOD}\nopen(sys.argv[1], 'w').write('done')\nsys.stdin.read()"


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    made = StateFolder(tmp_path / "state")
    made.made(KIND, NAME)
    return made


@pytest.fixture
def sayings(state: StateFolder) -> Iterator[Sayings]:
    made = Sayings(state, KIND)
    yield made
    made.forget(NAME)


def size(state: StateFolder) -> int:
    return (state.folder(KIND, NAME) / FILE).stat().st_size


def test_a_program_that_prints_for_ever_fills_no_disk(state: StateFolder, sayings: Sayings) -> None:
    _, writer = sayings.begin(NAME)
    for _ in range(4):
        subprocess.run([sys.executable, "-c", FLOOD], stdout=writer, check=True)
        sayings.keep(NAME)
        assert 0 < size(state) <= KEPT
    os.write(writer, b"the last word\n")
    os.close(writer)
    assert sayings.text(NAME).endswith("the last word\n")
    assert size(state) <= KEPT


def test_another_executor_reads_on_from_the_end_that_the_program_holds(
    tmp_path: Path, state: StateFolder, sayings: Sayings
) -> None:
    reader, writer = sayings.begin(NAME)
    mark = tmp_path / "mark"
    program = subprocess.Popen(
        [sys.executable, "-c", HELD, str(mark)], stdin=subprocess.PIPE, stdout=writer, pass_fds=[reader]
    )
    try:
        os.close(writer)
        sayings.forget(NAME)
        while not mark.exists():
            assert program.poll() is None
        again = Sayings(state, KIND)
        again.keep(NAME, program.pid, reader)
        assert "a line of no use" in again.text(NAME)
    finally:
        program.communicate()
    again.keep(NAME)
    assert 0 < size(state) <= KEPT
    again.forget(NAME)


def test_what_a_program_holds_in_the_place_of_its_pipe_is_not_read(state: StateFolder, sayings: Sayings) -> None:
    """A QEMU that was taken over could hold a file, or a device, under that number."""
    with (state.path / "secret").open("w+") as other:
        other.write("secret")
        other.flush()
        sayings.keep(NAME, os.getpid(), other.fileno())
    assert sayings.text(NAME) == ""


def test_a_new_start_begins_with_no_words(state: StateFolder, sayings: Sayings) -> None:
    for word in ("first", "second"):
        _, writer = sayings.begin(NAME)
        os.write(writer, word.encode())
        os.close(writer)
        assert sayings.text(NAME) == word
