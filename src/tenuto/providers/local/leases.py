"""The lease of a host: until when it may hold the machines that are made elsewhere when it is lost.

Theory of operation. The lease is a file, because it must outlive the agent and the executor: a new one of either must
not believe that it has just been heard. Its end is a moment of the kernel's clock since the boot, which no program can
set and which goes on while the machine sleeps. A file of an earlier boot says nothing, since no machine outlives a
boot. Without an end there is no limit: the host has never joined, or has left in good order. A full disk ends no lease,
and refuses none: the record is written in its place (`kit.record_file`), and its room is taken before the agent begins
and kept when the host leaves. A disk that takes no writes, since its kernel has found an error, takes no record: the
lease is then held in memory that an executor shares with its guard, for as long as these run.
"""

import json
import struct
import time
from contextlib import suppress
from mmap import mmap
from pathlib import Path

from tenuto.errors import UserError
from tenuto.kit.record_file import read_record, write_record
from tenuto.providers.local.executor.kernel.processes import boot_id

FENCED = "off (ended by its host, which did not hear from the Conductor)"
"""The power state of a machine that a host ended for that."""
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def seconds_since_boot() -> float:
    """The clock that leases are counted by."""
    return time.clock_gettime(_CLOCK)


_END = struct.Struct("d")


class Lease:
    """The lease in a file. Each method may raise OSError."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._shared = mmap(-1, _END.size)
        """The end of a lease that the file did not take, shared with processes that are forked from this one."""

    def reserve(self) -> None:
        """Take the room of a record where there is none yet. Raises UserError where there is no room for it."""
        try:
            self._file.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
            if not self._file.exists() or not read_record(self._file):
                self._write(None)
        except OSError as failed:
            raise UserError(
                f"This host has no room for its lease in {self._file} ({failed.strerror}), and without one its "
                "machines could run twice. Make room there, and start the agent again. What runs on the host is kept."
            ) from failed

    def hold(self, until: float) -> None:
        """Hold the lease until a moment; an earlier one than before changes nothing. Where the file takes no record, it
        is held in memory, and the error is raised all the same."""
        try:
            until = max(until, self._until() or 0.0)
            self._write(until)
        except OSError:
            self._share(until)
            raise
        self._share(0.0)

    def release(self) -> None:
        """The host is not held to anything from now on."""
        self._share(0.0)
        self._write(None)

    def is_over(self) -> bool:
        """Whether the lease has ended."""
        until = self._until()
        return until is not None and seconds_since_boot() > until

    def is_held(self) -> bool:
        """Whether there is a lease, over or not."""
        return self._until() is not None

    def _write(self, until: float | None) -> None:
        write_record(self._file, json.dumps({"boot": _boot(), "until": until}))

    def _share(self, until: float) -> None:
        _END.pack_into(self._shared, 0, until)

    def _until(self) -> float | None:
        (shared,) = _END.unpack_from(self._shared)
        try:
            kept = self._kept()
        except OSError:
            if not shared:
                raise
            return float(shared)
        return max(kept or 0.0, shared) if shared else kept

    def _kept(self) -> float | None:
        with suppress(FileNotFoundError, ValueError, KeyError, TypeError):
            document = json.loads(read_record(self._file))
            if document["boot"] == _boot():
                return float(document["until"])
        return None


def _boot() -> str:
    try:
        return boot_id()
    except OSError:
        return ""
