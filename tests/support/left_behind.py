"""Removal of what a test has left on this host that was killed in the middle: the next one would meet it.

Theory of operation. A test notes what stands before it begins, and forgets the note at its end, whatever its outcome.
So a note that is found belongs to a test that had no end, and what stands now and is not in it was that test's. The
things that a person runs here beside the tests stood before, or have other names. The note of a run that was cut off
may be lost, so what has the number of a process in its name goes with that process, note or no note. A mount in a
folder of a test keeps that folder from being removed, which ends some later run with an error.
"""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import TextIO

_OURS = ("tn-", "tm-", "tu-", "tenuto-")
_OF_PROCESS = re.compile(r"(?:t[ufx]|tenuto-(?:test-|try-)?)([0-9]{2,})(?![0-9])")
"""The names that tests make of their process: hosts of a test, its links, and what it tries."""

_IN_A_TEST = "/test_"
"""The path of a folder that a test is given has it."""


def note(file: TextIO) -> None:
    """Note in a file what stands, after what was left behind is removed."""
    kept = _read(file)
    standing = _standing()
    # A link in a namespace that went with it is no problem.
    for path in sorted(standing):
        if is_of_dead(path.rpartition("/")[2]) or (kept is not None and path not in kept):
            _remove(path)
    forget(file)
    file.write(json.dumps(sorted(_standing())))
    file.flush()


def forget(file: TextIO) -> None:
    """Forget the note: the test has ended."""
    file.seek(0)
    file.truncate()


def is_of_dead(name: str) -> bool:
    """Whether a name is that of a thing of a process that has ended."""
    found = _OF_PROCESS.match(name)
    return found is not None and not Path(f"/proc/{found[1]}").exists()


def _read(file: TextIO) -> set[str] | None:
    file.seek(0)
    try:
        return set(json.loads(file.read()))
    except ValueError:
        return None


def _standing() -> set[str]:
    """The namespaces, and the links of the host, that have names as Tenuto and its tests give them, and the mounts in
    folders of tests."""
    places = (Path("/run/netns"), Path("/sys/class/net"))
    found = (path for place in places if place.is_dir() for path in place.iterdir())
    named = {str(path) for path in found if path.name.startswith(_OURS) or _OF_PROCESS.match(path.name)}
    return named | {path for path in _mounts() if _IN_A_TEST in path}


def _mounts() -> set[str]:
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    return {line.split()[4] for line in lines}


def _remove(path: str) -> None:
    folder, _, name = path.rpartition("/")
    if _IN_A_TEST in path:
        subprocess.run(["umount", "--lazy", path], capture_output=True, check=False)
    elif folder == "/sys/class/net":
        _ip("link", "delete", name)
    else:
        for pid in _ip("netns", "pids", name).split():
            os.kill(int(pid), signal.SIGKILL)
        _ip("netns", "delete", name)


def _ip(*words: str) -> str:
    """The answer of `ip`; what is gone meanwhile is no problem."""
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False).stdout
