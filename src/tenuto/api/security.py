"""The gate: nothing answers without a secret, except the health probe and the sign-in.

The secret travels in the `Authorization` header, which no browser adds by itself: there are no cookies, so neither a
foreign page nor a name that resolves to this machine can make a request that passes. A user who passes is known by name
from here on (`scope[CALLER]`).

A request takes from the quota of its caller, or of its network address where it has no valid secret. The probe takes
from none: who looks whether the Conductor lives may have the address of those who ask too much.
"""

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tenuto.api.requests.problems import problem, problem_response
from tenuto.api.routes.sign_in_routes import SIGN_IN_PATH
from tenuto.api.transport.known_callers import mark_known
from tenuto.errors import StoreError, TooManyError
from tenuto.kit.times import iso_text
from tenuto.service.access.caller_quotas import CallerQuotas, of_caller
from tenuto.service.access.callers import Caller
from tenuto.service.access.gatekeeper import Gatekeeper

HEALTH_PATH = "/healthz"
CALLER = "tenuto.caller"


class SecretGate:
    """An ASGI middleware in front of everything, which admits requests with a valid secret."""

    def __init__(
        self, app: ASGIApp, gatekeeper: Gatekeeper, quotas: CallerQuotas, told: Callable[[str, str], None]
    ) -> None:
        """`told` is told of each request without a valid secret: its path and its address."""
        self._app = app
        self._told = told
        self._gatekeeper = gatekeeper
        self._quotas = quotas

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] == HEALTH_PATH:
            await self._app(scope, receive, send)
            return
        try:
            if scope["path"] == SIGN_IN_PATH:
                # The caller has no name yet, also one who has sent a secret.
                caller: Caller | None = Caller(name="")
            else:
                caller = await self._caller(Request(scope))
            if caller is not None and caller.name:
                mark_known(scope)
                self._quotas.check_request(of_caller(caller))
            else:
                self._quotas.check_address(_address(scope))
        except (StoreError, TooManyError) as error:
            await problem_response(error)(scope, receive, send)
            return
        if caller is not None:
            scope[CALLER] = caller
            await self._app(scope, receive, send)
            return
        await run_in_threadpool(self._told, scope["path"], _address(scope))
        refusal = await run_in_threadpool(self._refusal, _secret(Request(scope)))
        await refusal(scope, receive, send)

    async def _caller(self, request: Request) -> Caller | None:
        given = _secret(request)
        # On a thread: for a user the store is asked, and the first answer takes a moment of arithmetic.
        return await run_in_threadpool(self._gatekeeper.recognise, given) if given else None

    def _refusal(self, given: str) -> Response:
        try:
            ended_at = self._gatekeeper.ended_at(given) if given else None
        except StoreError as error:
            return problem_response(error)
        if ended_at is not None:
            ended = iso_text(ended_at)
            told = f"The secret has expired, at {ended}. 'tenuto login' or 'tenuto user token add' makes another one."
            return problem(401, "permission", "No access", told, expired=ended)
        return problem(
            401,
            "permission",
            "No access",
            "The request has no valid secret. Send 'Authorization: Bearer SECRET'; the Conductor wrote that of its "
            "owner to its credentials file, and 'tenuto user generate-secret' makes one for a user.",
        )


def _secret(request: Request) -> str:
    """The secret of a request; empty when there is none."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""


def _address(scope: Scope) -> str:
    return scope["client"][0] if scope.get("client") else "unknown"
