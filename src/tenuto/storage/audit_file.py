"""The audit log as a file of JSON lines that form a chain (`kit.chain`).

Each line is on the disk before `append` returns. An end without a line break was never acknowledged, so it is cut off
at the start. A file that has grown is renamed to `FILE.NUMBER`, the number of its first line, and the chain goes on in
a new one: files that are old enough may be deleted, and what is left is still checked.
"""

import fcntl
import os
import threading
from pathlib import Path

from tenuto.errors import StoreUnavailableError, UserError
from tenuto.kit.chain import LONGEST_LINE, Link, chained, link_of
from tenuto.model.ids import JsonMap

LARGEST_BYTES = 64 * 1024**2
"""Some hundred thousand commands: a file that is still read in seconds."""


class AuditFile:
    """Implements `ports.audit_log.AuditLog`. One process at a time writes to a file."""

    def __init__(self, path: Path, *, largest: int = LARGEST_BYTES) -> None:
        """Raises UserError when the file cannot be written, or its last line is not one of a chain."""
        self._path = path
        self._largest = largest
        self._lock = threading.Lock()
        try:
            self._file = self._opened()
            self._last, self._first = self._ends()
        except OSError as failed:
            raise UserError(f"The audit log {path} cannot be written: {failed.strerror}.") from failed

    def append(self, entry: JsonMap) -> None:
        with self._lock:
            line, link = chained(entry, self._last)
            content = f"{line}\n".encode()
            try:
                size = os.fstat(self._file).st_size
                if size + len(content) > self._largest and size > 0:
                    self._turn()
                    size = 0
                try:
                    _write(self._file, content)
                    os.fsync(self._file)
                except OSError:
                    # What is not acknowledged is not left behind: a half line would break the chain.
                    os.ftruncate(self._file, size)
                    raise
            except OSError as failed:
                raise StoreUnavailableError(
                    f"The audit log {self._path} cannot be written ({failed.strerror}), so the command was not given. "
                    "Nothing was changed. Make room or correct the file, then give it again; resources are still held."
                ) from failed
            self._last, self._first = link, self._first or link.number

    def close(self) -> None:
        with self._lock:
            os.close(self._file)

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(self._path, flags, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as taken:
            os.close(file)
            raise UserError(
                f"Another Conductor writes the audit log {self._path}. Give each one a file of its own."
            ) from taken
        return file

    def _turn(self) -> None:
        """Go on in a new file."""
        os.rename(self._path, self._path.with_name(f"{self._path.name}.{self._first:012d}"))
        os.close(self._file)
        self._file, self._first = self._opened(), 0

    def _ends(self) -> tuple[Link, int]:
        """The last link and the number of the first line. Raises UserError."""
        size = os.fstat(self._file).st_size
        tail = os.pread(self._file, min(size, 2 * LONGEST_LINE), max(0, size - 2 * LONGEST_LINE))
        whole = tail.rpartition(b"\n")[0]
        torn = len(tail) - (len(whole) + 1 if b"\n" in tail else 0)
        if torn:
            os.ftruncate(self._file, size - torn)
        if not whole:
            return self._before(), 0
        last = link_of(whole.rpartition(b"\n")[2].decode(errors="replace"))
        first = link_of(os.pread(self._file, LONGEST_LINE, 0).partition(b"\n")[0].decode(errors="replace"))
        if last is None or first is None:
            raise UserError(
                f"The first or the last line of the audit log {self._path} was changed. 'tenuto audit verify "
                f"{self._path}' tells more. Move the file away, and the Conductor begins another one."
            )
        return last, first.number

    def _before(self) -> Link:
        """The last link of the file before this one, when a turn ended between its two steps."""
        files = sorted(self._path.parent.glob(f"{self._path.name}.[0-9]*"))
        if not files:
            return Link()
        last = files[-1].read_bytes().rstrip(b"\n").rpartition(b"\n")[2]
        return link_of(last.decode(errors="replace")) or Link()


def _write(file: int, content: bytes) -> None:
    while content:
        content = content[os.write(file, content) :]
