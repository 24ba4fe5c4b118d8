"""One flush of the disk for all who commit at the same time.

Theory of operation. A commit waits for the disk ten times as long as its statements take, and while one thread waits
others come to wait behind it. So the next to write writes for all who wait by then, in the order in which they came,
and each of them is told the outcome of its own part once the disk has it. It goes on at once then: it does not wait for
those who came later, of whom one writes next. A single thread notices nothing.

Rejected: to let a commit that a power loss may take back not wait for the disk. Every caller had to know then which
commits may be lost.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

from tenuto.errors import StoreUnavailableError

Part = TypeVar("Part")

WriteAll = Callable[[Sequence[Part]], Sequence[Exception | None]]
"""The function that writes parts together. It returns for each why it alone was not written, or None. An error that it
raises is for all of them."""


def _taken() -> Lock:
    lock = Lock()
    lock.acquire()
    return lock


@dataclass(slots=True, eq=False)
class _Waiting(Generic[Part]):
    part: Part
    error: Exception | None = None
    is_over: bool = False
    is_next: bool = False
    """True when its thread is to write for all."""
    signal: Lock = field(default_factory=_taken)
    """Held until it is over, or its thread is the next to write."""


class Grouped(Generic[Part]):
    """Hands parts that are to be written at the same time to `write_all` together. Thread-safe."""

    def __init__(self, write_all: WriteAll[Part]) -> None:
        self._write_all = write_all
        self._lock = Lock()
        self._is_writing = False
        self._waiting: list[_Waiting[Part]] = []

    @property
    def waiting(self) -> int:
        """The number of parts that wait for the next writing to begin."""
        with self._lock:
            return len(self._waiting)

    def write(self, part: Part) -> None:
        """Return when the part is written. Raises the error of this part, or the one that was raised for all."""
        mine = _Waiting(part)
        with self._lock:
            self._waiting.append(mine)
            mine.is_next, self._is_writing = not self._is_writing, True
            is_first = mine.is_next
        if not is_first:
            self._wait(mine)
        if not mine.is_over:
            self._write_for_all()
        if mine.error is not None:
            try:
                raise mine.error
            finally:
                del mine  # An error holds the frames that it passed: none of them may hold the error.

    def _wait(self, mine: _Waiting[Part]) -> None:
        """Return when it is over, or its thread is the next to write. A thread that is interrupted leaves."""
        try:
            mine.signal.acquire()
        except BaseException:
            with self._lock:
                if mine in self._waiting:
                    self._waiting.remove(mine)
                    if mine.is_next:
                        self._name_the_next()
            raise

    def _write_for_all(self) -> None:
        with self._lock:
            group, self._waiting = self._waiting, []
        try:
            _tell(group, self._written([one.part for one in group]))
        finally:
            if not all(one.is_over for one in group):
                interrupted = StoreUnavailableError("writing was interrupted: Tenuto is stopping")
                _tell(group, [interrupted] * len(group))
            group.clear()
            with self._lock:
                self._name_the_next()

    def _name_the_next(self) -> None:
        """Let the first who waits write for all. The lock is held."""
        if not self._waiting:
            self._is_writing = False
            return
        self._waiting[0].is_next = True
        self._waiting[0].signal.release()

    def _written(self, parts: Sequence[Part]) -> Sequence[Exception | None]:
        """Write all parts: one result for each. An error that concerns all is the result of each of them."""
        try:
            return self._write_all(parts)
        except Exception as error:  # noqa: BLE001 - each kind of error: a thread waits for it
            return [error] * len(parts)


def _tell(group: Sequence[_Waiting[Part]], errors: Sequence[Exception | None]) -> None:
    """Tell each the outcome of its part, and let it go on."""
    for one, error in zip(group, errors, strict=True):
        if not one.is_over:
            one.error, one.is_over = error, True
            one.signal.release()
