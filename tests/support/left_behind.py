"""Removal of what a test has left on this host that was killed in the middle: the next one would meet it.

Theory of operation. A test notes what stands before it begins, and forgets the note at its end, whatever its outcome.
So a note that is found belongs to a test that had no end, and what stands now and is not in it was that test's. The
things that a person runs here beside the tests stood before, or have other names.
"""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import TextIO

_OURS = ("tn-", "tm-", "tu-", "tenuto-")


def note(file: TextIO) -> None:
    """Note in a file what stands, after what an earlier note shows to be left behind was removed."""
    if (kept := _read(file)) is not None:
        for name in _standing() - kept:
            _remove(name)
    forget(file)
    file.write(json.dumps(sorted(_standing())))
    file.flush()


def forget(file: TextIO) -> None:
    """Forget the note: the test has ended."""
    file.seek(0)
    file.truncate()


def _read(file: TextIO) -> set[str] | None:
    file.seek(0)
    try:
        return set(json.loads(file.read()))
    except ValueError:
        return None


def _standing() -> set[str]:
    """The namespaces, and the links of the host, that have names as Tenuto and its tests give them."""
    places = (Path("/run/netns"), Path("/sys/class/net"))
    return {str(path) for place in places if place.is_dir() for path in place.iterdir() if path.name.startswith(_OURS)}


def _remove(path: str) -> None:
    folder, _, name = path.rpartition("/")
    if folder == "/sys/class/net":
        _ip("link", "delete", name)
    else:
        for pid in _ip("netns", "pids", name).split():
            os.kill(int(pid), signal.SIGKILL)
        _ip("netns", "delete", name)


def _ip(*words: str) -> str:
    """The answer of `ip`; what is gone meanwhile is no problem."""
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=False).stdout
