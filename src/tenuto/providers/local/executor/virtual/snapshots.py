"""Snapshots of the disks of virtual machines that run: QEMU copies them while the guest works on.

Theory of operation. QEMU's own copy (`blockdev-backup`) is of one moment: data that the guest overwrites afterwards is
copied first. All disks of a snapshot begin in one transaction, so they are of the same moment. A copy holds the whole
content of a disk, its base included, so it is an image that needs nothing else. A thin copy holds the data that was
written to the disk alone, and has the digest of its base in its header (`kit.qcow2`).

QEMU writes the copies into the folder of its own disks, the only one that it can write. A finished copy is moved out of
that folder, into one that is root's, and handed to the agent as an open file. A request is made again and again until
all is there, and each time continues from the state that it finds: copies that are done, jobs at work, or nothing, and
then it begins, with a new moment.

A machine is never harmed for it: a copy that could fill the disk of the host is not begun, since QEMU may hold up a
guest whose copy cannot be written; a job that fails is dropped; and the copies go with the machine.
"""

import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tenuto.kit.qcow2 import write_overlay
from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.kernel.programs import ProgramError
from tenuto.providers.local.executor.requests import SnapshotShown
from tenuto.providers.local.executor.virtual.disks import GIB
from tenuto.providers.local.executor.virtual.machine_disks import FOLDER, KIND, VirtualDisks
from tenuto.providers.local.executor.virtual.qmp import Monitor
from tenuto.providers.local.rules.networks.spec import UnusableValueError

SNAPSHOTS = "snapshots"
MIB = 1 << 20
LEFT_FREE = GIB
"""The bytes that stay free on the disk of the host beside any copy: guests write on meanwhile."""
SPEED = 256 << 20
"""Bytes per second at which a disk is copied: the guests of the host read and write beside it."""
_OFF = "the machine does not run: a snapshot is taken while it is on or paused"


