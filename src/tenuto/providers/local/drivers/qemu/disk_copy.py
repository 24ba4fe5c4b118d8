"""The copies of disks that an operation makes and sends: the host's part of a snapshot.

Theory of operation. Where the agent of the guest answers, its file systems are held still while the copies begin, which
takes a moment, and are let go in any case. Then the copies are made by QEMU, and sent one after the other. An agent of
the host that was started again goes on with both.
"""

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import BinaryIO, Protocol, TypeVar

from tenuto.errors import TransientError
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.providers.local.driver import NotSentError
from tenuto.providers.local.drivers.qemu.guest_agent import GuestRefusedError, GuestSilentError
from tenuto.providers.local.drivers.qemu.guests import Guest, Guests
from tenuto.providers.local.executor.requests import SnapshotShown
from tenuto.providers.local.rules.machines.operations import Snapshot, part_name

T = TypeVar("T")
POLL_S = 0.2
_THAW_TRIES = 3
_BLOCK_BYTES = 1 << 20


class Means(Protocol):
    """The means of the host that operations use."""

    def reset(self, machine: ObjectId) -> str:
        """Reset a machine; return the reason why that was refused, or an empty text."""
        ...

    def blob(self, digest: str) -> bytes:
        """Return the content of a blob on the host. Raises OSError."""
        ...

    def copy(self, machine: ObjectId, operation: ObjectId, disks: tuple[int, ...], *, is_thin: bool) -> SnapshotShown:
        """Begin to copy disks, thinly without their bases, or go on. Raises TransientError, and NotSentError for a copy
        that cannot be made.
        """
        ...

    def copied(self, machine: ObjectId, operation: ObjectId, disk: int) -> BinaryIO:
        """Open a copy that is done. Raises TransientError."""
        ...

    def forget(self, machine: ObjectId, operation: ObjectId) -> None:
        """Remove the copies of an operation."""
        ...

    def send(self, name: str, file: BinaryIO, until: float) -> None:
        """Send a file to the Conductor. Raises NotSentError."""
        ...


class DiskCopy:
    """One snapshot of one operation."""

    def __init__(self, means: Means, guests: Guests, *, machine: ObjectId, operation: ObjectId, until: float) -> None:
        self._means = means
        self._guests = guests
        self._machine = machine
        self._operation = operation
        self._until = until

    def sent(self, number: int, command: Snapshot) -> list[JsonMap]:
        """Copy the disks and send them; return the facts of each. Raises NotSentError."""
        self._copy(command)
        found: list[JsonMap] = []
        for disk in command.disks:
            with self._retried(partial(self._means.copied, self._machine, self._operation, disk)) as file:
                self._means.send(part_name(self._operation, number, disk), file, self._until)
                found.append({"Disk": disk, **_facts(file)})
        return found

    def _copy(self, command: Snapshot) -> None:
        shown = self._begun(command)
        while not shown.is_done:
            time.sleep(POLL_S)
            shown = self._retried(lambda: self._asked(command))

    def _begun(self, command: Snapshot) -> SnapshotShown:
        """Begin the copies while the file systems of the guest are still, where its agent can do that.

        They are held for one try alone: a guest never waits for a host that is busy.
        """
        guest = self._guests.known(self._machine)
        if guest is None or not guest.is_ready:
            return self._retried(lambda: self._asked(command))
        with guest.turn:
            try:
                with suppress(GuestRefusedError, GuestSilentError, TransientError):
                    guest.agent().do("guest-fsfreeze-freeze")
                with suppress(TransientError):
                    return self._asked(command)
            finally:
                thaw(guest)
        return self._retried(lambda: self._asked(command))

    def _asked(self, command: Snapshot) -> SnapshotShown:
        return self._means.copy(self._machine, self._operation, command.disks, is_thin=command.is_thin)

    def _retried(self, act: Callable[[], T]) -> T:
        while True:
            try:
                return act()
            except TransientError as error:
                if time.time() >= self._until:
                    raise NotSentError(f"it has expired: {error}") from error
                time.sleep(POLL_S)


def thaw(guest: Guest) -> None:
    """Let the file systems of a guest go on, whose turn the caller has. A connection that broke is made anew."""
    for _ in range(_THAW_TRIES):
        try:
            guest.agent().do("guest-fsfreeze-thaw")
        except GuestRefusedError:
            return  # Its agent knows no such command, and has held nothing.
        except (GuestSilentError, TransientError):
            guest.drop()
        else:
            return


def _facts(file: BinaryIO) -> JsonMap:
    digest, size = hashlib.sha512(), 0
    file.seek(0)
    while block := file.read(_BLOCK_BYTES):
        digest.update(block)
        size += len(block)
    return {"Sha512": digest.hexdigest(), "SizeBytes": size}
