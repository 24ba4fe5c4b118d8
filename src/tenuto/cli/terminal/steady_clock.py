"""The clock of waits and watches."""

import time

from tenuto.model.ids import Instant


class SteadyClock:
    """Implements `ports.clock.Clock` for waits: seconds since some moment, which no change of the wall clock moves."""

    def now(self) -> Instant:
        return Instant(time.monotonic())

    def wall(self) -> Instant:
        return Instant(time.time())

    def sleep(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))
