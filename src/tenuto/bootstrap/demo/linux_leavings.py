"""The things that a host on this machine leaves when its demonstration is killed, and their removal.

Machines and networks outlive their agent by design, and an agent outlives its Conductor. So each is found here by a
mark that only it has: the agent, its executor and its guard by the state directory in their command lines, machines and
networks by the records of the executor.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from tenuto.providers.local.drivers.ns.host import group_name, machines_folder
from tenuto.providers.local.executor.executor import Executor
from tenuto.providers.local.executor.kernel.processes import end

_PATIENCE_S = 10.0
_PAUSE_S = 0.05
_AGENT, _EXECUTOR = "agent", "tenuto.providers.local.executor.link"


def left_on_host(state: Path) -> list[str]:
    """The things of a host in words, an item for each kind that there is; none where there is no such host."""
    counts = {"process of its agent": len(_processes(state))}
    if machines_folder(state).is_dir():
        kept = _executor(state).kept()
        counts |= {"machine": len(kept.machines), "network": len(kept.networks)}
    return [_counted(count, what) for what, count in counts.items() if count]


def clear_host(state: Path) -> list[str]:
    """End the agent of a host with its executor, and remove its machines and networks; return the refusals, in words.

    Twice is once, and nothing is done where there is no such host.
    """
    # The executor ends with its agent, after the request that it has begun; its guard would wait for the lease.
    for pid in _processes(state, _AGENT):
        _end(state, pid)
    deadline = time.monotonic() + _PATIENCE_S
    while _working(state) and time.monotonic() < deadline:
        time.sleep(_PAUSE_S)
    for pid in _processes(state):
        _end(state, pid)
    return _executor(state).clear() if machines_folder(state).is_dir() else []


def _executor(state: Path) -> Executor:
    folder = machines_folder(state)
    return Executor(folder, name=group_name(folder))


def _end(state: Path, pid: int) -> None:
    end(pid, lambda: pid in _processes(state))


def _working(state: Path) -> list[int]:
    """The executor, but not its guards, which have sessions of their own."""
    return [pid for pid in _processes(state, _EXECUTOR) if not _leads_session(pid)]


def _processes(state: Path, *kinds: str) -> list[int]:
    """The processes of a host's agent, executor and guard, or of some of them."""
    own = {str(state), str(machines_folder(state))}
    words = set(kinds or (_AGENT, _EXECUTOR))
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdecimal() and own & (line := set(_command_line(entry))) and words & line
    ]


def _command_line(process: Path) -> Sequence[str]:
    try:
        return (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return ()


def _leads_session(pid: int) -> bool:
    try:
        return os.getsid(pid) == pid
    except ProcessLookupError:
        return True


def _counted(count: int, what: str) -> str:
    first, _, rest = what.partition(" ")
    plural = f"{first}es" if first.endswith("s") else f"{first}s"
    return f"{count} {first if count == 1 else plural}{f' {rest}' if rest else ''}"
