"""The daily reading of base images: a copy whose bytes were changed while its stamp was kept is found by its digest.

Theory of operation. The executor does one thing at a time, and an image may have gigabytes. So a copy is read in turns,
a slice after an observation and with a pause between two, and the digest of the bytes that were read is kept in memory.
An executor that is started again begins the copy anew. One that was read is left alone for a day; the one that was read
the longest time ago comes first. A slice takes about a tenth of a second, so a host reads 400 GiB a day at most, and
the processor is busy with it for the fiftieth part of the time at most.
"""

import hashlib
import time
from collections.abc import Callable
from typing import Any

from tenuto.providers.local.executor.virtual.disks import Bases

SLICE = 24 << 20
"""The bytes of one turn."""
PAUSE_S = 5.0
DAY_S = 86_400.0


class BaseReading:
    """Reads the copies of base images of one host, in turns."""

    def __init__(
        self, bases: Bases, *, now: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic
    ) -> None:
        self._bases = bases
        self._now = now
        self._steady = steady
        self._next_at = steady()
        self._digest, self._stamp = "", ""
        self._offset = 0
        self._sum: Any = None

    def go_on(self) -> None:
        """Read the next slice, if a turn is due. Raises OSError."""
        if self._steady() < self._next_at:
            return
        self._next_at = self._steady() + PAUSE_S
        if not self._digest and not self._begin():
            return
        try:
            part = self._bases.slice_of(self._digest, self._offset, SLICE, stamp=self._stamp)
        except OSError:
            self._digest = ""
            raise
        if part is None:
            self._digest = ""  # Its stamp is another one: that is told without a look at its bytes.
            return
        self._sum.update(part)
        self._offset += len(part)
        if len(part) < SLICE:
            self._bases.note_read(self._digest, self._now(), is_good=self._sum.hexdigest() == self._digest)
            self._digest = ""

    def _begin(self) -> bool:
        """Choose the next copy; False when none is due. One with a moment in the future is due: the clock was set."""
        now, known = self._now(), self._bases.read_at()
        due = [one for one, at in known.items() if not 0 <= now - at < DAY_S]
        if due:
            self._digest = min(due, key=lambda one: (known[one], one))
            self._stamp, self._offset, self._sum = self._bases.stamp_of(self._digest), 0, hashlib.sha512()
        return bool(due)
