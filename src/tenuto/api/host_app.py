"""The ASGI application for the agents on a provider's own hosts: the calls of `ports.host_door`.

It has a listener of its own, so that the API of the users can stay on its machine. Bodies, refusals and connections are
bounded as there. A poll that waits for news takes no thread: it is woken from the thread that has the news.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from tenuto.api.requests.json_answer import JsonAnswer
from tenuto.api.requests.problems import problem_response
from tenuto.api.transport.bodies import (
    BYTES,
    MAXIMUM_BODY_BYTES,
    Room,
    forget_frames,
    read_bytes,
    read_report,
    room_for,
)
from tenuto.api.transport.known_callers import mark_known
from tenuto.errors import UserError
from tenuto.model.ids import JsonMap
from tenuto.ports.host_door import Bearer, HostDoor

STOP_CHECK_S = 0.5
"""Seconds between two looks at whether the server is to end: a poll that waits would hold up its end."""

_LONGEST_OFFSET = 15
T = TypeVar("T")
_Act = Callable[[Bearer, JsonMap], Awaitable[JsonMap]]


def create_host_app(door: HostDoor, is_stopping: Callable[[], bool]) -> Starlette:
    """The application. `is_stopping` tells that the server is to end, and with it every poll."""
    room = Room()

    async def register(bearer: Bearer, message: JsonMap) -> JsonMap:
        return await run_in_threadpool(door.register, bearer, message)

    async def poll(bearer: Bearer, message: JsonMap) -> JsonMap:
        news, loop = asyncio.Event(), asyncio.get_running_loop()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(news.set)

        heard = await run_in_threadpool(door.poll, bearer, message, wake)
        end = loop.time() + heard.wait_s
        while not news.is_set() and not is_stopping() and (left := end - loop.time()) > 0:
            try:
                async with asyncio.timeout(min(left, STOP_CHECK_S)):
                    await news.wait()
            except TimeoutError:
                continue
        return await run_in_threadpool(heard.answer)

    def route(path: str, act: _Act) -> Route:
        async def answer(request: Request) -> Response:
            return await _answered(door, room, act, request, read_report)

        return Route(path, answer, methods=["POST"])

    async def blob(request: Request) -> Response:
        try:
            bearer = await _bearer(door, request)
            path = await run_in_threadpool(door.blob, bearer, request.path_params["sha512"])
            return FileResponse(path, media_type=BYTES)
        except Exception as error:  # noqa: BLE001 - the border: for every error, the agent gets a problem document
            return problem_response(error)

    async def part(request: Request) -> Response:
        return await _answered(door, room, partial(_part, door, request), request, read_bytes)

    return Starlette(
        routes=[
            route("/v1/node/register", register),
            route("/v1/node/poll", poll),
            Route("/v1/node/blobs/{sha512}", blob, methods=["GET"]),
            Route("/v1/node/parts/{name}", part, methods=["GET", "PATCH"]),
        ]
    )


async def _bearer(door: HostDoor, request: Request) -> Bearer:
    """The agent that calls. Raises ForbiddenError."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    bearer = await run_in_threadpool(door.admit, secret.strip() if scheme.lower() == "bearer" else "")
    mark_known(request.scope)
    return bearer


async def _part(door: HostDoor, request: Request, bearer: Bearer, content: bytes) -> JsonMap:
    """The bytes of a content that a host sends, taken or counted."""
    name = request.path_params["name"]
    if request.method == "GET":
        return {"size": await run_in_threadpool(door.part_size, bearer, name)}
    offset = request.query_params.get("offset", "")
    if not offset.isdecimal() or len(offset) > _LONGEST_OFFSET:
        raise UserError("A part needs its offset, a whole number of bytes.")
    return {"size": await run_in_threadpool(door.append_part, bearer, name, int(offset), content)}


async def _answered(
    door: HostDoor,
    room: Room,
    act: Callable[[Bearer, T], Awaitable[JsonMap]],
    request: Request,
    read: Callable[[Request, int, Room | None], Awaitable[T]],
) -> Response:
    """The answer to a call. Nothing of its body is read before its bearer is known."""
    size = 0
    try:
        bearer = await _bearer(door, request)
        needed = room_for(request, MAXIMUM_BODY_BYTES)
        if needed:
            await room.take(needed)
            size = needed
        message = await read(request, MAXIMUM_BODY_BYTES, room if size else None)
        if size:
            room.give_back(size)
            size = 0
        return JsonAnswer(await act(bearer, message))
    except Exception as error:  # noqa: BLE001 - the border: for every error, the agent gets a problem document
        response = problem_response(error)
        forget_frames(error)
        return response
    finally:
        if size:
            room.give_back(size)
