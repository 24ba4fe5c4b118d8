"""The reading of a browser's requests: the host, the form, the theme, and the words for a request that is refused."""

import uuid
from collections.abc import Mapping
from urllib.parse import parse_qsl

import structlog
from starlette.requests import ClientDisconnect, Request

from tenuto.errors import PlanMovedError
from tenuto.service.families import FAMILIES
from tenuto.web.guard import Door, is_own

READING = ("GET", "HEAD")
"""The methods that change nothing."""
LARGEST_FORM_BYTES = 64 * 1024
MOST_FIELDS = 100
THEMES = ("system", "light", "dark")
THEME = "tenuto-theme"

_log = structlog.get_logger("tenuto.web")


class RefusedError(Exception):
    """A request that no page sees."""

    def __init__(self, status: int, title: str, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.title = title


def origin_of(request: Request, door: Door) -> str:
    """The site's own origin, by the host of the request. Raises RefusedError for a host that is not ours."""
    origin = door.origin_of(request.headers.get("host", ""))
    if origin is None:
        raise RefusedError(
            421,
            "Another host",
            "This server does not answer by that name. Use the URL that 'tenuto web' prints, or start the "
            "Conductor with --public-url.",
        )
    return origin


async def form_of(request: Request, origin: str) -> Mapping[str, str]:
    """The fields of a form that a page of the site has sent. Raises RefusedError."""
    if not is_own(request.headers, origin):
        raise RefusedError(403, "Another site", "The request does not come from a page of this site. Nothing was done.")
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/x-www-form-urlencoded":
        raise RefusedError(415, "Not a form", "The request must hold the fields of a form. Nothing was done.")
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST_FORM_BYTES:
                raise RefusedError(413, "Too large", "The form is too large. Nothing was done.")
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, strict_parsing=bool(body))
    except (ValueError, ClientDisconnect) as wrong:
        raise RefusedError(400, "Not a form", "The form cannot be read. Nothing was done.") from wrong
    return dict(pairs)


def stale_form() -> RefusedError:
    """The error for a form with the token of another session."""
    return RefusedError(
        403, "The form is too old", "The form does not belong to this session. Load the page again. Nothing was done."
    )


def told(error: Exception) -> tuple[int, str, str, tuple[str, ...]]:
    """The status, title and words of an error, and the differences of a plan that moved."""
    if isinstance(error, RefusedError):
        return error.status, error.title, str(error), ()
    for family, status, _, title in FAMILIES:
        if isinstance(error, family):
            moved = tuple(error.moved) if isinstance(error, PlanMovedError) else ()
            return status, title, str(error), moved
    incident = uuid.uuid4().hex[:12]
    _log.error("web.bug", incident=incident, exc_info=error)
    detail = f"The Conductor's log has the details under the incident {incident}. Please report them."
    return 500, "A fault of Tenuto", detail, ()


def local_path(path: str) -> str:
    """A path of the site; the overview for anything else."""
    is_local = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if is_local and not path.startswith("/log") else "/"


def theme_of(request: Request) -> str:
    """The theme that the browser keeps; that of its system where it keeps none."""
    chosen = request.cookies.get(THEME, "")
    return chosen if chosen in THEMES else "system"


def address_of(request: Request) -> str:
    """The network address of the browser, or of the proxy before it."""
    return request.client.host if request.client else "unknown"
