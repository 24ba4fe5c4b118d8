"""The audit log as a file of JSON lines that form a chain (`kit.chain`).

Each line is on the disk before `append` returns. An end without a line break was never acknowledged, so it is cut off
at the start. A file that has grown is renamed to `FILE.NUMBER`, the number of its first line, and the chain goes on in
a new one: files that are old enough may be deleted, and the rest is still checked. So it does where the file was moved
or removed by another hand: lines that go into a file without a name would be lost.

With an age (`keep_s`) the log does that itself, once an hour at most. A file is turned when an eighth of the age has
passed since its first line, so that there are files to remove. Before it removes any, it writes a line with the number
and the digest of the last line that goes: so a reader can tell a removal by retention from a removal by a person. When
the Conductor dies in between, the files go the next time.

A clock that is wrong must not remove the log. When it went forward by more than a quarter of the age, or no line was
written for so long before a start, nothing is removed for a day: a person sees the wrong time in it.
"""

import fcntl
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import structlog

from tenuto.errors import StoreUnavailableError, UserError
from tenuto.kit.chain import LONGEST_LINE, PRUNED, Link, chained, entry_of, link_of
from tenuto.kit.times import iso_text, moment_of
from tenuto.model.ids import Instant, JsonMap
from tenuto.ports.clock import Clock

LARGEST_BYTES = 64 * 1024**2
"""Some hundred thousand commands: a file that is still read in seconds."""
PRUNE_EVERY_S = 3600.0
HELD_S = 24 * 3600.0
"""The time for which nothing is removed after a step of the clock: as with the history in the store."""
_STEP_IN_AGE = 0.25
_FILES_IN_AGE = 8
"""The number of files that make up the age: an eighth of it is removed at a time."""

_log = structlog.get_logger("tenuto.audit")


