"""Questions about the routes of the site: which methods a path takes, and which page a request came from or meant."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.routing import Match, Route

from tenuto.web.incoming import READING, local_path


def page_of_form(request: Request, origin: str) -> str:
    """The path of the page that a form was on, without its query; the overview where that page cannot be asked for."""
    page = request.headers.get("referer", "")
    path = local_path(page.removeprefix(origin).partition("?")[0]) if page.startswith(f"{origin}/") else "/"
    return path if "GET" in methods_at(request, path) else "/"


def page_above(request: Request, path: str) -> str:
    """The path of the nearest page above a path that is no page."""
    parts = path.split("/")
    paths = ("/".join(parts[:count]) for count in range(len(parts) - 1, 1, -1))
    return next((one for one in paths if "GET" in methods_at(request, one)), "/")


def methods_at(request: Request, path: str) -> list[str]:
    """The methods of all routes of a path."""
    scope = {**request.scope, "path": path}
    found = [one for one in request.app.routes if isinstance(one, Route) and one.matches(scope)[0] is not Match.NONE]
    return sorted({method for one in found for method in one.methods or ()})


def without_slash(request: Request) -> str:
    """The path of a page, where a slash too many stands behind it; else empty."""
    path = request.url.path
    bare = path.rstrip("/")
    if bare in ("", path) or request.method not in READING or "GET" not in methods_at(request, bare):
        return ""
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{quote(bare)}{query}"
