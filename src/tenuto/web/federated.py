"""Sign-in at an issuer, as a browser goes through it: away with a state, and back with a code.

The way back begins at another site, so no strict cookie comes with it. A cookie of its own, lax and for ten minutes,
binds the way to the browser. The path after it is one that was kept here, and nothing in the answer chooses it.
"""

from functools import partial

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tenuto.service.access.identities import BEGUN_S, Identities
from tenuto.web.guard import Door
from tenuto.web.incoming import address_of, local_path, origin_of

BEGIN_PATH, BACK_PATH = "/login/issuer", "/login/back"
_LONGEST = 4096
"""The length of a code or a state; a longer one is none that an issuer gives."""


async def away(identities: Identities, door: Door, request: Request) -> Response:
    """Send the browser to the issuer."""
    redirect = f"{origin_of(request, door)}{BACK_PATH}"
    following = local_path(request.query_params.get("next", ""))
    begin = partial(identities.begin, redirect=redirect, following=following, address=address_of(request))
    begun = await run_in_threadpool(begin)
    response = RedirectResponse(begun.url, 303)
    response.set_cookie(
        binding_cookie(door),
        begun.binding,
        max_age=int(BEGUN_S),
        path="/",
        httponly=True,
        samesite="lax",
        secure=door.is_secure,
    )
    return response


async def back(identities: Identities, door: Door, request: Request) -> tuple[str, str]:
    """The id of the new session, and the page after it. Raises the errors of `Identities.finish`."""
    given = {name: request.query_params.get(name, "")[:_LONGEST] for name in ("code", "state")}
    finish = partial(
        identities.finish,
        code=given["code"],
        state=given["state"],
        binding=request.cookies.get(binding_cookie(door), ""),
        issuer=request.query_params.get("iss"),
        redirect=f"{origin_of(request, door)}{BACK_PATH}",
        address=address_of(request),
    )
    return await run_in_threadpool(finish)


def binding_cookie(door: Door) -> str:
    return f"{door.cookie}-issuer"
