"""The ASGI application of the dashboard: pages, buttons, sign-in, the stream of marks, and static files.

The service is synchronous, so views and templates run on a thread of the server's pool. Every answer has the headers of
the guard. Cookies are honoured here only: the API under `/v1` takes none.
"""

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tenuto.errors import ForbiddenError, UserError
from tenuto.service.audit import Act as AuditedAct
from tenuto.service.gatekeeper import Caller
from tenuto.service.services import Services
from tenuto.service.sessions import SignedIn
from tenuto.service.shown_plans import ShownPlans
from tenuto.web.acts import ACTS, NOTES
from tenuto.web.federated import BACK_PATH, BEGIN_PATH, away, back, binding_cookie
from tenuto.web.guard import HEADERS, STRICT_TRANSPORT, Door, form_token, is_form_token
from tenuto.web.hub import Hub, TooManyStreamsError
from tenuto.web.incoming import THEME, THEMES, RefusedError, address_of, form_of, local_path, origin_of, theme_of, told
from tenuto.web.page import Act, Again, Done, Page
from tenuto.web.pages.estate import exported_events
from tenuto.web.pages.table import PAGES
from tenuto.web.rendering import MEDIA_TYPES, Renderer, page_url
from tenuto.web.visit import Visit

_YEAR_S = 365 * 24 * 3600


def create_site(services: Services, door: Door, is_stopping: Callable[[], bool] = lambda: False) -> Starlette:
    """The application. `is_stopping` tells that the server is to end, and with it every stream."""
    site = _Site(services, door, is_stopping)
    routes = [Route(one.path, partial(site.page, one), methods=["GET"], name=one.name) for one in PAGES]
    routes += [Route(one.path, partial(site.act, one), methods=["POST"], name=f"do-{one.name}") for one in ACTS]
    routes += [
        Route("/login", site.login, methods=["GET", "POST"]),
        Route(BEGIN_PATH, site.away, methods=["GET"]),
        Route(BACK_PATH, site.back, methods=["GET"]),
        Route("/logout", site.logout, methods=["POST"]),
        Route("/theme", site.theme, methods=["POST"]),
        Route("/live", site.live, methods=["GET"]),
        Route("/events.json", site.export, methods=["GET"]),
        Route("/static/{digest}/{name}", site.static, methods=["GET"]),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: site.refused})


