"""The lease of a host: until when it may hold the machines that are made elsewhere when it is lost.

Theory of operation. The lease is a file, because it must outlive the agent and the executor: a new one of either must
not believe that it has just been heard. Its end is a moment of the kernel's clock since the boot, which no one can set
and which goes on while the machine sleeps. A file of an earlier boot says nothing, since no machine outlives a boot.
Without a file there is no limit: the host has never joined, or has left in good order. A full disk ends no lease: the
record is written in its place (`kit.record_file`).
"""

import json
import time
from contextlib import suppress
from pathlib import Path

from tenuto.kit.record_file import read_record, write_record
from tenuto.providers.local.executor.processes import boot_id

FENCED = "off (ended by its host, which did not hear from the Conductor)"
"""The power state of a machine that a host ended for that."""
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def seconds_since_boot() -> float:
    """The clock that leases are counted by."""
    return time.clock_gettime(_CLOCK)


class Lease:
    """The lease in a file. Each method may raise OSError."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def hold(self, until: float) -> None:
        """Hold the lease until a moment; an earlier one than before changes nothing."""
        until = max(until, self._until() or 0.0)
        write_record(self._file, json.dumps({"boot": _boot(), "until": until}))

    def release(self) -> None:
        """The host is not held to anything from now on."""
        self._file.unlink(missing_ok=True)

    def is_over(self) -> bool:
        """Whether the lease has ended."""
        until = self._until()
        return until is not None and seconds_since_boot() > until

    def is_held(self) -> bool:
        """Whether there is a lease, over or not."""
        return self._until() is not None

    def _until(self) -> float | None:
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
