"""The clock of production: wall time that never goes back.

Wake times and "looked at after our own last change" are compared as wall time, across restarts too. Were the system's
clock set back, old news would look new; so a step back is waited out at the latest moment that was given.
"""

import threading
import time

from tenuto.model.ids import Instant


class SystemClock:
    """Implements `ports.clock.Clock`. Thread-safe; never goes back."""

    def __init__(self) -> None:
        self._latest = time.time()
        self._lock = threading.Lock()

    def now(self) -> Instant:
        with self._lock:
            self._latest = max(self._latest, time.time())
            return Instant(self._latest)

    def sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))