class _Site:
    def __init__(self, services: Services, door: Door, is_stopping: Callable[[], bool]) -> None:
        self._services = services
        self._door = door
        self._renderer = Renderer()
        self._plans = ShownPlans(services.commands)
        self._hub = Hub(services, is_stopping)

    async def page(self, page: Page, request: Request) -> Response:
        """Answer with a page, or with one part of it."""
        signed: SignedIn | None = None
        part = request.query_params.get("part", "")
        try:
            origin_of(request, self._door)
            signed = await self._signed(request)
            if signed is None:
                return self._to_login(request, is_part=bool(part))
            if part and part not in page.parts:
                raise RefusedError(404, "No such part", f"The page has no part {part!r}.")
            visit = self._visit(request, signed)
            content = await run_in_threadpool(self._shown, page, visit, request, part)
            return self._answer(content, request=request, is_part=bool(part))
        except Exception as error:  # noqa: BLE001 - the border: whatever happens, the browser gets a page
            return await run_in_threadpool(self._trouble, request, signed, error)

    def _shown(self, page: Page, visit: Visit, request: Request, part: str) -> str:
        if page.right is not None:
            visit.check(page.right)
        view = page.head if part == "head" and page.head is not None else page.view
        context = {**self._frame(request, visit.signed, page), **view(visit)}
        if part:
            return self._renderer.part(page.template, part, context)
        return self._renderer.page(page.template, context)

    async def act(self, act: Act, request: Request) -> Response:
        """Do what a button says, and go on to the page that shows it."""
        signed: SignedIn | None = None
        try:
            origin = origin_of(request, self._door)
            form = await form_of(request, origin)
            signed = await self._signed(request)
            if signed is None:
                return self._to_login(request, is_part=False)
            if not is_form_token(form.get("token", ""), signed.token):
                raise RefusedError(
                    403, "The form is too old", "The form does not belong to this session. Load the page again."
                )
            visit = self._visit(request, signed, form)
            done = await run_in_threadpool(self._done, act, visit, request)
            if isinstance(done, Done):
                return self._answer_with(RedirectResponse(f"{done.path}?done={done.note}", 303))
            page = Page(path="", name=act.name, template=done.template, view=lambda _: {})
            context = {**self._frame(request, signed, page), **done.context}
            content = await run_in_threadpool(self._renderer.page, done.template, context)
            return self._answer(content, request=request, status=done.status)
        except Exception as error:  # noqa: BLE001 - the border: whatever happens, the browser gets a page
            return await run_in_threadpool(self._trouble, request, signed, error)

    def _done(self, act: Act, visit: Visit, request: Request) -> Done | Again:
        """Do it, with a line of the audit before and after."""
        audit, told = self._services.audit, self._audited(act.name, request, visit.caller)
        audit.begun(told)
        try:
            done = act.run(visit)
        except Exception as error:
            audit.failed(told, error)
            raise
        if isinstance(done, Again):
            audit.failed(told, UserError("another look is needed"))
        else:
            audit.done(told)
        return done

    def _audited(self, operation: str, request: Request, caller: Caller | None = None) -> AuditedAct:
        return AuditedAct(
            way="web",
            operation=operation,
            path=request.url.path,
            address=address_of(request),
            caller=caller,
            request=self._services.current.request,
        )

    async def login(self, request: Request) -> Response:
        """Show the form to sign in, or take it."""
        try:
            origin = origin_of(request, self._door)
            following = local_path(request.query_params.get("next", ""))
            if request.method == "GET":
                if await self._signed(request) is not None:
                    return self._answer_with(RedirectResponse(following, 303))
                return self._login_page(request, following)
            form = await form_of(request, origin)
            following = local_path(form.get("next", ""))
            secret = form.get("secret", "")
            made = await run_in_threadpool(self._begin, secret, address_of(request), request)
            if made is None:
                return self._login_page(request, following, wrong=True)
            return self._entered(made, following)
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._trouble, request, None, error)

    def _entered(self, session_id: str, following: str) -> Response:
        """Give the browser the cookie of its new session, and send it on."""
        response = self._answer_with(RedirectResponse(following, 303))
        response.set_cookie(
            self._door.cookie, session_id, path="/", httponly=True, samesite="strict", secure=self._door.is_secure
        )
        return response

    async def away(self, request: Request) -> Response:
        """Send the browser to the issuer to sign in."""
        try:
            return self._answer_with(await away(self._services.identities, self._door, request))
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._trouble, request, None, error)

    async def back(self, request: Request) -> Response:
        """Take the answer of the issuer."""
        try:
            made, following = await back(self._services.identities, self._door, request)
            await run_in_threadpool(self._entered_as, self._audited("sign_in", request), made)
            response = self._entered(made, following)
        except Exception as error:  # noqa: BLE001 - as for a page
            await run_in_threadpool(self._services.audit.failed, self._audited("sign_in", request), error)
            response = await run_in_threadpool(self._trouble, request, None, error)
        response.delete_cookie(binding_cookie(self._door), path="/", secure=self._door.is_secure, samesite="lax")
        return response

    def _begin(self, secret: str, address: str, request: Request) -> str | None:
        """The id of a new session, with a line of the audit; None for a wrong secret."""
        told = self._audited("sign_in", request)
        try:
            made = self._session(secret, address)
        except Exception as error:
            self._services.audit.failed(told, error)
            raise
        if made is None:
            self._services.audit.failed(told, ForbiddenError("a wrong secret"))
        else:
            self._entered_as(told, made)
        return made

    def _entered_as(self, told: AuditedAct, session_id: str) -> None:
        signed = self._services.sessions.find(session_id)
        self._services.audit.done(told, user=signed.caller.name if signed else "")

    def _session(self, secret: str, address: str) -> str | None:
        sessions = self._services.sessions
        if secret.startswith("code."):
            return sessions.sign_in_by_code(secret.removeprefix("code."), address)
        return sessions.sign_in(secret, address)

    def _login_page(self, request: Request, following: str, *, wrong: bool = False) -> Response:
        context = {
            "next": following,
            "is_wrong": wrong,
            "theme": theme_of(request),
            "issuer_url": page_url("login", "issuer", next="" if following == "/" else following)
            if self._services.identities.has_people
            else "",
        }
        content = self._renderer.page("login.html", context)
        return self._answer(content, request=request, status=401 if wrong else 200)

    async def logout(self, request: Request) -> Response:
        """End the session."""
        try:
            form = await form_of(request, origin_of(request, self._door))
            signed = await self._signed(request)
            if signed is not None and is_form_token(form.get("token", ""), signed.token):
                end = partial(self._services.sessions.end, signed.session.digest, caller=signed.caller)
                await run_in_threadpool(end)
                self._hub.forget(signed.session.digest)
            response = self._answer_with(RedirectResponse("/login", 303))
            response.delete_cookie(self._door.cookie, path="/", secure=self._door.is_secure, samesite="strict")
            response.headers["Clear-Site-Data"] = '"storage"'
            return response
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._trouble, request, None, error)

    async def theme(self, request: Request) -> Response:
        """Keep the theme that a browser wants. It is no secret, and belongs to the browser and not to the user."""
        try:
            form = await form_of(request, origin_of(request, self._door))
            chosen = form.get("theme", "")
            response = self._answer_with(RedirectResponse(local_path(form.get("next", "")), 303))
            if chosen in THEMES:
                response.set_cookie(
                    THEME, chosen, max_age=_YEAR_S, httponly=True, samesite="strict", secure=self._door.is_secure
                )
            return response
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._trouble, request, None, error)

    async def live(self, request: Request) -> Response:
        """Answer with the stream of marks."""
        try:
            origin_of(request, self._door)
            signed = await self._signed(request)
            if signed is None or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
                return self._answer_with(Response(status_code=401))
            session_id = request.cookies.get(self._door.cookie, "")
            stream = self._hub.stream(signed, session_id)
            response = StreamingResponse(stream, media_type="text/event-stream")
            return self._answer_with(response)
        except TooManyStreamsError:
            return self._answer_with(Response(status_code=503, headers={"Retry-After": "30"}))
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._trouble, request, None, error)

    async def export(self, request: Request) -> Response:
        """Answer with the events of a filter as a file."""
        signed: SignedIn | None = None
        try:
            origin_of(request, self._door)
            signed = await self._signed(request)
            if signed is None:
                return self._to_login(request, is_part=False)
            document = await run_in_threadpool(exported_events, self._visit(request, signed))
            response = self._answer_with(JSONResponse(document))
            response.headers["Content-Disposition"] = 'attachment; filename="events.json"'
            return response
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._trouble, request, signed, error)

    async def static(self, request: Request) -> Response:
        """Answer with a file. Its path changes with its content, so a browser never asks for it twice."""
        name = request.path_params["name"]
        content = self._renderer.files.get(name)
        if content is None:
            return self._answer_with(Response(status_code=404))
        media_type = MEDIA_TYPES[f".{name.rpartition('.')[2]}"]
        response = self._answer_with(Response(content, media_type=media_type))
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response

    async def refused(self, request: Request, error: Exception) -> Response:
        """Answer a request for a path that there is not, or with a method that it does not take."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        missing = RefusedError(status, HTTPStatus(status).phrase, f"There is no page at {request.url.path}.")
        try:
            origin_of(request, self._door)
            signed = await self._signed(request)
        except Exception:  # noqa: BLE001 - the page that is missing is what there is to tell
            signed = None
        return await run_in_threadpool(self._trouble, request, signed, missing)

    async def _signed(self, request: Request) -> SignedIn | None:
        cookie = request.cookies.get(self._door.cookie, "")
        if not cookie:
            return None
        is_used = "part" not in request.query_params and request.url.path != "/live"
        return await run_in_threadpool(partial(self._services.sessions.find, cookie, is_used=is_used))

    def _to_login(self, request: Request, *, is_part: bool) -> Response:
        """Answer a browser without a session. One that comes from another site sends no cookie at first, so it is asked
        to come again from here."""
        if is_part:
            return self._answer_with(Response(status_code=401))
        if request.headers.get("sec-fetch-site") == "cross-site" and "arrived" not in request.query_params:
            there = [*request.query_params.multi_items(), ("arrived", "1")]
            context = {"there": f"{request.url.path}?{urlencode(there)}", "theme": theme_of(request)}
            return self._answer(self._renderer.page("arrived.html", context), request=request)
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        if request.method != "GET":
            here = "/"
        return self._answer_with(RedirectResponse(page_url("login", next="" if here == "/" else here), 303))

    def _visit(self, request: Request, signed: SignedIn, form: Mapping[str, str] | None = None) -> Visit:
        return Visit(
            services=self._services,
            plans=self._plans,
            signed=signed,
            address=address_of(request),
            path=request.path_params,
            query=dict(request.query_params),
            form=form or {},
        )

    def _frame(self, request: Request, signed: SignedIn, page: Page) -> dict[str, Any]:
        """The values that every page shows around its view."""
        gatekeeper = self._services.gatekeeper
        menu = [
            {"name": one.name, "menu": one.menu, "path": one.path, "is_main": one.is_main}
            for one in PAGES
            if one.menu and (one.right is None or gatekeeper.allows(signed.caller, one.right))
        ]
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return {
            "user": signed.caller.name,
            "token": form_token(signed.token),
            "menu": menu,
            "page": page.name,
            "here": here if request.method == "GET" else "/",
            "query": dict(request.query_params),
            "note": NOTES.get(request.query_params.get("done", ""), ""),
            "theme": theme_of(request),
            "now": self._services.sessions.now(),
        }

    def _trouble(self, request: Request, signed: SignedIn | None, error: Exception) -> Response:
        status, title, detail, moved = told(error)
        is_part = "part" in request.query_params
        if is_part:
            return self._answer_with(Response(detail, status_code=status, media_type="text/plain"))
        context: dict[str, Any] = {"status": status, "title": title, "detail": detail, "moved": moved}
        if signed is None:
            content = self._renderer.page("signed_out.html", {**context, "theme": theme_of(request)})
        else:
            page = Page(path="", name="trouble", template="trouble.html", view=lambda _: {})
            content = self._renderer.page("trouble.html", {**self._frame(request, signed, page), **context})
        return self._answer(content, request=request, status=status)

    def _answer(self, content: str, *, request: Request, status: int = 200, is_part: bool = False) -> Response:
        if not is_part:
            return self._answer_with(HTMLResponse(content, status))
        etag = f'"{hashlib.sha256(content.encode()).hexdigest()[:32]}"'
        if request.headers.get("if-none-match") == etag:
            return self._answer_with(Response(status_code=304, headers={"ETag": etag}))
        return self._answer_with(HTMLResponse(content, status, headers={"ETag": etag}))

    def _answer_with(self, response: Response) -> Response:
        response.headers.update(HEADERS)
        if self._door.is_secure:
            response.headers["Strict-Transport-Security"] = STRICT_TRANSPORT
        return response