class Snapshots:
    """The copies of disks on one host. Methods raise ProgramError and UnusableValueError."""

    def __init__(self, state: StateFolder, disks: VirtualDisks, uid_of: Callable[[str], int]) -> None:
        self._state = state
        self._disks = disks
        self._uid_of = uid_of

    def proceed(
        self, name: str, snapshot: str, numbers: Sequence[int], qemu: Monitor | None, *, is_thin: bool, is_on: bool
    ) -> SnapshotShown:
        """Begin a snapshot of a machine, or go on with it. `qemu` is the monitor of its QEMU, where that runs. The QEMU
        of a machine that its guest has turned off runs, and `is_on` is false: a snapshot goes on, and none begins.
        """
        has = len(self._disks.kept(name))
        if wrong := [one for one in numbers if one >= has]:
            raise UnusableValueError(f"the machine has no disk {wrong[0]}: it has {has}")
        missing = [one for one in numbers if not self._kept(name, snapshot, one).exists()]
        if not missing:
            return SnapshotShown(is_done=True)
        if qemu is None:
            raise UnusableValueError(_OFF)
        jobs = {str(one.get("id")): one for one in _listed(qemu.do("query-jobs"))}
        if not all(_job(snapshot, one) in jobs for one in missing):
            if not is_on:
                raise UnusableValueError(_OFF)
            self._drop(name, snapshot, qemu)
            self._begin(name, snapshot, numbers, qemu, is_thin=is_thin)
            return SnapshotShown(is_done=False)
        ended = [one for one in missing if jobs[_job(snapshot, one)].get("status") == "concluded"]
        for number in ended:
            if told := jobs[_job(snapshot, number)].get("error"):
                self._drop(name, snapshot, qemu)
                raise UnusableValueError(f"QEMU could not copy the disk {number}: {str(told)[:400]}")
        for number in ended:
            qemu.do("job-dismiss", {"id": _job(snapshot, number)})
            qemu.do("blockdev-del", {"node-name": _node(snapshot, number)})
            self._keep(name, snapshot, number)
        if ended == missing:
            return SnapshotShown(is_done=True)
        at_work = [jobs[_job(snapshot, one)] for one in missing if one not in ended]
        return SnapshotShown(
            is_done=False,
            copied=sum(int(one.get("current-progress", 0)) for one in at_work),
            size=sum(int(one.get("total-progress", 0)) for one in at_work),
        )

    def opened(self, name: str, snapshot: str, number: int) -> int:
        """A descriptor of a copy that is done, to be read."""
        try:
            return os.open(self._kept(name, snapshot, number), os.O_RDONLY | os.O_NOFOLLOW)
        except OSError as error:
            raise ProgramError(f"there is no copy of disk {number}: {error.strerror}") from error

    def forget(self, name: str, snapshot: str, qemu: Monitor | None) -> None:
        """Drop a snapshot, finished or not."""
        if name in self._state.names(KIND):
            self._drop(name, snapshot, qemu)

    def _begin(self, name: str, snapshot: str, numbers: Sequence[int], qemu: Monitor, *, is_thin: bool) -> None:
        folder = self._state.folder(KIND, name) / FOLDER
        sizes = {number: self._disks.size_of(name, number) for number in numbers}
        self._check_room(folder, self._disks.allocated(name, numbers, is_thin=is_thin))
        bases = self._disks.kept(name)
        actions = []
        try:
            for number in numbers:
                target = folder / _file(snapshot, number)
                write_overlay(target, sizes[number], base="", base_format="", parent=bases[number] if is_thin else "")
                os.chown(target, self._uid_of(name), self._uid_of(name), follow_symlinks=False)
                node = {
                    "driver": "qcow2",
                    "node-name": _node(snapshot, number),
                    "file": {"driver": "file", "filename": f"/disks/{target.name}"},
                }
                qemu.do("blockdev-add", node)
                backup = {
                    "job-id": _job(snapshot, number),
                    "device": f"disk{number}",
                    "target": _node(snapshot, number),
                    "sync": "top" if is_thin else "full",
                    "speed": SPEED,
                    "auto-dismiss": False,
                }
                actions.append({"type": "blockdev-backup", "data": backup})
            qemu.do("transaction", {"actions": actions})
        except (ProgramError, OSError) as error:
            self._drop(name, snapshot, qemu)
            raise ProgramError(f"a snapshot cannot begin: {error}") from error

    def _check_room(self, folder: Path, needed: int) -> None:
        free = shutil.disk_usage(folder).free - LEFT_FREE
        if free < needed:
            raise UnusableValueError(told_room(needed, max(0, free)))

    def _drop(self, name: str, snapshot: str, qemu: Monitor | None) -> None:
        if qemu is not None:
            self._end_jobs(snapshot, qemu)
        folder = self._state.folder(KIND, name)
        for path in (*folder.glob(f"{FOLDER}/{_prefix(snapshot)}*"), *folder.glob(f"{SNAPSHOTS}/{snapshot}-*")):
            path.unlink(missing_ok=True)

    def _end_jobs(self, snapshot: str, qemu: Monitor) -> None:
        """End the jobs of a snapshot, and let QEMU close its files."""
        for job in _listed(qemu.do("query-jobs")):
            if (job_id := str(job.get("id"))).startswith(_prefix(snapshot)):
                if job.get("status") != "concluded":
                    with suppress(ProgramError):
                        qemu.do("job-cancel", {"id": job_id})
                    _wait_for_end(qemu, job_id)
                with suppress(ProgramError):
                    qemu.do("job-dismiss", {"id": job_id})
        for node in _listed(qemu.do("query-named-block-nodes", {"flat": True})):
            if str(node.get("node-name")).startswith(_prefix(snapshot)):
                with suppress(ProgramError):
                    qemu.do("blockdev-del", {"node-name": str(node["node-name"])})

    def _keep(self, name: str, snapshot: str, number: int) -> None:
        """Move a finished copy to where QEMU cannot write it. It is read from there by the agent alone."""
        folder = self._state.folder(KIND, name)
        (folder / SNAPSHOTS).mkdir(mode=0o700, exist_ok=True)
        source = folder / FOLDER / _file(snapshot, number)
        if source.is_symlink() or not source.is_file():
            raise ProgramError(f"the copy of disk {number} is gone")
        source.replace(self._kept(name, snapshot, number))

    def _kept(self, name: str, snapshot: str, number: int) -> Path:
        return self._state.folder(KIND, name) / SNAPSHOTS / f"{snapshot}-{number}"


def _prefix(snapshot: str) -> str:
    """The beginning of the names of a snapshot in QEMU, which takes 31 characters. The operations of a machine come one
    after the other, so the head of an id tells it from the one before."""
    return f"copy-{snapshot[:13]}-"


def _job(snapshot: str, number: int) -> str:
    return f"{_prefix(snapshot)}{number}"


def _node(snapshot: str, number: int) -> str:
    return f"{_prefix(snapshot)}{number}"


def _file(snapshot: str, number: int) -> str:
    return f"{_prefix(snapshot)}{number}"


def _wait_for_end(qemu: Monitor, job_id: str) -> None:
    """Wait until a job that was cancelled is concluded; the monitor itself has an end."""
    while any(
        str(one.get("id")) == job_id and one.get("status") not in ("concluded", "null")
        for one in _listed(qemu.do("query-jobs"))
    ):
        os.sched_yield()


def _listed(found: Any) -> list[dict[str, Any]]:
    """A list of objects, as QEMU tells it; an empty one for another answer."""
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def told_room(needed: int, free: int) -> str:
    """The refusal of a copy. The needed size is rounded up and the free one down: they are never two equal figures."""
    return (
        f"the disk of the host has no room for the copy: it may take {-(-needed // MIB)} MiB, and {free // MIB} MiB "
        f"are free for it, beside {LEFT_FREE // MIB} MiB that stay free. Make room there, and take the snapshot again"
    )
