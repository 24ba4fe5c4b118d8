"""Bodies of requests: their bounds, the room for those that are read at one time, and their remains afterwards.

Theory of operation. A body of a quarter of a gigabyte is legitimate, so a bound on one body does not bound the memory
of all. Three rules do. A large body is read only for a caller who may make the request with some body
(`authorization.admitted`). All large bodies share one *room* of as many bytes as the largest body has: a body takes its
length from the room before its first byte is read and gives it back when the request is answered; where there is no
room, the request waits, and after a while it is refused with advice. And a refusal leaves nothing behind: the traceback
of an exception holds the frames, which hold the body, in a circle that only the collector of cycles would find. The
border clears the frames instead (`forget_frames`).

The room is taken by the declared length: bodies that took it byte by byte could stop each other halfway. A body without
a declared length takes the largest. Small bodies take nothing, because the server holds that much of each connection
anyway.
"""

import asyncio
import gc
import json
import re
import traceback
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request

from tenuto.api.requests.problems import HttpError
from tenuto.errors import UserError
from tenuto.kit.well_formed import all_well_formed, ill_formed_place
from tenuto.model.ids import Json, JsonMap

MAXIMUM_BODY_BYTES = 8 * 1024 * 1024
"""The limit of a body that holds no composition. The largest is a policy, of a quarter of a megabyte."""
MAXIMUM_COMPOSITION_BODY_BYTES = 256 * 1024 * 1024
"""The limit of a body that holds a composition or a plan: 100,000 resources take some 50 MB compiled, and 130 MB as a
plan."""
BYTES = "application/octet-stream"
"""The type of a body that is a part of a file."""
SMALL_BODY_BYTES = 64 * 1024
"""The server holds so much of a body before it is asked for. Most requests are smaller."""
ROOM_BYTES = MAXIMUM_COMPOSITION_BODY_BYTES
"""The room of all bodies together that are not small: one of the largest, or a hundred of 500 resources."""
FREE_VALUES = 16_384
LEAST_CHARACTERS = 8
"""The least length of a value in its text, on average: compositions have fifteen. An empty object is written with
three, and takes seventy bytes as a value; so the room bounds the values that bodies become, not only the bodies."""
WAIT_FOR_ROOM_S = 30.0
"""A large body is read and answered in seconds. A client that waits longer should be told why."""
PATIENCE_S = 30.0
"""The time for which a body may come slowly in any case; afterwards only while no other one waits for the room."""
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""The escape of half of a pair in JSON. Bytes that decode to one are refused, so a lone surrogate comes no other way,
and a body without this escape need not be searched value by value."""
SHOWN_NAME = 100
"""The characters of a name that a refusal of a body cites."""
MOST_WAITING = 32
"""The number of requests that may wait for room. Each takes one connection of the bounded number."""


class Room:
    """The bytes of large bodies that may be in memory at one time. One event loop uses it.

    Requests get room in the order in which they asked, so that small ones do not keep a large one waiting for ever.
    """

    def __init__(
        self,
        size: int = ROOM_BYTES,
        *,
        wait_s: float = WAIT_FOR_ROOM_S,
        most_waiting: int = MOST_WAITING,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._free = size
        self._wait_s = wait_s
        self._most_waiting = most_waiting
        self._patience_s = patience_s
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    async def take(self, size: int) -> None:
        """The request gets room for a body. Raises HttpError when there is none in time."""
        if size <= self._free and not self._waiting:
            self._free -= size
            return
        if len(self._waiting) >= self._most_waiting:
            raise _no_room()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((size, turn))
        try:
            async with asyncio.timeout(self._wait_s):
                await turn
        except BaseException as ended:
            if turn.done() and not turn.cancelled():
                # Its turn came with the end of its patience.
                self._free += size
            self._waiting = deque(one for one in self._waiting if one[1] is not turn)
            self._serve()
            if isinstance(ended, TimeoutError):
                raise _no_room() from None
            raise

    def ask(self, since: float) -> None:
        """Raise HttpError when a body that began to come then, on the clock of the loop, is to give way to another."""
        if self._waiting and asyncio.get_running_loop().time() > since + self._patience_s:
            raise HttpError(
                408,
                "slow",
                f"The body was not complete after {self._patience_s:g} s, and other requests wait for its room. "
                "Nothing was changed. Try again, over a faster connection if there is one.",
            )

    def give_back(self, size: int) -> None:
        """The request is answered."""
        self._free += size
        self._serve()

    def _serve(self) -> None:
        while self._waiting and self._waiting[0][0] <= self._free:
            size, turn = self._waiting.popleft()
            if not turn.done():
                self._free -= size
                turn.set_result(None)


def room_for(request: Request, largest: int) -> int:
    """The bytes of room that the body of a request takes; 0 for a small one. Nothing of the body is read.

    Raises HttpError for a body that is too large.
    """
    if "transfer-encoding" in request.headers:
        return largest
    declared = int(request.headers.get("content-length", "0"))
    if declared > largest:
        raise _too_large(largest)
    return declared if declared > SMALL_BODY_BYTES else 0


async def read_body(request: Request, largest: int, room: Room | None = None) -> JsonMap:
    """The JSON object in the body of at most `largest` bytes; empty when there is no body. Raises HttpError, and
    UserError for a text or a name that holds half of a surrogate pair.

    `room` is where the body has room, if it takes any: a slow one gives way when another one waits there.
    """
    return await _read_object(request, largest, room, _refuse_ill_formed)


async def read_report(request: Request, largest: int, room: Room | None = None) -> JsonMap:
    """The JSON object of an agent, as `read_body` reads it. Half of a surrogate pair, as in the name of a file on a
    host, becomes the replacement character: a refused report would be sent again for ever.
    """
    return await _read_object(request, largest, room, all_well_formed)


async def _read_object(request: Request, largest: int, room: Room | None, settle: Callable[[Json], Json]) -> JsonMap:
    body = await _collected(request, largest, room, "application/json")
    if not body:
        return {}
    # On another thread: a large composition takes seconds, in which others want answers.
    document = await run_in_threadpool(_parse, body, settle)
    if not isinstance(document, dict):
        raise HttpError(400, "json", "The body must be a JSON object.")
    return document


async def read_bytes(request: Request, largest: int, room: Room | None = None) -> bytes:
    """The bytes in the body, of which there are at most `largest`. Raises HttpError, as `read_body`."""
    return bytes(await _collected(request, largest, room, BYTES))


async def _collected(request: Request, largest: int, room: Room | None, expected: str) -> bytearray:
    body = bytearray()
    since = asyncio.get_running_loop().time()
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        async for chunk in request.stream():
            if chunk and media_type != expected:
                raise HttpError(415, "media-type", f"The body must be {expected}.")
            if len(body) + len(chunk) > largest:
                raise _too_large(largest)
            if room is not None and chunk:
                room.ask(since)
            body += chunk
    except ClientDisconnect as gone:
        raise HttpError(400, "incomplete", "The body ended before it was complete.") from gone
    return body


def forget_frames(error: BaseException) -> None:
    """Clear the frames of an exception that was answered, and of those that led to it: they hold the body."""
    known: set[int] = set()
    found: list[BaseException] = [error]
    while found:
        one = found.pop()
        if id(one) in known:
            continue
        known.add(id(one))
        traceback.clear_frames(one.__traceback__)
        one.__traceback__ = None
        found.extend(cause for cause in (one.__cause__, one.__context__) if cause is not None)
        if isinstance(one, BaseExceptionGroup):
            found.extend(one.exceptions)


def collect_young() -> None:
    """Free the cycles that a large body has left. Only the young generations are looked through: a moment."""
    gc.collect(1)


def _parse(body: bytearray, settle: Callable[[Json], Json]) -> Json:
    """The value of a body, which is emptied: it and its text need not be there twice. `settle` gets a value that may
    hold lone surrogates, and returns one without them or raises.
    """
    try:
        text = body.decode(json.detect_encoding(body))
        body.clear()
        _check_density(text)
        value: Json = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_without_repeats)
        return settle(value) if SURROGATE.search(text) else value
    except (ValueError, RecursionError) as wrong:
        raise HttpError(400, "json", f"The body is not JSON that can be read: {_fault(wrong)}.") from wrong


def _refuse_ill_formed(value: Json) -> Json:
    """The value itself. Raises UserError with the place of a text that no store and no answer can hold."""
    place = ill_formed_place(value)
    if place is not None:
        subject = f"'{place}' in the body" if place else "The body"
        raise UserError(
            f"{subject} holds half of a surrogate pair, which is no text. Nothing was changed. Send the whole "
            "character, or leave it out."
        )
    return value


def _fault(wrong: ValueError | RecursionError) -> str:
    """The fault of a body, in words of JSON: those of Python name functions of Python."""
    match wrong:
        case RecursionError():
            return "its values are nested too deeply"
        case UnicodeDecodeError():
            return f"its byte {wrong.start} is not part of any UTF-8 character"
        case json.JSONDecodeError():
            return str(wrong)
    return "one of its numbers has too many digits" if "int_max_str" in str(wrong) else str(wrong)


def _check_density(text: str) -> None:
    """Raise HttpError when the values of a text would take far more memory than the text."""
    values = sum(map(text.count, ",{["))
    if values > FREE_VALUES + len(text) // LEAST_CHARACTERS:
        raise HttpError(
            413,
            "too-large",
            f"The body holds {values:,} values in {len(text):,} characters, and takes much more memory than that. "
            "Nothing was changed. Send fewer, or leave out what is empty.",
        )


def _without_repeats(members: list[tuple[str, Json]]) -> dict[str, Json]:
    """The object of its members. Raises ValueError for a name given twice: a proxy or a signature may have read the
    other value.
    """
    found = dict(members)
    if len(found) < len(members):
        ((twice, _),) = Counter(name for name, _ in members).most_common(1)
        raise ValueError(f"an object gives {json.dumps(twice[:SHOWN_NAME])} more than once")
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _too_large(largest: int) -> HttpError:
    return HttpError(413, "too-large", f"The body is larger than the {largest:,} bytes allowed here.")


def _no_room() -> HttpError:
    return HttpError(
        503,
        "busy",
        "The Conductor answers other requests with large bodies, and has no room for another one. Nothing was "
        "changed. Try again in a moment.",
        headers={"Retry-After": "5"},
    )
