"""Large bodies: whom they are read for, how many there are at one time, and what is left of them."""

import asyncio
import gc
import http.client
import socket
import weakref
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from front import SECRET, Front, Http, served, submission
from starlette.requests import Request
from starlette.types import Message
from test_authorization import ann, call

from tenuto.api.authorization import admitted
from tenuto.api.requests.problems import HttpError
from tenuto.api.routes.every import ROUTES
from tenuto.api.transport.bodies import SMALL_BODY_BYTES, Room, forget_frames, read_body
from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.canonical import canonical_json
from tenuto.compositions.documents.document import to_document
from tenuto.errors import ForbiddenError, NotFoundError
from tenuto.ports.store_reads import EventQuery

BY_NAME = {route.operation: route for route in ROUTES}
LARGE = 20 * 1024 * 1024
"""More than the server buffers, so that it cannot be read before it is looked at."""


@pytest.fixture
def front() -> Front:
    front = Front()
    for name in ("a", "b"):
        front.commands.accounts.add(name, {"profile": name}, checks=False)
    return front


def grant(front: Front, commands: str, accounts: str = "[a, default]") -> None:
    text = f"TenutoPolicy: 1\nUsers: [ann]\nGrants: [{{To: ann, Commands: {commands}, Accounts: {accounts}}}]"
    front.services.administration.set_policy(text, file="p.yaml", actor="root")
    front.services.administration.generate_secret("ann", actor="root")


@pytest.mark.parametrize(
    ("operation", "commands", "is_admitted"),
    [
        ("run", "status", False),
        ("run", "run", True),
        ("run", "plan", True),
        ("apply", "update", True),
        ("apply", "kill", False),
        ("update", "run", False),
        ("update", "plan", True),
        ("execute", "kill", True),
        ("execute", "run", False),
        ("check_validations", "plan", True),
        ("check_validations", "run", False),
        ("set_policy", "all", False),
    ],
)
def test_a_large_body_is_read_where_some_body_would_be_permitted(
    front: Front, operation: str, commands: str, is_admitted: bool
) -> None:
    front.commands.run(submission(), alias="web", account="a")
    grant(front, commands)
    request = call(front, ann(front), {"process": "web"} if "{process}" in BY_NAME[operation].path else {})
    if is_admitted:
        admitted(BY_NAME[operation], request)
    else:
        with pytest.raises(ForbiddenError):
            admitted(BY_NAME[operation], request)


def test_a_large_body_for_a_process_of_a_foreign_account_is_not_read(front: Front) -> None:
    front.commands.run(submission(), alias="web", account="b")
    grant(front, "all")
    for operation in ("update", "apply", "execute"):
        with pytest.raises(ForbiddenError):
            admitted(BY_NAME[operation], call(front, ann(front), {"process": "web"}))
    with pytest.raises(NotFoundError):
        admitted(BY_NAME["update"], call(front, ann(front), {"process": "other"}))


def test_a_refusal_does_not_wait_for_the_body(front: Front) -> None:
    grant(front, "status")
    secret = front.services.administration.generate_secret("ann", actor="root")
    with served(front) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        for who, status in ((secret, b"403"), (SECRET, b"413"), ("nobody", b"401")):
            size = LARGE if who == secret else 10**12
            with socket.create_connection((host, int(port)), timeout=30) as client:
                head = f"POST /v1/processes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {who}\r\n"
                client.sendall(f"{head}Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n".encode())
                assert client.recv(12) == b"HTTP/1.1 " + status
        [denied] = [one for one in front.store.events(EventQuery()) if one.type == "command.denied"]
        assert denied.actor == "ann"


def test_a_large_body_of_a_permitted_caller_is_answered_exactly(front: Front) -> None:
    grant(front, "run")
    secret = front.services.administration.generate_secret("ann", actor="root")
    with served(front) as url:
        large = {"alias": "web", "composition": {"pad": "x" * (SMALL_BODY_BYTES + 1)}}
        assert Http(url, secret=secret)("POST", "/v1/processes", large | {"account": "b"}).status == 403
        assert Http(url, secret=secret)("POST", "/v1/processes", large | {"account": "a"}).status == 422


