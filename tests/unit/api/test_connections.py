"""The bounds of connections to the API, by a clock that the test moves and a transport that it holds."""

import asyncio
import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import pytest
import structlog
from front import SECRET, Front
from structlog.typing import EventDict
from uvicorn import Config
from uvicorn.server import ServerState

from tenuto.api.security import SecretGate
from tenuto.api.transport.connections import Connection, ConnectionLimits, Connections, loop_error_handler
from tenuto.api.transport.known_callers import is_known, mark_known

LIMITS = ConnectionLimits(connections=3, head_s=10.0, body_s=30.0, keep_alive_s=5, write_idle_s=60.0)
GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /v1/processes HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"


class Timer:
    """A call that the loop makes later."""

    def __init__(self, call: Callable[..., object], arguments: Sequence[object]) -> None:
        self.call, self.arguments, self.is_cancelled = call, arguments, False

    def cancel(self) -> None:
        self.is_cancelled = True


class Loop:
    """A loop whose clock the test moves; tasks run on a real loop that does nothing but what the test asks."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.real = asyncio.new_event_loop()
        self.told: list[dict[str, Any]] = []
        self._timers: list[tuple[float, int, Timer]] = []

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, call: Callable[..., object], *arguments: object) -> Timer:
        timer = Timer(call, arguments)
        heapq.heappush(self._timers, (self.now + delay, len(self._timers), timer))
        return timer

    def create_task(self, coroutine: Any) -> "asyncio.Task[None]":
        return self.real.create_task(coroutine)

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        self.told.append(context)

    def pass_time(self, seconds: float) -> None:
        """Let time pass, and whatever is due happen at its time."""
        end = self.now + seconds
        while self._timers and self._timers[0][0] <= end:
            self.now, _, timer = heapq.heappop(self._timers)
            if not timer.is_cancelled:
                timer.call(*timer.arguments)
            self.settle()
        self.now = end

    def settle(self) -> None:
        """Let every task go on until it waits."""
        for _ in range(20):
            self.real.run_until_complete(asyncio.sleep(0))


class Transport:
    """The server's side of a connection."""

    def __init__(self) -> None:
        self.written = b""
        self.unread = 0
        self.is_aborted = False
        self.is_closed = False
        self.is_reading = True

    def get_extra_info(self, name: str, default: object = None) -> object:
        return default

    def write(self, data: bytes) -> None:
        self.written += data

    def get_write_buffer_size(self) -> int:
        return self.unread

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_aborted = True

    def is_closing(self) -> bool:
        return self.is_closed or self.is_aborted

    def pause_reading(self) -> None:
        self.is_reading = False

    def resume_reading(self) -> None:
        self.is_reading = True


