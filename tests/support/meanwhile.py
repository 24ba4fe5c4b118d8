"""Another caller who acts between two steps of a request."""

from collections.abc import Callable

from tenuto.model.ids import Instant
from tenuto.ports.clock import Clock


class Meanwhile:
    """A clock that lets another caller act, once, when it is read for the nth time."""

    def __init__(self, clock: Clock, act: Callable[[], object], *, reading: int) -> None:
        self._clock = clock
        self._act, self._reading = act, reading

    def now(self) -> Instant:
        self._reading -= 1
        if self._reading == 0:
            self._act()
        return self._clock.now()
