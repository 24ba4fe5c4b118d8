"""The answer to a request that is still under way when the grace of a server that stops is over.

The server cancels the request then. Its thread cannot be cancelled, and may carry it out or not; so the client is told
that, as far as its answer has not begun.
"""

import asyncio
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenuto.api.requests.problems import problem


class Ending:
    """An ASGI middleware in front of everything. `is_stopping` tells that the server is to end."""

    def __init__(self, app: ASGIApp, is_stopping: Callable[[], bool]) -> None:
        self._app = app
        self._is_stopping = is_stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_begun = False

        async def noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except asyncio.CancelledError:
            if not self._is_stopping():
                raise
            if not has_begun:
                await _STOPPED(scope, receive, send)


_STOPPED = problem(
    503,
    "stopping",
    "The Conductor stops",
    "The Conductor stopped before the request was answered, so it may be carried out or not. Look at its effect once "
    "the Conductor runs again ('tenuto events'), then try again.",
)