def test_a_body_without_a_declared_length_is_read_up_to_the_bound(front: Front) -> None:
    def chunks(size: int) -> Iterator[bytes]:
        yield b'{"pad": "'
        yield from (b"x" * 65536 for _ in range(size // 65536))
        yield b'"}'

    with served(front) as url:
        for size, status in ((65536, 400), (9 * 1024 * 1024, 413)):
            connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
            headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
            connection.request("POST", "/v1/resume", chunks(size), headers, encode_chunked=True)
            assert connection.getresponse().status == status
            connection.close()


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await story()

    asyncio.run(bounded())


def test_bodies_wait_for_room_in_the_order_in_which_they_came() -> None:
    async def story() -> None:
        room, served_to = Room(10), list[int]()

        async def take(size: int) -> None:
            await room.take(size)
            served_to.append(size)

        await take(8)
        waiting = [asyncio.create_task(take(size)) for size in (9, 1, 5)]
        await asyncio.sleep(0)
        assert served_to == [8]
        room.give_back(8)
        await asyncio.gather(*waiting[:2])
        assert served_to == [8, 9, 1]
        room.give_back(9)
        await waiting[2]
        assert served_to == [8, 9, 1, 5]

    run(story)


def test_a_body_that_finds_no_room_in_time_is_refused_with_advice_and_takes_none() -> None:
    async def story() -> None:
        room = Room(10, wait_s=0.01)
        await room.take(10)
        with pytest.raises(HttpError, match="Try again") as refused:
            await room.take(1)
        assert (refused.value.status, refused.value.headers["Retry-After"]) == (503, "5")
        room.give_back(10)
        await room.take(10)

    run(story)


def test_a_request_that_is_given_up_while_it_waits_lets_the_next_one_pass() -> None:
    async def story() -> None:
        room = Room(10)
        await room.take(5)
        large, small = asyncio.create_task(room.take(10)), asyncio.create_task(room.take(5))
        await asyncio.sleep(0)
        large.cancel()
        await small
        with pytest.raises(asyncio.CancelledError):
            await large

    run(story)


def test_only_so_many_requests_wait_for_room() -> None:
    async def story() -> None:
        room = Room(10, most_waiting=1)
        await room.take(10)
        first = asyncio.create_task(room.take(1))
        await asyncio.sleep(0)
        with pytest.raises(HttpError):
            await room.take(1)
        room.give_back(10)
        await first

    run(story)


def test_a_slow_body_gives_way_only_while_another_one_waits() -> None:
    async def story() -> None:
        room = Room(10, patience_s=-1.0)

        def request() -> Request:
            parts = iter([b'{"a"', b": 1}"])

            async def receive() -> Message:
                part = next(parts)
                return {"type": "http.request", "body": part, "more_body": part != b": 1}"}

            head = [(b"content-type", b"application/json")]
            return Request({"type": "http", "method": "POST", "headers": head}, receive)

        await room.take(10)
        assert await read_body(request(), 100, room) == {"a": 1}
        waiting = asyncio.create_task(room.take(1))
        await asyncio.sleep(0)
        with pytest.raises(HttpError) as slow:
            await read_body(request(), 100, room)
        assert slow.value.status == 408
        # What takes no room gives none.
        assert await read_body(request(), 100) == {"a": 1}
        room.give_back(10)
        await waiting
        assert await read_body(request(), 100, room) == {"a": 1}

    run(story)


class Body:
    """Something whose end can be noticed."""


def test_an_answered_exception_holds_nothing_of_its_frames() -> None:
    held: list[BaseException] = []

    def cause(body: Body) -> None:
        raise ValueError("first")

    def fail() -> "weakref.ref[Body]":
        body = Body()
        try:
            try:
                cause(body)
            except ValueError as error:
                raise KeyError("second") from error
        except KeyError as error:
            # The circle that a future makes: the exception is held by a frame that it holds.
            held.append(error)
        return weakref.ref(body)

    gc.disable()
    try:
        watched = fail()
        assert watched() is not None
        forget_frames(held[0])
        assert watched() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("value", ["{}", "[]", "0", '""'])
def test_a_body_of_many_values_in_few_characters_is_refused_before_it_is_made(front: Front, value: str) -> None:
    with served(front) as url:
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
        body = f'{{"alias": "web", "composition": {{"pad": [{",".join([value] * 100_000)}]}}}}'
        connection.request("POST", "/v1/processes", body, headers)
        answer = connection.getresponse()
        assert answer.status == 413
        assert b"leave out what is empty" in answer.read()
        connection.close()


def test_an_ordinary_composition_has_more_characters_than_it_needs() -> None:
    example = Path(__file__).parents[3] / "src/tenuto/examples/vpc.yaml"
    text = canonical_json(to_document(compile_file(example, parameters={}, region="us-east-1").composition))
    assert len(text) / sum(map(text.count, ",{[")) > 12


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"composition": ' * 5000 + b"1" + b"}" * 5000, b"its values are nested too deeply"),
        (b'{"composition": ' + b"9" * 5000 + b"}", b"one of its numbers has too many digits"),
        (b'{"alias": "\xff"}', b"its byte 11 is not part of any UTF-8 character"),
        (b'{"composition": NaN}', b"NaN is not JSON"),
        (b'{"composition": [{"alias": "a", "b": 1, "alias": "c"}]}', rb"an object gives \"alias\" more than once"),
    ],
)
def test_a_body_that_is_no_json_is_refused_in_words_of_json(front: Front, body: bytes, said: bytes) -> None:
    with served(front) as url:
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
        headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
        connection.request("POST", "/v1/processes", body, headers)
        answer = connection.getresponse()
        assert answer.status == 400
        assert b"can be read: " + said in answer.read()
        connection.close()
