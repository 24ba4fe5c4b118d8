"""Sign-in of browsers by a secret, by a code of `tenuto web` or at an issuer; and the sign-out.

A request of a session takes from the quota of that session, and one without a session from that of its address. So a
caller who is not signed in cannot slow down those who are.
"""

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tenuto.errors import ForbiddenError, TooManyError
from tenuto.kit.page_url import page_url
from tenuto.service.access.audit import Act as AuditedAct
from tenuto.service.access.audit import Became
from tenuto.service.access.caller_quotas import of_session
from tenuto.service.access.callers import Caller
from tenuto.service.access.sessions import SignedIn
from tenuto.service.services import Services
from tenuto.web.answers import Answers
from tenuto.web.federated import away, back, binding_cookie
from tenuto.web.guard import Door, is_form_token
from tenuto.web.hub import Hub
from tenuto.web.incoming import READING, address_of, form_of, local_path, origin_of, stale_form, theme_of
from tenuto.web.rendering import Renderer
from tenuto.web.threads import Threads


class Signing:
    """The sign-in of one site."""

    def __init__(
        self, services: Services, door: Door, renderer: Renderer, answers: Answers, hub: Hub, threads: Threads
    ) -> None:
        self._services = services
        self._door = door
        self._renderer = renderer
        self._answers = answers
        self._hub = hub
        self._threads = threads

    async def signed(self, request: Request) -> SignedIn | None:
        """The session of a request; None when there is none. Raises TooManyError."""
        cookie = request.cookies.get(self._door.cookie, "")
        signed: SignedIn | None = None
        if cookie:
            is_used = "part" not in request.query_params and request.url.path != "/live"
            signed = await self._threads.run(partial(self._services.sessions.find, cookie, is_used=is_used))
        if signed is None:
            self._services.quotas.check_address(address_of(request))
        else:
            self._services.quotas.check_request(of_session(signed.session))
        return signed

    def audited(self, operation: str, request: Request, caller: Caller | None = None, reason: str = "") -> AuditedAct:
        """The act of a request as the audit tells it."""
        return AuditedAct(
            way="web",
            operation=operation,
            path=request.url.path,
            address=address_of(request),
            caller=caller,
            request=self._services.current.request,
            reason=reason,
        )

    async def login(self, request: Request) -> Response:
        """Show the form to sign in, or take it."""
        try:
            origin = origin_of(request, self._door)
            following = local_path(request.query_params.get("next", ""))
            if request.method in READING:
                if await self.signed(request) is not None:
                    return self._answers.sent(RedirectResponse(following, 303))
                return self._login_page(request, following)
            self._services.quotas.check_address(address_of(request))
            form = await form_of(request, origin)
            following = local_path(form.get("next", ""))
            secret = form.get("secret", "")
            made = await run_in_threadpool(self._begin, secret, address_of(request), request)
            if made is None:
                return self._login_page(request, following, wrong=True)
            return self._entered(made, following)
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._answers.trouble, request, None, error)

    async def away(self, request: Request) -> Response:
        """Send the browser to the issuer to sign in."""
        try:
            self._services.quotas.check_address(address_of(request))
            return self._answers.sent(await away(self._services.identities, self._door, request))
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._answers.trouble, request, None, error)

    async def back(self, request: Request) -> Response:
        """Take the answer of the issuer."""
        try:
            self._services.quotas.check_address(address_of(request))
            made, following = await back(self._services.identities, self._door, request)
            await run_in_threadpool(self._entered_as, self.audited("sign_in", request), made)
            response = self._entered(made, following)
        except Exception as error:  # noqa: BLE001 - as for a page
            await run_in_threadpool(self._services.audit.failed, self.audited("sign_in", request), error)
            response = await run_in_threadpool(self._answers.trouble, request, None, error)
            if isinstance(error, TooManyError):
                # The sign-in is still open, and the page that says so asks again.
                return response
        response.delete_cookie(binding_cookie(self._door), path="/", secure=self._door.is_secure, samesite="lax")
        return response

    async def logout(self, request: Request) -> Response:
        """End the session. A form of another session ends none, and leaves the cookie."""
        signed: SignedIn | None = None
        try:
            form = await form_of(request, origin_of(request, self._door))
            signed = await self.signed(request)
            if signed is not None:
                if not is_form_token(form.get("token", ""), signed.token):
                    raise stale_form()
                end = partial(self._services.sessions.end, signed.session.digest, caller=signed.caller)
                await run_in_threadpool(end)
                self._hub.forget(signed.session.digest)
            response = self._answers.sent(RedirectResponse("/login", 303))
            response.delete_cookie(self._door.cookie, path="/", secure=self._door.is_secure, samesite="strict")
            response.headers["Clear-Site-Data"] = '"storage"'
            return response
        except Exception as error:  # noqa: BLE001 - as for a page
            return await run_in_threadpool(self._answers.trouble, request, signed, error)

    def _entered(self, session_id: str, following: str) -> Response:
        """Give the browser the cookie of its new session, and send it on."""
        response = self._answers.sent(RedirectResponse(following, 303))
        response.set_cookie(
            self._door.cookie, session_id, path="/", httponly=True, samesite="strict", secure=self._door.is_secure
        )
        return response

    def _begin(self, secret: str, address: str, request: Request) -> str | None:
        """The id of a new session, with a line of the audit; None for a wrong secret."""
        told = self.audited("sign_in", request)
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
        self._services.audit.done(told, Became(user=signed.caller.name if signed else ""))

    def _session(self, secret: str, address: str) -> str | None:
        sessions = self._services.sessions
        if secret.startswith("code."):
            return sessions.sign_in_by_code(secret.removeprefix("code."), address)
        return sessions.sign_in(secret, address)

    def _login_page(self, request: Request, following: str, *, wrong: bool = False) -> Response:
        context = {
            "next": following,
            "is_wrong": wrong,
            "is_over": "over" in request.query_params,
            "theme": theme_of(request),
            "issuer_url": page_url("login", "issuer", next="" if following == "/" else following)
            if self._services.identities.has_people
            else "",
        }
        content = self._renderer.page("login.html", context)
        return self._answers.shown(content, status=401 if wrong else 200)
