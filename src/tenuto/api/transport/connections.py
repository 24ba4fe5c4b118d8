"""`Connections` bounds the number of connections to the API, and the time that each of them may wait.

A connection costs a file descriptor, and opening one needs no secret. Without bounds, a thousand connections that send
half a request take every descriptor of the Conductor: no provider can be called, and no drift is repaired. Three rules
keep that from happening.

*The number is bounded.* A connection above the bound takes the place of the one that has waited longest for the head of
a request; where none waits, of the one that began first to send a body that is not complete and whose caller has shown
no valid secret. So a command of a person is answered while idle connections keep the API full: its request follows at
once, and theirs do not. Where every connection is being answered, the new one is closed.

*Waiting is bounded.* A request's head must be complete within `head_s` from the moment when the server began to wait
for it, however slowly its bytes come. The body of a caller without a valid secret, as of a sign-in, has `body_s` in all
in the same way; as much may pass between two bytes of any other body. A kept connection is closed after
`keep_alive_s` without a byte.

*Answering is not bounded.* Between the end of a request and the end of its answer there is no limit, so that a stream
of events or a long sweep takes the time it needs. Only a client that reads nothing of its answer for `write_idle_s` is
closed.

Rejected: uvicorn's `limit_concurrency`, which answers 503 once a head is complete, and so keeps every connection that
sends none; and a pause of accepting, which leaves a person's command in the queue behind idle connections.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import h11
import structlog
from uvicorn import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from tenuto.api.transport.known_callers import is_known
from tenuto.kit.sparse import Sparse

LOG_INTERVAL_S = 60.0
"""A line in a minute tells a person that something is wrong; a line for each connection fills the disk."""

_log = structlog.get_logger("tenuto.api")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """The bounds of the connections to one server. All times are seconds."""

    connections: int
    """The largest number of open connections."""
    head_s: float = 10.0
    """Seconds for the head of a request. Heads fit one packet: ten seconds are three retransmissions of it."""
    body_s: float = 30.0
    """Seconds between two bytes of a body, since networks of clients pause for a while. The whole body of a caller
    without a valid secret has as many: it is small, a token or a form."""
    keep_alive_s: int = 5
    """Seconds that a connection stays open after an answer without a byte of the next request. As in uvicorn."""
    write_idle_s: float = 60.0
    """Seconds for which a client may read nothing of its answer. Longer than the others: a pager may stop a reader."""


class Admitted(Protocol):
    """A connection that counts."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop

    @property
    def gives_way(self) -> bool:
        """Whether its body, which is not complete, is one for which no new connection is refused."""
        ...


