"""Answers of the dashboard: a page in its frame, a part of it, and the words for a request that fails.

Every answer has the headers of the guard. A page that only tells a caller to wait is the cheapest there is: it has no
menu, whose every word asks for a right.
"""

import hashlib
import secrets
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tenuto.errors import TooManyError
from tenuto.kit.page_url import page_url
from tenuto.service.access.sessions import SignedIn
from tenuto.service.commands.exports_in_use import as_told
from tenuto.service.services import Services
from tenuto.web.guard import HEADERS, STRICT_TRANSPORT, Door, form_token
from tenuto.web.incoming import READING, local_path, theme_of, told
from tenuto.web.page import Page
from tenuto.web.pages.table import PAGES
from tenuto.web.rendering import Renderer


class Answers:
    """Makes the answers of one site. Rendering takes a while: call it on a thread."""

    def __init__(self, services: Services, door: Door, renderer: Renderer) -> None:
        self._services = services
        self._door = door
        self._renderer = renderer
        # The word is random, so no text that a page shows can hold it; the field of a form alone does.
        self._token_word = secrets.token_hex(32)

    def frame(self, request: Request, signed: SignedIn, page: Page) -> dict[str, Any]:
        """The values that every page shows around its view."""
        gatekeeper = self._services.gatekeeper
        menu = [
            {"name": one.name, "menu": one.menu, "path": one.path, "is_main": one.is_main}
            for one in PAGES
            if one.menu and (one.right is None or gatekeeper.allows(signed.caller, one.right))
        ]
        here = _here(request)
        return {
            **self.part_frame(request, signed, page),
            "token": form_token(signed.token),
            "menu": menu,
            "here": here if request.method in READING else "/",
            "stands_for": "",
            "note": None,
            "theme": theme_of(request),
        }

    def part_frame(self, request: Request, signed: SignedIn, page: Page) -> dict[str, Any]:
        """The values that a part may show beside its view: the same for every session of a caller."""
        return {
            "user": signed.caller.name,
            "token": self._token_word,
            "page": page.name,
            "query": dict(request.query_params),
            "now": self._services.sessions.now(),
        }

    def trouble(self, request: Request, signed: SignedIn | None, error: Exception, before: str = "") -> Response:
        """Answer with the error. `before` is the page of the form, where a form was answered."""
        if signed is not None:
            error = as_told(error, self._services.gatekeeper, signed.caller)
        status, title, detail, moved = told(error)
        retry_s = error.retry_after_s if isinstance(error, TooManyError) else 0
        if "part" in request.query_params:
            response = self.sent(Response(detail, status_code=status, media_type="text/plain"))
        else:
            context: dict[str, Any] = {"status": status, "title": title, "detail": detail, "moved": moved}
            if retry_s:
                # A browser loads a page again by itself; only a person may repeat the act of a button.
                again_s = retry_s if request.method in READING else 0
                content = self._renderer.page(
                    "busy.html",
                    {**context, "again_s": again_s, "here": local_path(_here(request)), "theme": theme_of(request)},
                )
            elif signed is None:
                content = self._renderer.page("signed_out.html", {**context, "theme": theme_of(request)})
            else:
                page = Page(path="", name="trouble", template="trouble.html", view=lambda _: {})
                frame = self.frame(request, signed, page)
                if before:
                    frame |= {"stands_for": before, "here": before}
                content = self._renderer.page("trouble.html", {**frame, **context})
            response = self.shown(content, status=status)
        if retry_s:
            response.headers["Retry-After"] = str(retry_s)
        return response

    def to_login(self, request: Request, *, is_part: bool) -> Response:
        """Answer a browser without a session. One that comes from another site sends no cookie at first, so it is asked
        to come again from here."""
        if is_part:
            return self.sent(Response(status_code=401))
        if request.headers.get("sec-fetch-site") == "cross-site" and "arrived" not in request.query_params:
            there = [*request.query_params.multi_items(), ("arrived", "1")]
            context = {"there": f"{request.url.path}?{urlencode(there)}", "theme": theme_of(request)}
            return self.shown(self._renderer.page("arrived.html", context))
        here = _here(request)
        return self.sent(RedirectResponse(page_url("login", next="" if here == "/" else here), 303))

    def signed_out(self, page: str) -> Response:
        """Answer a form of a session that is over: the sign-in says so, and leads back to the page of the form."""
        return self.sent(RedirectResponse(page_url("login", next="" if page == "/" else page, over="1"), 303))

    def shown(self, content: str, *, status: int = 200) -> Response:
        """Answer with a page."""
        return self.sent(HTMLResponse(content, status))

    def part(self, content: str, signed: SignedIn, *, request: Request) -> Response:
        """Answer with a part of a page, which the browser may have already. Its forms get the token of the session
        here: the token is masked anew each time, so that a part with it would never be the same as before."""
        etag = f'"{hashlib.sha256(content.encode()).hexdigest()[:32]}"'
        if request.headers.get("if-none-match") == etag:
            return self.sent(Response(status_code=304, headers={"ETag": etag}))
        own = content.replace(self._token_word, form_token(signed.token))
        return self.sent(HTMLResponse(own, headers={"ETag": etag}))

    def sent(self, response: Response) -> Response:
        """The answer with the headers of the guard."""
        response.headers.update(HEADERS)
        if self._door.is_secure:
            response.headers["Strict-Transport-Security"] = STRICT_TRANSPORT
        return response


def _here(request: Request) -> str:
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")
