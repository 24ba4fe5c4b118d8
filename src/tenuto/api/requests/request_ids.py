"""Every request has an id, which its answer tells and which all its effects carry.

A client may name its request (`X-Request-Id`), so that it can ask for the outcome of one that was never answered; a
name that is not well-formed is no id, and the Conductor makes one. An id proves nothing: two users can send the same
one, and each event says who caused it.
"""

import secrets

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenuto.kit.current_request import HEADER, CurrentRequest, is_well_formed


class RequestIds:
    """An ASGI middleware in front of everything, also of the gate: a refusal has an id, too."""

    def __init__(self, app: ASGIApp, current: CurrentRequest) -> None:
        self._app = app
        self._current = current

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        request = given if is_well_formed(given) else secrets.token_hex(8)

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)[HEADER] = request
            await send(message)

        with self._current.of(request):
            await self._app(scope, receive, named)
