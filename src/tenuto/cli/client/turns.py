"""The client tries a request again that the Conductor refused because its caller asks too much (HTTP 429).

Nothing was done of such a request, so a command may be sent again as well as a question. The Conductor says how long to
wait; the client waits up to a quarter longer, so that programs which were refused together do not come back together.
After `longest_s` in all the refusal is told as it is.
"""

import random
from collections.abc import Callable
from http import HTTPStatus
from typing import TYPE_CHECKING

from tenuto.ports.clock import Clock

if TYPE_CHECKING:
    import urllib3

_DEFAULT_S = 1.0
"""The wait where the answer does not say how long: a proxy may have given it."""
_SPREAD = 0.25


def answered(
    ask: "Callable[[], urllib3.BaseHTTPResponse]", *, longest_s: float, clock: Clock, tell: Callable[[float], None]
) -> "urllib3.BaseHTTPResponse":
    """The first answer that is no such refusal, or the last one that is. `tell` hears of each wait, in seconds."""
    waited_s = 0.0
    while True:
        response = ask()
        if response.status != HTTPStatus.TOO_MANY_REQUESTS:
            return response
        rest_s = _rest_s(response)
        if waited_s + rest_s > longest_s:
            return response
        response.drain_conn()
        tell(rest_s)
        rest_s *= 1 + _SPREAD * random.random()
        waited_s += rest_s
        clock.sleep(rest_s)


def _rest_s(response: "urllib3.BaseHTTPResponse") -> float:
    given = response.headers.get("Retry-After", "")
    return max(_DEFAULT_S, float(given)) if given.isdecimal() and len(given) < 9 else _DEFAULT_S
