"""Time, as an argument."""

from typing import Protocol

from tenuto.model.ids import Instant


class Clock(Protocol):
    """The clock of one Conductor, from its start to its end. Tests give a virtual one."""

    def now(self) -> Instant:
        """Return the seconds since 1970 UTC: the system clock at the start, and the seconds that have passed since.

        It goes on evenly when the system clock is set. So all moments of one Conductor can be compared with each
        other. Every delay and every measurement goes by it, in memory and in the store.
        """
        ...

    def wall(self) -> Instant:
        """The system clock now, for moments that are agreed upon with others. It may step in either direction."""
        ...

    def sleep(self, seconds: float) -> None:
        """Return that much later. A virtual clock advances itself. Never called by phases or while a lock is held."""
        ...
