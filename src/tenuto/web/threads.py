"""The threads of pages: few, because a Conductor works beside them in the same process.

A page is work of Python, of which one thread at a time makes headway, so more of them make no page faster; they only
take turns from those that hold resources. A request that waits for a provider, a plan or an act goes to the pool of the
server: it must not stand in the way of a page that needs milliseconds.
"""

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

MOST = 2
"""Two threads: one that computes, and one that waits for the database meanwhile."""

Result = TypeVar("Result")


class Threads:
    """The threads of one site."""

    def __init__(self) -> None:
        self._limiter = CapacityLimiter(MOST)

    async def run(self, work: Callable[[], Result]) -> Result:
        """Do a piece of work that asks no provider."""
        return await to_thread.run_sync(work, limiter=self._limiter)
