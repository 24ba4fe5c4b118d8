"""The front: the API and the dashboard behind one address.

Paths of the API go to the API, which takes secrets and no cookies; every other path goes to the dashboard, which takes
cookies and no secrets in headers. So neither can be reached by what the other one admits.
"""

from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from tenuto.api import create_app
from tenuto.api.request_ids import RequestIds
from tenuto.service.services import Services
from tenuto.web import create_site
from tenuto.web.guard import Door

_OF_API = ("/v1/", "/metrics", "/healthz")


class Front:
    """An ASGI application of two."""

    def __init__(self, api: ASGIApp, site: ASGIApp) -> None:
        self._api = api
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_of_api = path == "/v1" or path.startswith(_OF_API) or "authorization" in _names(scope)
        await (self._api if is_of_api else self._site)(scope, receive, send)


def create_front(services: Services, door: Door, is_stopping: Callable[[], bool]) -> ASGIApp:
    """The application of a Conductor. `door` says where browsers reach it."""
    front = Front(create_app(services, is_stopping), create_site(services, door, is_stopping))
    return RequestIds(front, services.current)


def _names(scope: Scope) -> frozenset[str]:
    return frozenset(name.decode("latin-1") for name, _ in scope.get("headers", ()))
