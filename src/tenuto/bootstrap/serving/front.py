"""The front: the API and the dashboard behind one address.

Paths of the API go to the API, which takes secrets and no cookies; every other path goes to the dashboard, which takes
cookies and no secrets in headers. So neither can be reached by the credentials that the other one admits.
"""

from collections.abc import Callable
from urllib.parse import unquote

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tenuto.api import create_app
from tenuto.api.requests.request_ids import RequestIds
from tenuto.service.services import Services
from tenuto.web import create_site
from tenuto.web.guard import HEADERS, Door

LARGEST_HEAD_BYTES = 16 * 1024
"""The most that one request may say before its body. The parser of the server looks at its own bound only while a head
is not complete, so one that comes in a single packet could be sixteen times as large."""
_OF_API = ("/v1/", "/metrics", "/healthz")
_TOO_LARGE = PlainTextResponse(
    f"The head of the request is larger than {LARGEST_HEAD_BYTES // 1024} KiB. Nothing was done.\n",
    status_code=431,
    headers=dict(HEADERS),
)
_TWO_LENGTHS = PlainTextResponse(
    "A request has Content-Length or Transfer-Encoding, and not both. Nothing was done.\n",
    status_code=400,
    headers={**HEADERS, "Connection": "close"},
)
"""The answer to a request whose end a proxy may see elsewhere: the bytes that follow on the connection could be the
request of another user, so it is closed (RFC 9112, 6.1)."""
_LENGTHS = frozenset({"content-length", "transfer-encoding"})


class Front:
    """An ASGI application of two."""

    def __init__(self, api: ASGIApp, site: ASGIApp) -> None:
        self._api = api
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope = _in_origin_form(scope)
        if _head_bytes(scope) > LARGEST_HEAD_BYTES:
            await _TOO_LARGE(scope, receive, send)
            return
        names = _names(scope)
        if names >= _LENGTHS:
            await _TWO_LENGTHS(scope, receive, send)
            return
        path = scope.get("path", "")
        is_of_api = path == "/v1" or path.startswith(_OF_API) or "authorization" in names
        await (self._api if is_of_api else self._site)(scope, receive, send)


def create_front(services: Services, door: Door, is_stopping: Callable[[], bool]) -> ASGIApp:
    """The application of a Conductor. `door` says where browsers reach it."""
    front = Front(create_app(services, is_stopping), create_site(services, door, is_stopping))
    return RequestIds(front, services.current)


def _in_origin_form(scope: Scope) -> Scope:
    """The request without the scheme and the host of an absolute target, which a server must accept (RFC 9112, 3.2.2).
    Its host takes the place of the header's, so that the guard judges the host that the client asked for."""
    target = scope.get("raw_path") or b""
    scheme, _, rest = target.partition(b"://")
    if scheme.lower() not in (b"http", b"https"):
        return scope
    host, slash, path = rest.partition(b"/")
    raw = slash + path or b"/"
    headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
    return {**scope, "path": unquote(raw), "raw_path": raw, "headers": [(b"host", host), *headers]}


def _head_bytes(scope: Scope) -> int:
    fields = sum(len(name) + len(value) for name, value in scope.get("headers", ()))
    return len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"") + fields


def _names(scope: Scope) -> frozenset[str]:
    return frozenset(name.decode("latin-1") for name, _ in scope.get("headers", ()))
