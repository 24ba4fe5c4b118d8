"""The id of the API request that the work at hand is done for.

Theory of operation. All that a request caused is found by its id, so every commit that is made for it carries the id.
Handing the id down through every method of every service would be one more argument for a hundred methods, and the one
that forgets it would forget it without a word. So the border says once, for the thread of control that answers the
request, which one it is (a context variable, which goes along to the threads that the server hands the work to), and
the store that services write through reads it. A thread that no request began, such as those of the Conductor, has
none: its work for a request carries the id that was stored with the command.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

HEADER = "X-Request-Id"
"""The header of a request and of its answer."""
_WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{6,62}[A-Za-z0-9]")
"""Eight characters at least, so that no two requests share an id by chance; 64 at most, since each event has it."""


def is_well_formed(request: str) -> bool:
    """Whether a client may name its request so."""
    return _WELL_FORMED.fullmatch(request) is not None


class CurrentRequest:
    """One for a Conductor. Thread-safe."""

    def __init__(self) -> None:
        self._current: ContextVar[str] = ContextVar("request", default="")

    @property
    def request(self) -> str:
        """The id; empty where no request is answered."""
        return self._current.get()

    @contextmanager
    def of(self, request: str) -> Iterator[None]:
        """Name the request for which all is done until the end of the context."""
        token = self._current.set(request)
        try:
            yield
        finally:
            self._current.reset(token)