class Application:
    """Answers every request once the test lets it, after its body when the request has one."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.gate.set()
        self.reads_body = True
        self.knows_callers = True

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.knows_callers:
            mark_known({**scope})
        while self.reads_body:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            if not message["more_body"]:
                break
        await self.gate.wait()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


class Server:
    """One server on a loop of the test."""

    def __init__(self, loop: Loop, limits: ConnectionLimits) -> None:
        self.loop = loop
        self.application = Application()
        self._config = Config(self.application, ws="none", log_config=None, timeout_keep_alive=limits.keep_alive_s)
        self._config.load()
        self._state = ServerState()
        self._connections = Connections(limits)

    def connect(self, data: bytes = b"") -> "Client":
        made = self._connections.make(self._config, self._state, {}, cast(asyncio.AbstractEventLoop, self.loop))
        client = Client(self.loop, made)
        made.connection_made(cast(asyncio.Transport, client.transport))
        if data:
            client.send(data)
        return client


class Client:
    """One connection to it."""

    def __init__(self, loop: Loop, connection: Connection) -> None:
        self.connection = connection
        self.transport = Transport()
        self._loop = loop

    def send(self, data: bytes) -> None:
        self.connection.data_received(data)
        self._loop.settle()

    def leave(self) -> None:
        self.connection.connection_lost(None)
        self._loop.settle()

    @property
    def is_open(self) -> bool:
        return not self.transport.is_closing()

    @property
    def answers(self) -> int:
        return self.transport.written.count(b"HTTP/1.1 200")


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    asyncio.set_event_loop(made.real)
    yield made
    for task in asyncio.all_tasks(made.real):
        task.cancel()
    made.settle()
    asyncio.set_event_loop(None)
    made.real.close()


@pytest.fixture
def server(loop: Loop) -> Server:
    return Server(loop, LIMITS)


@pytest.fixture
def events() -> Iterator[list[EventDict]]:
    with structlog.testing.capture_logs() as captured:
        yield captured


@pytest.mark.parametrize("start", [b"", b"GET /heal"])
def test_a_connection_without_a_whole_head_is_closed_after_ten_seconds(
    server: Server, loop: Loop, start: bytes
) -> None:
    client = server.connect(start)
    loop.pass_time(9.9)
    assert client.is_open
    loop.pass_time(0.2)
    assert client.transport.is_aborted


def test_bytes_of_a_head_that_come_one_by_one_give_it_no_more_time(server: Server, loop: Loop) -> None:
    client = server.connect()
    for byte in GET[:20]:
        if client.is_open:
            client.send(bytes([byte]))
            loop.pass_time(1.0)
    assert not client.is_open
    assert client.answers == 0


def test_an_answer_may_take_as_long_as_it_needs(server: Server, loop: Loop) -> None:
    server.application.gate.clear()
    client = server.connect(GET)
    loop.pass_time(24 * 3600.0)
    assert client.is_open
    server.application.gate.set()
    loop.settle()
    assert (client.answers, client.is_open) == (1, True)


def test_a_kept_connection_is_closed_after_five_seconds_without_a_byte(server: Server, loop: Loop) -> None:
    client = server.connect(GET)
    loop.pass_time(4.9)
    assert client.is_open
    loop.pass_time(0.2)
    assert client.transport.is_closed


def test_a_kept_connection_has_ten_seconds_for_each_head(server: Server, loop: Loop) -> None:
    client = server.connect()
    for request in range(1, 6):
        client.send(GET[:10])
        loop.pass_time(9.0)
        client.send(GET[10:])
        assert (client.answers, client.is_open) == (request, True)
    client.send(GET[:10])
    loop.pass_time(10.1)
    assert client.transport.is_aborted


def test_a_body_is_closed_thirty_seconds_after_its_last_byte_and_not_before(server: Server, loop: Loop) -> None:
    client = server.connect(POST)
    for _ in range(9):
        loop.pass_time(29.0)
        client.send(b"x")
    assert client.is_open
    loop.pass_time(30.1)
    assert client.transport.is_aborted


def test_bytes_of_the_body_of_a_caller_without_a_secret_give_it_no_more_time(server: Server, loop: Loop) -> None:
    server.application.knows_callers = False
    client = server.connect(POST)
    for _ in range(3):
        loop.pass_time(9.0)
        client.send(b"x")
    assert client.is_open
    loop.pass_time(3.1)
    assert client.transport.is_aborted


def test_a_body_that_comes_to_its_end_is_answered(server: Server, loop: Loop) -> None:
    client = server.connect(POST)
    loop.pass_time(29.0)
    client.send(b"x" * 10)
    assert (client.answers, client.is_open) == (1, True)


def test_a_body_that_comes_after_the_answer_gives_the_connection_no_more_time(server: Server, loop: Loop) -> None:
    server.application.reads_body = False
    client = server.connect(POST)
    assert client.answers == 1
    for _ in range(9):
        if client.is_open:
            client.send(b"x")
            loop.pass_time(2.0)
    assert client.transport.is_aborted


def test_a_body_that_the_server_itself_leaves_unread_is_not_cut(server: Server, loop: Loop) -> None:
    server.application.reads_body = False
    server.application.gate.clear()
    head = POST.replace(b"Content-Length: 10", b"Content-Length: 200000")
    client = server.connect(head + b"x" * 100_000)
    assert not client.transport.is_reading
    loop.pass_time(300.0)
    assert client.is_open


def test_a_client_that_waits_to_be_asked_for_its_body_is_not_cut(server: Server, loop: Loop) -> None:
    server.application.reads_body = False
    server.application.gate.clear()
    client = server.connect(POST.replace(b"Host: x", b"Host: x\r\nExpect: 100-continue"))
    loop.pass_time(300.0)
    assert client.is_open


def test_a_client_that_reads_nothing_of_its_answer_is_closed_after_a_minute(server: Server, loop: Loop) -> None:
    server.application.gate.clear()
    client = server.connect(GET)
    client.transport.unread = 100_000
    client.connection.pause_writing()
    loop.pass_time(59.0)
    client.transport.unread = 90_000
    loop.pass_time(60.0)
    assert client.is_open
    loop.pass_time(62.0)
    assert client.transport.is_aborted


def test_a_client_that_reads_again_is_not_closed(server: Server, loop: Loop) -> None:
    server.application.gate.clear()
    client = server.connect(GET)
    client.transport.unread = 100_000
    client.connection.pause_writing()
    loop.pass_time(59.0)
    client.connection.resume_writing()
    loop.pass_time(600.0)
    assert client.is_open


@pytest.mark.parametrize("request_", [GET.replace(b"Host: x", b"Host: x\r\nConnection: close"), b"\x00\x01\r\n\r\n"])
def test_a_last_answer_that_the_client_does_not_read_holds_the_connection_for_a_minute_at_most(
    server: Server, loop: Loop, request_: bytes
) -> None:
    client = server.connect()
    client.transport.unread = 500
    client.send(request_)
    assert client.transport.is_closed
    loop.pass_time(59.0)
    assert not client.transport.is_aborted
    loop.pass_time(2.0)
    assert client.transport.is_aborted


def test_a_connection_above_the_bound_takes_the_place_of_the_one_that_waited_longest(
    server: Server, events: list[EventDict]
) -> None:
    first, second, third = (server.connect(b"GET /") for _ in range(3))
    new = server.connect(GET)
    assert (first.transport.is_aborted, second.is_open, third.is_open) == (True, True, True)
    assert (new.is_open, new.answers) == (True, 1)
    assert [(one["event"], one["limit"], one["closed"]) for one in events] == [("api.connections_full", 3, 1)]


def test_a_connection_whose_last_answer_is_not_sent_yet_loses_its_place_after_those_that_are_idle(
    server: Server,
) -> None:
    slow = server.connect(GET)
    ending = server.connect(GET.replace(b"Host: x", b"Host: x\r\nConnection: close"))
    slow.transport.unread = ending.transport.unread = 500
    idle = server.connect()
    server.connect(GET).leave()
    assert (idle.transport.is_aborted, slow.is_open, ending.transport.is_aborted) == (True, True, False)
    server.application.gate.clear()
    for _ in range(2):
        server.connect(GET)
    assert (slow.transport.is_aborted, ending.transport.is_aborted) == (True, False)
    server.connect(GET)
    assert ending.transport.is_aborted


def test_an_evicted_connection_frees_one_place_only(server: Server) -> None:
    for _ in range(10):
        server.connect()
    server.application.gate.clear()
    busy = [server.connect(GET) for _ in range(3)]
    assert all(one.is_open for one in busy)
    assert not server.connect().is_open


def test_a_full_api_is_logged_once_a_minute(server: Server, loop: Loop, events: list[EventDict]) -> None:
    for _ in range(50):
        server.connect()
    loop.pass_time(61.0)
    for _ in range(4):
        server.connect()
    assert [one["closed"] for one in events] == [1, 47]


def test_where_every_connection_is_being_answered_a_new_one_is_closed(server: Server, loop: Loop) -> None:
    server.application.gate.clear()
    busy = [server.connect(GET) for _ in range(3)]
    new = server.connect(b"")
    assert new.transport.is_aborted
    assert all(one.is_open for one in busy)
    busy[0].leave()
    assert server.connect(GET).is_open


def test_a_body_that_is_not_complete_gives_way_to_a_new_connection_the_oldest_first(server: Server) -> None:
    server.application.knows_callers = False
    first, second, third = (server.connect(POST) for _ in range(3))
    first.send(b"x")
    new = server.connect(GET)
    assert (first.transport.is_aborted, second.is_open, third.is_open) == (True, True, True)
    assert (new.is_open, new.answers) == (True, 1)
    third.send(b"x" * 10)
    assert third.answers == 1


def test_a_connection_that_waits_for_a_head_gives_way_before_one_with_a_part_of_a_body(server: Server) -> None:
    server.application.knows_callers = False
    body = server.connect(POST)
    idle = server.connect()
    server.connect(POST)
    server.connect(GET)
    assert (body.is_open, idle.transport.is_aborted) == (True, True)


def test_a_body_of_a_known_caller_and_one_that_the_server_itself_delays_give_no_way(server: Server) -> None:
    known = server.connect(POST)
    server.application.knows_callers = server.application.reads_body = False
    server.application.gate.clear()
    delayed = server.connect(POST.replace(b"Host: x", b"Host: x\r\nExpect: 100-continue"))
    complete = server.connect(POST + b"x" * 10)
    assert server.connect(GET).transport.is_aborted
    assert all(one.is_open for one in (known, delayed, complete))


def test_a_connection_that_ended_leaves_no_timer_that_acts(server: Server, loop: Loop) -> None:
    client = server.connect(b"GET /")
    client.leave()
    client.transport.is_closed = False
    loop.pass_time(600.0)
    assert not client.transport.is_aborted


def test_failures_to_accept_are_logged_once_a_minute_and_other_errors_as_ever(
    loop: Loop, events: list[EventDict]
) -> None:
    handle = loop_error_handler()
    full = {"message": "socket.accept() out of system resource", "exception": OSError(24, "Too many open files")}
    other = {"message": "Task exception was never retrieved", "exception": ValueError("x")}
    for context in [full] * 100 + [other]:
        handle(cast(asyncio.AbstractEventLoop, loop), context)
    loop.pass_time(60.0)
    handle(cast(asyncio.AbstractEventLoop, loop), full)
    assert [(one["event"], one["failures"]) for one in events] == [("api.accept_failed", 1), ("api.accept_failed", 100)]
    assert "Too many open files" in events[0]["reason"]
    assert loop.told == [other]


@pytest.mark.parametrize(
    ("path", "secret", "is_marked"),
    [("/v1/processes", SECRET, True), ("/v1/processes", "wrong", False), ("/v1/sign-in", SECRET, False)],
)
def test_the_gate_marks_the_requests_of_known_callers(loop: Loop, path: str, secret: str, is_marked: bool) -> None:
    front = Front()
    scope: dict[str, Any] = {
        "type": "http",
        "path": path,
        "headers": [(b"authorization", f"Bearer {secret}".encode())],
        "state": {},
    }

    async def served(*_: object) -> None:
        """The application behind the gate answers nothing."""

    gate = SecretGate(served, front.services.gatekeeper, front.services.quotas, lambda path, address: None)
    loop.real.run_until_complete(gate(scope, cast(Any, served), served))
    assert is_known(scope) is is_marked
