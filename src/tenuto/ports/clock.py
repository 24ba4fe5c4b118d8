"""Time, as an argument."""

from typing import Protocol

from tenuto.model.ids import Instant


class Clock(Protocol):
    """The wall clock. Tests give a virtual one."""

    def now(self) -> Instant:
        """Seconds since 1970 UTC; never goes back within one Conductor."""
        ...

    def sleep(self, seconds: float) -> None:
        """Return that much later. A virtual clock advances itself. Never called by phases or while a lock is held."""
        ...
