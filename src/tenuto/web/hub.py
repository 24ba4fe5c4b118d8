"""The hub: one stream for each browser with the subjects of changes, and nothing of their content.

Theory of operation. While a reader watches, one task asks four times a second for the subjects of the new commits, and
hands the answer to every reader. A reader gets the FIDs that its user may see; the page then fetches its data. So
rights, masks and the shape of data exist once. A reader that does not keep up loses its marks and is told to read
everything. A session that is over, or whose secret was revoked, ends its streams within two seconds.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import partial

from tenuto.errors import TenutoError, TooManyError
from tenuto.model.access import Right
from tenuto.model.quotas import Quota
from tenuto.ports.touches import Touched
from tenuto.service.access.caller_quotas import of_session
from tenuto.service.access.sessions import SignedIn
from tenuto.service.services import Services
from tenuto.web.fragments import Fragments
from tenuto.web.threads import Threads

TURN_S = 0.25
SESSION_S = 2.0
"""The time after which a stream asks whether its session is still one."""
QUIET_S = 15.0
"""Well under the 45 s of silence after which a page says that it is not live."""
MOST_IN_SESSION = 8
MOST_IN_ALL = 200
QUEUE = 64
RETRY_S = 30
"""A stream ends when a person closes a window."""


@dataclass(eq=False)
class _Reader:
    session: str
    queue: asyncio.Queue[Touched | None] = field(default_factory=lambda: asyncio.Queue(QUEUE))
    """Marks in their order; None wakes a stream that is to end."""
    has_lost: bool = False
    is_over: bool = False

    def put(self, touched: Touched | None) -> None:
        try:
            self.queue.put_nowait(touched)
        except asyncio.QueueFull:
            self.has_lost = True


class Hub:
    """The streams of one site. One event loop uses it."""

    def __init__(self, services: Services, threads: Threads, is_stopping: Callable[[], bool]) -> None:
        self._services = services
        self._threads = threads
        self._is_stopping = is_stopping
        self._readers: set[_Reader] = set()
        self._pump: asyncio.Task[None] | None = None
        self.turn: int | None = None
        """The number of the mark that every reader was handed last; None while there is no reader."""
        self._seen_in_turn: Fragments[list[str]] = Fragments(lambda: self.turn)

    def stream(self, signed: SignedIn, session_id: str) -> AsyncIterator[str]:
        """The marks for a user, as server-sent events. Raises TooManyError."""
        counts = Counter(one.session for one in self._readers)
        if counts[signed.session.digest] >= MOST_IN_SESSION or len(self._readers) >= MOST_IN_ALL:
            self._services.quotas.refused(Quota.STREAMS, of_session(signed.session))
            raise TooManyError(
                "Too many pages are live at one time. This one shows what was, until it is loaded again.",
                limit=Quota.STREAMS.value,
                retry_after_s=RETRY_S,
            )
        reader = _Reader(session=signed.session.digest)
        return self._events(reader, signed, session_id)

    def forget(self, session: str) -> None:
        """End the streams of a session."""
        for reader in self._readers:
            if reader.session == session:
                reader.is_over = True
                reader.put(None)

    async def _events(self, reader: _Reader, signed: SignedIn, session_id: str) -> AsyncIterator[str]:
        self._readers.add(reader)
        if self._pump is None or self._pump.done():
            self._pump = asyncio.get_running_loop().create_task(self._work())
        loop = asyncio.get_running_loop()
        spoken = asked = loop.time()
        try:
            yield "retry: 2000\nevent: hello\ndata: {}\n\n"
            while not self._is_stopping():
                if loop.time() - asked >= SESSION_S:
                    asked = loop.time()
                    reader.is_over = reader.is_over or not await self._is_valid(session_id)
                if reader.is_over:
                    yield "event: over\ndata: {}\n\n"
                    return
                if loop.time() - spoken >= QUIET_S:
                    spoken = loop.time()
                    yield "event: quiet\ndata: {}\n\n"
                try:
                    touched = await asyncio.wait_for(reader.queue.get(), SESSION_S)
                except TimeoutError:
                    continue
                if touched is None:
                    continue
                if reader.has_lost or not touched.is_whole:
                    while not reader.queue.empty():
                        reader.queue.get_nowait()
                    reader.has_lost = False
                    spoken = loop.time()
                    yield f"id: {touched.number}\nevent: resync\ndata: {{}}\n\n"
                    continue
                seen = await self._seen_in_turn.get(
                    (signed.caller, touched.number),
                    partial(self._threads.run, partial(self._seen, signed, touched)),
                )
                if seen or touched.is_estate:
                    spoken = loop.time()
                    data = json.dumps({"n": touched.number, "processes": seen, "estate": touched.is_estate})
                    yield f"id: {touched.number}\nevent: marks\ndata: {data}\n\n"
        finally:
            self._readers.discard(reader)

    async def _work(self) -> None:
        """Hand on the changes, while a reader watches."""
        touches = self._services.touches
        number = self.turn = touches.since(0).number
        try:
            while self._readers and not self._is_stopping():
                await asyncio.sleep(TURN_S)
                touched = touches.since(number)
                if touched.number == number:
                    continue
                number = self.turn = touched.number
                for reader in tuple(self._readers):
                    reader.put(touched)
        finally:
            self.turn = None
        for reader in tuple(self._readers):
            reader.put(None)

    async def _is_valid(self, session_id: str) -> bool:
        try:
            found = await self._threads.run(partial(self._services.sessions.find, session_id, is_used=False))
            return found is not None
        except TenutoError:
            return False

    def _seen(self, signed: SignedIn, touched: Touched) -> list[str]:
        try:
            is_seen = self._services.gatekeeper.seen_by(signed.caller, Right.STATUS)
            return sorted(fid for fid in touched.fids if is_seen(fid))
        except TenutoError:
            return []
