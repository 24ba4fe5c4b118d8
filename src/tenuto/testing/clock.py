"""A clock that stands still until it is told to go on."""

import threading

from tenuto.errors import BugError
from tenuto.model.ids import Instant

START = Instant(1_750_000_000.0)
"""Some moment in June 2025, far from every boundary of a calendar."""


class VirtualClock:
    """Implements `ports.clock.Clock`. Thread-safe."""

    def __init__(self, start: Instant = START) -> None:
        self._now = start
        self._lock = threading.Lock()

    def now(self) -> Instant:
        with self._lock:
            return self._now

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
