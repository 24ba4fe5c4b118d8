"""Processes of this host, known again after a restart of the executor.

A number alone names no process, since numbers are used again. So a process is known by its number and either the moment
of its start, counted from the boot of the host, or a path in its command line that only it has.
"""

import os
import select
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

_STARTED_AT = 19
"""The field of /proc/PID/stat after the name, counted from 0: the moment of the start."""
_STATE, _PARENT = 0, 1
_PATIENCE_S = 2.0


@lru_cache(maxsize=1)
def boot_id() -> str:
    """The name of this start of the machine. Raises OSError where the kernel gives none."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def start_of(pid: int) -> str:
    """The boot of the host and the moment at which a process started; empty when it is gone or dead."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if fields[_STATE] not in "ZX":
            return f"{boot_id()} {fields[_STARTED_AT]}"
    return ""


def running(process: Mapping[str, Any]) -> int:
    """The process that a record names by its number (`pid`) and its `start`, when it still runs; 0 otherwise, also for
    a record that is damaged."""
    pid, start = process.get("pid"), process.get("start")
    return pid if isinstance(pid, int) and pid > 0 and start and start_of(pid) == start else 0


def is_running_as(pid: int, argument: str) -> bool:
    """Whether a process runs, and has this text in its command line."""
    with suppress(OSError):
        return argument.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def running_as(argument: str) -> Iterator[int]:
    """The processes that have this argument, as a whole, in their command line."""
    for entry in os.scandir("/proc"):
        with suppress(OSError):
            if entry.name.isdecimal() and argument.encode() in Path(entry, "cmdline").read_bytes().split(b"\0"):
                yield int(entry.name)


def stands_still(pid: int) -> bool:
    """Whether a process was stopped by a signal."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[_STATE] in "Tt"
    return False


def parent_of(pid: int) -> int:
    """The process that began this one, or has it now; 0 for none."""
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[_PARENT])
    return 0


def family_of(pid: int) -> list[int]:
    """A process and all that descend from it."""
    found = [pid]
    for one in found:
        with suppress(OSError):
            children = Path(f"/proc/{one}/task/{one}/children").read_text().split()
            found.extend(int(child) for child in children)
    return found


def is_in(pid: int, netns: str) -> bool:
    """Whether a process is in the network namespace that a file stands for."""
    with suppress(OSError):
        there, here = os.stat(netns), os.stat(f"/proc/{pid}/ns/net")
        return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)
    return False


def send(pid: int, number: int, is_it: Callable[[], bool]) -> None:
    """Send a signal to a process if it is still the one that is meant."""
    with _held(pid) as held:
        if held and is_it():
            signal.pidfd_send_signal(held, number)


def end(pid: int, is_it: Callable[[], bool]) -> None:
    """End a process at once if it is the one that is meant, and wait until it is gone."""
    with _held(pid) as held:
        if held and is_it():
            signal.pidfd_send_signal(held, signal.SIGKILL)
            ended = select.poll()
            ended.register(held, select.POLLIN)
            ended.poll(_PATIENCE_S * 1000)


@contextmanager
def _held(pid: int) -> Iterator[int]:
    """A descriptor of the process that has a number now; 0 where none has.

    While it is open no other process gets that number, so nothing changes between a question about the process and a
    signal.
    """
    try:
        held = os.pidfd_open(pid)
    except ProcessLookupError:
        yield 0
        return
    try:
        with suppress(ProcessLookupError):
            yield held
    finally:
        os.close(held)
