"""The clock of production: the system clock at the start, and the time that has passed since.

The system clock steps: an administrator sets it, NTP corrects it after a boot, a virtual machine is paused. Read each
time, it would make old news look new, or delay everything that waits by the width of the step. So it is read once. The
seconds since then come from a counter that cannot be set.
"""

import time
from collections.abc import Callable

from tenuto.model.ids import Instant

_COUNTER = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The counter, where the system has one, that includes time in suspension: it has passed for the cloud, too."""


def _elapsed_s() -> float:
    return time.clock_gettime(_COUNTER)


class SystemClock:
    """Implements `ports.clock.Clock`. Thread-safe: nothing of it changes."""

    def __init__(self, wall: Callable[[], float] = time.time, elapsed_s: Callable[[], float] = _elapsed_s) -> None:
        """`wall` is a clock that can be set. `elapsed_s` counts seconds from any moment, and cannot be set."""
        self._wall = wall
        self._elapsed_s = elapsed_s
        self._zero = wall() - elapsed_s()

    def now(self) -> Instant:
        return Instant(self._zero + self._elapsed_s())

    def wall(self) -> Instant:
        return Instant(self._wall())

    def sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))