class AuditFile:
    """Implements `ports.audit_log.AuditLog`. One process at a time writes to a file."""

    def __init__(self, path: Path, *, clock: Clock, keep_s: float | None = None, largest: int = LARGEST_BYTES) -> None:
        """Lines are kept for `keep_s` seconds; None keeps all of them.

        Raises UserError when the file cannot be written, or its last line is not one of a chain.
        """
        self._clock = clock
        self._keep_s = keep_s
        self._pruned_at: Instant | None = None
        self._held_until: Instant | None = None
        self._began: float | None = None
        """The time of the first line of the file."""
        self._path = path
        self._largest = largest
        self._lock = threading.Lock()
        try:
            self._file = self._opened()
            self._last, self._first = self._ends()
            self._written_at = self._last_write(), clock.now()
            """The time of the last line by the clock that can be set, and by the one that cannot."""
        except OSError as failed:
            raise UserError(f"The audit log {path} cannot be written: {failed.strerror}.") from failed

    def append(self, entry: JsonMap) -> None:
        with self._lock:
            try:
                self._write(entry)
            except (OSError, UserError) as failed:
                reason = failed.strerror if isinstance(failed, OSError) else "another Conductor writes that file"
                raise StoreUnavailableError(
                    f"The audit log {self._path} cannot be written ({reason}), so the command was not given. "
                    "Nothing was changed. Make room or correct the file, then give it again; resources are still held."
                ) from failed
            self._notice_step()
            try:
                self._prune()
            except OSError as failed:
                # The entry is on the disk; files that are too old go another time.
                _log.warning("audit.not_pruned", path=str(self._path), reason=failed.strerror)

    def _write(self, entry: JsonMap) -> None:
        """Write one line to the disk. Raises OSError, and then nothing of it is there."""
        line, link = chained(entry, self._last)
        content = f"{line}\n".encode()
        if not self._is_in_place():
            self._go_on(self._opened())
            _log.warning("audit.file_gone", path=str(self._path), reason="it was moved or removed; another one begins")
        size = os.fstat(self._file).st_size
        if size > 0 and (size + len(content) > self._largest or self._is_old()):
            self._turn()
            size = 0
        try:
            _write(self._file, content)
            os.fsync(self._file)
        except OSError:
            # The log leaves no line behind that was not acknowledged: half a line would break the chain.
            os.ftruncate(self._file, size)
            raise
        if not self._first:
            self._first, self._began = link.number, self._clock.wall()
        self._last = link

    def _is_old(self) -> bool:
        if self._keep_s is None or self._began is None:
            return False
        return self._clock.wall() - self._began > self._keep_s / _FILES_IN_AGE

    def _notice_step(self) -> None:
        """Put off the removal of old files for a day when the clock has gone forward."""
        (wall_before, before), wall, now = self._written_at, self._clock.wall(), self._clock.now()
        self._written_at = wall, now
        if self._keep_s is not None and wall - wall_before - (now - before) > self._keep_s * _STEP_IN_AGE:
            self._held_until = Instant(now + HELD_S)
            _log.warning("audit.removal_held", path=str(self._path), until=iso_text(wall + HELD_S))

    def _last_write(self) -> float:
        """The time of the last line, or now where there is none."""
        if os.fstat(self._file).st_size:
            return os.fstat(self._file).st_mtime
        older = self._older()
        return older[-1].stat().st_mtime if older else self._clock.wall()

    def _prune(self) -> None:
        """Remove the files that are too old. Raises OSError."""
        now = self._clock.now()
        if self._keep_s is None or (self._pruned_at is not None and now - self._pruned_at < PRUNE_EVERY_S):
            return
        if self._held_until is not None and now < self._held_until:
            return
        self._pruned_at = now
        old = self._too_old(self._keep_s)
        last = _last_link(old[-1]) if old else None
        if last is None:
            return
        wall = self._clock.wall()
        self._write(
            {
                "at": iso_text(wall),
                "actor": "conductor",
                "operation": PRUNED,
                "outcome": "done",
                "until": last.number,
                "until_hash": last.digest,
            }
        )
        for path in old:
            path.unlink(missing_ok=True)

    def _too_old(self, keep_s: float) -> Sequence[Path]:
        """The older files whose last line is too old, from the oldest on without a gap."""
        found: list[Path] = []
        for path in self._older():
            if self._clock.wall() - path.stat().st_mtime <= keep_s:
                break
            found.append(path)
        return found

    def _older(self) -> Sequence[Path]:
        return sorted(self._path.parent.glob(f"{self._path.name}.[0-9]*"))

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

    def _is_in_place(self) -> bool:
        """Whether the path still leads to the open file: a person, or a program that turns logs, may have moved or
        removed it."""
        try:
            return os.path.samestat(self._path.lstat(), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def _turn(self) -> None:
        """Go on in a new file. Raises OSError where there can be none, and then goes on in this one."""
        older = self._path.with_name(f"{self._path.name}.{self._first:012d}")
        os.rename(self._path, older)
        try:
            fresh = self._opened()
        except OSError:
            os.rename(older, self._path)
            raise
        self._go_on(fresh)

    def _go_on(self, fresh: int) -> None:
        """Write to this file from now on. The one before is closed last: no moment leaves a number of a closed file,
        which the next file that is opened would get."""
        before, self._file = self._file, fresh
        self._first, self._began = 0, None
        os.close(before)

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
        entry = entry_of(os.pread(self._file, LONGEST_LINE, 0).partition(b"\n")[0].decode(errors="replace")) or {}
        self._began = moment_of(str(entry.get("at", "")))
        return last, first.number

    def _before(self) -> Link:
        """The last link of the file before this one, when a turn ended between its two steps."""
        files = self._older()
        return (_last_link(files[-1]) if files else None) or Link()


def _last_link(path: Path) -> Link | None:
    last = path.read_bytes().rstrip(b"\n").rpartition(b"\n")[2]
    return link_of(last.decode(errors="replace"))


def _write(file: int, content: bytes) -> None:
    while content:
        content = content[os.write(file, content) :]