class Connections:
    """The connections of one server. One event loop uses them; nothing here is for other threads."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._open: set[Admitted] = set()
        self._waiting: dict[Admitted, None] = {}
        """The connections that wait for the head of a request, or for their end, in the order in which
        they began to."""
        self._receiving: dict[Admitted, None] = {}
        """The connections whose body is not complete, in the order in which it began."""
        self._full = Sparse(LOG_INTERVAL_S)

    def make(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> "Connection":
        """The table makes the protocol of a new connection. uvicorn calls this as it calls a protocol class."""
        return Connection(config, server_state, app_state, _loop, connections=self)

    def admit(self, new: Admitted) -> None:
        """The table counts a new connection. Above the bound it closes one that waits, else the new one.

        Of those that wait, it closes the one that has waited longest; those whose last answer is not sent yet go later,
        and those whose body is not complete go last.
        """
        self._open.add(new)
        if len(self._open) <= self.limits.connections:
            return
        receiving = next((one for one in self._receiving if one.gives_way), new)
        oldest = next(iter(self._waiting), receiving)
        ending = next((one for one in self._waiting if not one.transport.get_write_buffer_size()), oldest)
        self.forget(ending)
        ending.transport.abort()
        if count := self._full.count(new.loop.time()):
            _log.warning(
                "api.connections_full",
                limit=self.limits.connections,
                closed=count,
                hint="connections without a request are closed first; see 'connections' in the configuration",
            )

    def forget(self, gone: Admitted) -> None:
        """The connection is closed, or about to be."""
        self._open.discard(gone)
        self.answer(gone)

    def wait(self, one: Admitted) -> bool:
        """The connection waits for the head of a request. Returns whether the wait begins with this call."""
        self._receiving.pop(one, None)
        return self._has_begun(one, self._waiting)

    def receive(self, one: Admitted) -> bool:
        """The connection has a head, and waits for its body. Returns whether the wait begins with this call."""
        self._waiting.pop(one, None)
        return self._has_begun(one, self._receiving)

    def answer(self, one: Admitted) -> None:
        """The connection has a whole request."""
        self._waiting.pop(one, None)
        self._receiving.pop(one, None)

    def _has_begun(self, one: Admitted, waits: dict[Admitted, None]) -> bool:
        if one in waits or one not in self._open:
            return False
        waits[one] = None
        return True


class Connection(H11Protocol):
    """The class adds the bounds of `ConnectionLimits` to uvicorn's protocol."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        connections: Connections,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._all = connections
        self._request_timer: asyncio.TimerHandle | None = None
        self._answer_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._all.admit(self)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.forget(self)
        self._time_request(None)
        self._time_answer(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._time_answer(None)

    @property
    def _is_answering(self) -> bool:
        """Whether there is a request, be it without the end of its body, whose answer is not complete."""
        # Against its annotation, uvicorn's cycle is None before the first request.
        return not getattr(self.cycle, "response_complete", True)

    @property
    def gives_way(self) -> bool:
        return not (is_known(self.cycle.scope) or self._is_held_up)

    @property
    def _is_held_up(self) -> bool:
        """Whether the server itself delays the body: it has not asked for it, or has not taken what came."""
        return self.flow.read_paused or self.cycle.waiting_for_100_continue

    def _watch(self) -> None:
        """The connection sets the timer for the event that it waits for now."""
        if self.transport.is_closing():
            # It is closed once its last answer is sent. That takes a client that reads it, so it may lose its place.
            self._all.wait(self)
            self._time_request(None)
            self._watch_reader()
        elif not self._is_answering:
            # Also where bytes of a body come that is no longer needed: they take from the time of the next head.
            if self._all.wait(self):
                self._time_request(self._all.limits.head_s)
        elif self.conn.their_state is not h11.SEND_BODY:
            self._all.answer(self)
            self._time_request(None)
        elif self._all.receive(self) or is_known(self.cycle.scope):
            self._time_request(self._all.limits.body_s)

    def _time_request(self, seconds: float | None) -> None:
        self._request_timer = self._timed(self._request_timer, seconds, self._end_request)

    def _end_request(self) -> None:
        """The connection ends: its head, or its body or the next part of it, is late. The server may delay a body."""
        if self._is_answering and self._is_held_up:
            self._time_request(self._all.limits.body_s)
        else:
            self.transport.abort()

    def _watch_reader(self) -> None:
        """The connection ends unless the client reads some of the written bytes in time."""
        before = self.transport.get_write_buffer_size()

        def check() -> None:
            if self.transport.get_write_buffer_size() < before:
                self._watch_reader()
            else:
                self.transport.abort()

        self._time_answer(self._all.limits.write_idle_s, check)

    def _time_answer(self, seconds: float | None, end: Callable[[], None] = lambda: None) -> None:
        self._answer_timer = self._timed(self._answer_timer, seconds, end)

    def _timed(
        self, before: asyncio.TimerHandle | None, seconds: float | None, end: Callable[[], None]
    ) -> asyncio.TimerHandle | None:
        if before is not None:
            before.cancel()
        return None if seconds is None else self.loop.call_later(seconds, end)


def loop_error_handler() -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """The handler logs failures to accept once a minute, and leaves other errors to the loop's own handler.

    While there are no descriptors, the loop tries each second, up to its backlog many times, and asyncio would log a
    traceback for each try.
    """
    failures = Sparse(LOG_INTERVAL_S)

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not str(context.get("message", "")).startswith("socket.accept()"):
            loop.default_exception_handler(context)
        elif count := failures.count(loop.time()):
            _log.error(
                "api.accept_failed",
                reason=str(error),
                failures=count,
                hint="raise the limit of open files of the Conductor (ulimit -n), or lower 'connections'",
            )

    return handle
