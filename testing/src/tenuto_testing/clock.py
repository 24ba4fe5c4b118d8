"""A clock that stands still until it is told to go on, and the clock of a Conductor beside a clock that is set."""

import threading

from tenuto.errors import BugError
from tenuto.model.ids import Instant

START = Instant(1_750_000_000.0)
"""Some moment in June 2025, far from every boundary of a calendar."""


class VirtualClock:
    """Implements `ports.clock.Clock`. Thread-safe."""

    def __init__(self, start: Instant = START) -> None:
        self._now = start
        self._ahead_s = 0.0
        self._lock = threading.Lock()

    def now(self) -> Instant:
        with self._lock:
            return self._now

    def wall(self) -> Instant:
        with self._lock:
            return Instant(self._now + self._ahead_s)

    def sleep(self, seconds: float) -> None:
        """Return at once; the time has passed."""
        self.advance(max(0.0, seconds))

    def advance(self, seconds: float) -> Instant:
        """Let time pass. Raises BugError for negative seconds: a clock never goes back."""
        if seconds < 0:
            raise BugError(f"a clock cannot go back by {-seconds} seconds")
        with self._lock:
            self._now = Instant(self._now + seconds)
            return self._now

    def set(self, moment: Instant) -> None:
        """Go on to a moment; one that has passed is no move."""
        with self._lock:
            self._now = max(self._now, moment)

    def set_wall(self, ahead_s: float) -> None:
        """From now on the wall clock goes so many seconds ahead of the time that passes."""
        with self._lock:
            self._ahead_s = ahead_s


class AnchoredClock:
    """The clock of one Conductor: the wall clock at its start, and the time that passes from then on.

    Implements `ports.clock.Clock`, as `bootstrap.clock.SystemClock` does.
    """

    def __init__(self, inner: VirtualClock) -> None:
        self._inner = inner
        self.ahead_s = inner.wall() - inner.now()
        """How far it goes ahead of the time that passes."""

    def now(self) -> Instant:
        return Instant(self._inner.now() + self.ahead_s)

    def wall(self) -> Instant:
        return self._inner.wall()

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)
