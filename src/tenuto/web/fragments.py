"""The parts of pages that several readers look at, made once for all of them.

Theory of operation. A mark sends every open page to the server at the same moment, and twenty people who look at one
page want the same part of it. A part is made once for a caller, a path and a query, while others wait for it, and is
handed out until the hub hands on the next mark, for a quarter of a second at most. That is exact: a part that was begun
after a mark holds the change that the mark is about, and every later change has a mark of its own. The token of a
session is no part of it: it stands there as a word of this process, which is replaced for each reader.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

KEPT_S = 0.25
"""The time for which a part is handed out while no mark comes: no age in it is older than a turn of the hub."""
MOST = 256
"""Each is as large as a page, and more people than this do not look at different things in a quarter of a second."""

Made = TypeVar("Made")


@dataclass(eq=False)
class _Kept(Generic[Made]):
    task: "asyncio.Future[Made]"
    done_at: float | None = None


class Fragments(Generic[Made]):
    """The parts that were made since the last mark. One event loop uses it.

    `turn` is the number of that mark; None while no reader hears marks, and then nothing is kept.
    """

    def __init__(self, turn: Callable[[], int | None]) -> None:
        self._turn = turn
        self._kept_of: int | None = None
        self._kept: dict[Hashable, _Kept[Made]] = {}

    async def get(self, key: Hashable, make: Callable[[], Awaitable[Made]]) -> Made:
        """Return the part under a key, made now unless it is there or under way. Raises the errors of `make`."""
        turn = self._turn()
        if turn is None:
            return await make()
        if turn != self._kept_of or len(self._kept) >= MOST:
            self._kept_of, self._kept = turn, {}
        found = self._kept.get(key)
        if found is None or self._is_old(found):
            found = self._begun(key, make)
        # The one who asked first may go away; the others still wait.
        return await asyncio.shield(found.task)

    def _begun(self, key: Hashable, make: Callable[[], Awaitable[Made]]) -> _Kept[Made]:
        kept, loop = self._kept, asyncio.get_running_loop()
        found = kept[key] = _Kept(task=asyncio.ensure_future(make()))

        def ended(task: "asyncio.Future[Made]") -> None:
            found.done_at = loop.time()
            if (task.cancelled() or task.exception() is not None) and kept.get(key) is found:
                del kept[key]

        found.task.add_done_callback(ended)
        return found

    def _is_old(self, found: _Kept[Made]) -> bool:
        return found.done_at is not None and asyncio.get_running_loop().time() - found.done_at >= KEPT_S
