"""The ASGI application of the dashboard: pages, buttons, sign-in, the stream of marks, and static files.

The service is synchronous, so views and templates run on a thread of the server's pool. Every answer has the headers of
the guard. Cookies are honoured here only: the API under `/v1` takes none.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from tenuto.errors import TooManyError, UserError
from tenuto.model.ids import JsonMap
from tenuto.service.access.audit import Became, shown_digest
from tenuto.service.access.caller_quotas import of_session
from tenuto.service.access.sessions import SignedIn
from tenuto.service.commands.shown_plans import ShownPlans
from tenuto.service.services import Services
from tenuto.web import notes
from tenuto.web.acts import ACTS
from tenuto.web.answers import Answers
from tenuto.web.federated import BACK_PATH, BEGIN_PATH
from tenuto.web.fragments import Fragments
from tenuto.web.guard import Door, is_form_token
from tenuto.web.hub import Hub
from tenuto.web.incoming import (
    READING,
    THEME,
    THEMES,
    RefusedError,
    address_of,
    form_of,
    local_path,
    origin_of,
    stale_form,
)
from tenuto.web.page import Act, Again, Done, Page
from tenuto.web.pages.estate import exported_events
from tenuto.web.pages.table import PAGES
from tenuto.web.rendering import MEDIA_TYPES, Renderer
from tenuto.web.routes import methods_at, page_above, page_of_form, without_slash
from tenuto.web.signing import Signing
from tenuto.web.threads import Threads
from tenuto.web.visit import Visit

_YEAR_S = 365 * 24 * 3600
_BASE = "base.html"


def create_site(services: Services, door: Door, is_stopping: Callable[[], bool] = lambda: False) -> Starlette:
    """The application. `is_stopping` tells that the server is to end, and with it every stream."""
    site = _Site(services, door, is_stopping)
    routes = [Route(one.path, partial(site.page, one), methods=["GET"], name=one.name) for one in PAGES]
    routes += [Route(one.path, partial(site.act, one), methods=["POST"], name=f"do-{one.name}") for one in ACTS]
    routes += [
        Route("/login", site.signing.login, methods=["GET", "POST"]),
        Route(BEGIN_PATH, site.signing.away, methods=["GET"]),
        Route(BACK_PATH, site.signing.back, methods=["GET"]),
        Route("/logout", site.signing.logout, methods=["POST"]),
        Route("/theme", site.theme, methods=["POST"]),
        Route("/live", site.live, methods=["GET"]),
        Route("/events.json", site.export, methods=["GET"]),
        Route("/static/{digest}/{name}", site.static, methods=["GET"]),
    ]
    found = Starlette(routes=routes, exception_handlers={HTTPException: site.refused})
    # It would send a browser to the host that the request names, before the guard has seen it.
    found.router.redirect_slashes = False
    return found


class _Site:
    def __init__(self, services: Services, door: Door, is_stopping: Callable[[], bool]) -> None:
        self._services = services
        self._door = door
        self._renderer = Renderer()
        self._plans = ShownPlans(services.commands)
        self._threads = Threads()
        self._hub = Hub(services, self._threads, is_stopping)
        self._fragments: Fragments[str] = Fragments(lambda: self._hub.turn)
        self._answers = Answers(services, door, self._renderer)
        self.signing = Signing(services, door, self._renderer, self._answers, self._hub, self._threads)

    async def page(self, page: Page, request: Request) -> Response:
        """Answer with a page, or with one part of it."""
        signed: SignedIn | None = None
        part = request.query_params.get("part", "")
        try:
            origin_of(request, self._door)
            signed = await self.signing.signed(request)
            if signed is None:
                return self._answers.to_login(request, is_part=bool(part))
            has_note = part == notes.PART and "head" in page.parts
            if part and part not in page.parts and not has_note:
                raise RefusedError(404, "No such part", f"The page has no part {part!r}.")
            visit = self._visit(request, signed)
            with self._services.quotas.answering(of_session(signed.session)):
                if part:
                    content = await self._part(page, visit, request, part)
                    return self._answers.part(content, signed, request=request)
                shown = partial(self._shown, page, visit, request)
                content = await (run_in_threadpool(shown) if page.asks_provider else self._threads.run(shown))
            return self._answers.shown(content)
        except Exception as error:  # noqa: BLE001 - the border: for every error, the browser gets a page
            return await run_in_threadpool(self._answers.trouble, request, signed, error)

    def _shown(self, page: Page, visit: Visit, request: Request) -> str:
        if page.right is not None:
            visit.check(page.right)
        view = page.view(visit)
        context = {**self._answers.frame(request, visit.signed, page), **view, "note": _note(request, visit, view)}
        return self._renderer.page(page.template, context)

    async def _part(self, page: Page, visit: Visit, request: Request, part: str) -> str:
        """The part for any session of this caller: several that look at the same thing share it."""

        def made() -> str:
            if page.right is not None:
                visit.check(page.right)
            is_about_head = part in ("head", notes.PART)
            view = (page.head if is_about_head and page.head is not None else page.view)(visit)
            if part == notes.PART:
                return self._renderer.part(_BASE, part, {"note": _note(request, visit, view)})
            return self._renderer.part(
                page.template, part, {**self._answers.part_frame(request, visit.signed, page), **view}
            )

        key = (visit.caller, request.url.path, request.url.query)
        return await self._fragments.get(key, partial(self._threads.run, made))

    async def act(self, act: Act, request: Request) -> Response:
        """Do the act of a button, and go on to the page that shows it."""
        signed: SignedIn | None = None
        before = ""
        try:
            origin = origin_of(request, self._door)
            before = page_of_form(request, origin)
            form = await form_of(request, origin)
            signed = await self.signing.signed(request)
            if signed is None:
                return self._answers.signed_out(before)
            if not is_form_token(form.get("token", ""), signed.token):
                raise stale_form()
            visit = self._visit(request, signed, form)
            with self._services.quotas.answering(of_session(signed.session)):
                done = await run_in_threadpool(self._done, act, visit, request)
            if isinstance(done, Done):
                return self._answers.sent(RedirectResponse(f"{done.path}?done={done.note}", 303))
            page = Page(path="", name=act.name, template=done.template, view=lambda _: {})
            frame = self._answers.frame(request, signed, page)
            context = {**frame, "here": done.path, "stands_for": done.path, **done.context}
            content = await run_in_threadpool(self._renderer.page, done.template, context)
            return self._answers.shown(content, status=done.status)
        except Exception as error:  # noqa: BLE001 - the border: for every error, the browser gets a page
            return await run_in_threadpool(self._answers.trouble, request, signed, error, before)

    def _done(self, act: Act, visit: Visit, request: Request) -> Done | Again:
        """Do it, with a line of the audit before and after."""
        audit = self._services.audit
        reason = visit.form.get("reason") or visit.form.get("comment", "")
        told = replace(
            self.signing.audited(act.name, request, visit.caller, reason),
            plan=shown_digest(visit.form.get("digest")),
        )
        audit.begun(told)
        try:
            done = act.run(visit)
        except Exception as error:
            audit.failed(told, error)
            raise
        if isinstance(done, Again):
            audit.failed(told, UserError("another look is needed"))
        else:
            audit.done(told, Became(proposal=done.proposal))
        return done

    async def theme(self, request: Request) -> Response:
        """Keep the theme that a browser wants. It is no secret, and belongs to the browser and not to the user."""
        try:
            form = await form_of(request, origin_of(request, self._door))
            chosen = form.get("theme", "")
            response = self._answers.sent(RedirectResponse(local_path(form.get("next", "")), 303))
            if chosen in THEMES:
                response.set_cookie(
                    THEME, chosen, max_age=_YEAR_S, httponly=True, samesite="strict", secure=self._door.is_secure
                )
            return response
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._answers.trouble, request, None, error)

    async def live(self, request: Request) -> Response:
        """Answer with the stream of marks."""
        try:
            origin_of(request, self._door)
            signed = await self.signing.signed(request)
            if signed is None or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
                return self._answers.sent(Response(status_code=401))
            if request.method == "HEAD":
                return self._answers.sent(Response(media_type="text/event-stream"))
            session_id = request.cookies.get(self._door.cookie, "")
            stream = self._hub.stream(signed, session_id)
            response = StreamingResponse(stream, media_type="text/event-stream")
            return self._answers.sent(response)
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._answers.trouble, request, None, error)

    async def export(self, request: Request) -> Response:
        """Answer with the events of a filter as a file."""
        signed: SignedIn | None = None
        try:
            origin_of(request, self._door)
            signed = await self.signing.signed(request)
            if signed is None:
                return self._answers.to_login(request, is_part=False)
            document = await run_in_threadpool(exported_events, self._visit(request, signed))
            response = self._answers.sent(JSONResponse(document))
            response.headers["Content-Disposition"] = 'attachment; filename="events.json"'
            return response
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._answers.trouble, request, signed, error)

    async def static(self, request: Request) -> Response:
        """Answer with a file. Its path changes with its content, so a browser never asks for it twice."""
        try:
            origin_of(request, self._door)
        except RefusedError as refusal:
            return await run_in_threadpool(self._answers.trouble, request, None, refusal)
        name = request.path_params["name"]
        content = self._renderer.files.get(name)
        if content is None or request.url.path != f"{self._renderer.static}/{name}":
            return self._answers.sent(Response(status_code=404))
        media_type = MEDIA_TYPES[f".{name.rpartition('.')[2]}"]
        response = self._answers.sent(Response(content, media_type=media_type))
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response

    async def refused(self, request: Request, error: Exception) -> Response:
        """Answer a request for a path that there is not, or with a method that it does not take. A page with a slash
        too many behind its path is shown the right one."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        where = request.url.path
        methods = methods_at(request, where)
        signed: SignedIn | None = None
        try:
            origin_of(request, self._door)
            if there := without_slash(request):
                return self._answers.sent(RedirectResponse(there, 308))
            signed = await self.signing.signed(request)
        except (TooManyError, RefusedError) as refusal:
            return await run_in_threadpool(self._answers.trouble, request, None, refusal)
        except Exception:  # noqa: BLE001 - the answer tells of the missing page alone
            signed = None
        page = ""
        if status != HTTPStatus.METHOD_NOT_ALLOWED:
            title, detail = "There is no such page", f"There is no page at {where}."
        elif request.method in READING:
            title, detail = "A button, not a page", f"A button sends to {where} what you ask for. Nothing was done."
            page = page_above(request, where)
        else:
            title, detail = "Not done here", f"{where} does not take {request.method} requests."
        missing = RefusedError(status, title, detail)
        response = await run_in_threadpool(self._answers.trouble, request, signed, missing, page)
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            response.headers["Allow"] = ", ".join(methods)
        return response

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


def _note(request: Request, visit: Visit, view: JsonMap) -> JsonMap | None:
    """The note after an act, as long as it is true."""
    return notes.note_of(request.query_params.get("done", ""), view, user=visit.caller.name)
