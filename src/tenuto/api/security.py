"""The gate: nothing answers without the secret, except the health probe.

The secret travels in the `Authorization` header, which no browser adds by itself: there are no cookies, so neither a
foreign page nor a name that resolves to this machine can make a request that passes.
"""

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from tenuto.api.problems import problem
from tenuto.service.access import is_secret

HEALTH_PATH = "/healthz"


class SecretGate:
    """ASGI middleware in front of everything."""

    def __init__(self, app: ASGIApp, secret: str) -> None:
        self._app = app
        self._secret = secret

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == HEALTH_PATH or self._is_open(Request(scope)):
            await self._app(scope, receive, send)
            return
        refusal = problem(
            401,
            "permission",
            "No access",
            "The request has no valid secret. Send 'Authorization: Bearer SECRET'; the Conductor wrote its secret to "
            "its credentials file.",
        )
        await refusal(scope, receive, send)

    def _is_open(self, request: Request) -> bool:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and is_secret(given.strip(), self._secret)
