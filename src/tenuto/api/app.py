"""The ASGI application: the table of routes over the service, behind the gate.

The service is synchronous, so every handler runs on a thread of the server's pool. A stream of events never ends by
itself: the server that runs the application tells it when to, and should bound the graceful shutdown besides.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from http import HTTPStatus

import structlog
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

import tenuto
from tenuto.api.authorization import admitted, authorized
from tenuto.api.handlers import history_handlers
from tenuto.api.openapi import openapi_document
from tenuto.api.requests.audited import AuditedError, carried_out, tell_refused
from tenuto.api.requests.calls import Call, Fields
from tenuto.api.requests.json_answer import JsonAnswer
from tenuto.api.requests.problems import problem, problem_response
from tenuto.api.requests.route import ApiRoute, Open, SentFile
from tenuto.api.routes.every import ROUTES
from tenuto.api.routes.sign_in_routes import LARGEST_SIGN_IN_BYTES
from tenuto.api.security import CALLER, HEALTH_PATH, SecretGate
from tenuto.api.transport.bodies import (
    BYTES,
    MAXIMUM_BODY_BYTES,
    MAXIMUM_COMPOSITION_BODY_BYTES,
    Room,
    collect_young,
    forget_frames,
    read_body,
    read_bytes,
    room_for,
)
from tenuto.api.transport.streams import HeldStream, event_stream
from tenuto.errors import ForbiddenError, NoProcessError, StoreError
from tenuto.model.access import Right
from tenuto.model.ids import JsonMap
from tenuto.service.access.caller_quotas import of_caller
from tenuto.service.access.callers import Place
from tenuto.service.commands.exports_in_use import as_told
from tenuto.service.services import Services

_log = structlog.get_logger("tenuto.api")


def _never() -> bool:
    return False


def create_app(services: Services, is_stopping: Callable[[], bool] = _never) -> Starlette:
    """The application.

    `is_stopping` tells that the server wants to end: streams of events end with it, instead of being torn off.
    """
    room = Room()
    routes = [
        Route(one.path, partial(_answer, one, services, is_stopping, room), methods=[one.method], name=one.operation)
        for one in ROUTES
    ]

    def stranger(path: str, address: str) -> None:
        services.audit.stranger(path, address, services.current.request)

    routes.append(Route("/v1/openapi.json", _openapi, methods=["GET"]))
    routes.append(Route("/metrics", partial(_metrics, services), methods=["GET"]))
    routes.append(Route(HEALTH_PATH, partial(_health, services), methods=["GET"]))
    found = Starlette(
        routes=routes,
        middleware=[Middleware(SecretGate, gatekeeper=services.gatekeeper, quotas=services.quotas, told=stranger)],
        exception_handlers={HTTPException: _http_error},
    )
    # It would send a client to the host that the request names.
    found.router.redirect_slashes = False
    return found


async def _answer(
    route: ApiRoute, services: Services, is_stopping: Callable[[], bool], room: Room, request: Request
) -> Response:
    """The answer to a request, of which nothing but the answer is left."""
    size = 0
    call = Call(
        services=services,
        caller=request.scope[CALLER],
        path=request.path_params,
        query=Fields.of_query(request.query_params.multi_items()),
        address=request.client.host if request.client else "",
    )
    try:
        if route.method != "GET":
            needed = room_for(request, _largest_body(route))
            if needed:
                await run_in_threadpool(admitted, route, call)
                await room.take(needed)
                size = needed
        if _is_stream(route, call, request):
            return await _response(route, call, is_stopping, room if size else None, request)
        with services.quotas.answering(of_caller(call.caller) or call.address):
            return await _response(route, call, is_stopping, room if size else None, request)
    except Exception as raised:  # noqa: BLE001 - the border: for every error, the client gets a problem document
        error = raised.error if isinstance(raised, AuditedError) else raised
        if error is raised:
            await run_in_threadpool(tell_refused, route, call, error)
        response = problem_response(await run_in_threadpool(_told, services, request, error))
        forget_frames(raised)
        return response
    finally:
        if size:
            collect_young()
            room.give_back(size)


def _handled(route: ApiRoute, call: Call) -> JsonMap | SentFile:
    """The answer of the handler, with the lines of the audit about a command. A dry run is a question."""
    is_dry_run = bool(call.body.values.get("dry_run"))
    if route.makes_plan or is_dry_run:
        with call.services.quotas.planning(of_caller(call.caller)):
            return route.handler(call)
    return route.handler(call) if route.method == "GET" else carried_out(route, call)


async def _response(
    route: ApiRoute, call: Call, is_stopping: Callable[[], bool], room: Room | None, request: Request
) -> Response:
    if route.takes_bytes:
        # Nothing in the bytes can be a reason to let the caller in, so they are read after the question.
        call = await run_in_threadpool(authorized, route, call)
        call = replace(call, content=await read_bytes(request, _largest_body(route), room))
    else:
        if route.method != "GET":
            body = await read_body(request, _largest_body(route), room)
            call = replace(call, body=Fields(values=body, where="body"))
        call = await run_in_threadpool(authorized, route, call)
    route.check_fields(call)
    if _is_stream(route, call, request):
        return await _follow(call, request, is_stopping)
    document = await run_in_threadpool(_handled, route, call)
    if isinstance(document, SentFile):
        return FileResponse(document.path, media_type=BYTES, headers=document.headers)
    status = 200 if call.body.values.get("dry_run") else route.status
    response = await run_in_threadpool(JsonAnswer, document, status)
    _log.debug(
        "api.answered",
        operation=route.operation,
        path=request.url.path,
        caller=call.actor,
        request=call.services.current.request,
    )
    return response


def _told(services: Services, request: Request, error: Exception) -> Exception:
    """The error as its reader is told it: with a name that they may have meant, where they may know that name, and
    without the names of importers that they may not see."""
    if not isinstance(error, NoProcessError):
        return as_told(error, services.gatekeeper, request.scope[CALLER])
    try:
        return services.gatekeeper.with_guess(request.scope[CALLER], error)
    except (StoreError, ForbiddenError):
        return error


def _largest_body(route: ApiRoute) -> int:
    if route.right is Open.TO_ALL:
        return LARGEST_SIGN_IN_BYTES
    holds_composition = any(one.name in ("composition", "plan") for one in route.body)
    return MAXIMUM_COMPOSITION_BODY_BYTES if holds_composition else MAXIMUM_BODY_BYTES


def _is_stream(route: ApiRoute, call: Call, request: Request) -> bool:
    """Whether the answer goes on. One to HEAD has no body, and would hold a place among the streams for nothing."""
    return route.operation == "events" and call.query.flag("follow") and request.method != "HEAD"


async def _follow(call: Call, request: Request, is_stopping: Callable[[], bool]) -> Response:
    resumed = request.headers.get("last-event-id", "")
    if resumed.isdecimal():
        call = replace(call, query=replace(call.query, values={**call.query.values, "after": resumed}))
    # Read once before the answer begins, so that a wrong question is a problem document and not a broken stream.
    first = await run_in_threadpool(history_handlers.events, call)
    after = call.query.number("after", 0, 10**18)
    quotas, who = call.services.quotas, of_caller(call.caller)
    quotas.begin_stream(who)
    return HeldStream(event_stream(call, first, after, is_stopping), partial(quotas.end_stream, who))


async def _openapi(request: Request) -> Response:
    return JsonAnswer(openapi_document())


async def _metrics(services: Services, request: Request) -> Response:
    """Answer a scraper, which sends the secret of a user with the right `metrics` as its bearer token."""

    def page() -> Response:
        # Loaded at the first request: most Conductors are never scraped.
        from tenuto.api.metrics_page import CONTENT_TYPE, metrics_page

        services.gatekeeper.check_known(request.scope[CALLER])
        services.gatekeeper.check(request.scope[CALLER], Right.METRICS, Place())
        return Response(metrics_page(services.metrics.samples()), headers={"Content-Type": CONTENT_TYPE})

    try:
        return await run_in_threadpool(page)
    except Exception as error:  # noqa: BLE001 - the border: for every error, the client gets a problem document
        return problem_response(error)


async def _health(services: Services, request: Request) -> Response:
    try:
        services.queries.check_store()
    except StoreError as error:
        return problem_response(error)
    return JsonAnswer({"status": "ok", "version": tenuto.__version__})


async def _http_error(request: Request, error: Exception) -> Response:
    """The answer for a request that Starlette itself refuses: an unknown path, a method that it does not take."""
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    detail = {
        404: f"There is nothing at {request.url.path}. /v1/openapi.json lists what there is.",
        405: f"{request.url.path} does not take {request.method}. /v1/openapi.json lists what it takes.",
    }.get(status, str(error))
    response = problem(status, {404: "no-route", 405: "method"}.get(status, "http"), HTTPStatus(status).phrase, detail)
    response.headers.update(headers or {})
    return response
