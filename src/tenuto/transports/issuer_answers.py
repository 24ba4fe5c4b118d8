"""One question to an issuer over HTTP, and its answer: a status and a JSON object.

Redirects are not followed, an exchange has one time limit for all of it (`transports.timed`) and an answer a size, and
all but loopback is TLS.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

import urllib3
from urllib3.util import Url, parse_url

from tenuto.errors import TransientError
from tenuto.kit.address import is_loopback
from tenuto.transports.timed import Deadline, exchange, host_of

LARGEST_ANSWER = 262_144
TIME_LIMIT_S = 15.0


def asked(
    method: str,
    url: str,
    monotonic: Callable[[], float],
    body: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> tuple[int, Mapping[str, Any]]:
    """The status and the JSON object of an answer; an empty one for any other answer. Raises TransientError."""
    deadline = Deadline(now=monotonic, end=monotonic() + TIME_LIMIT_S)
    try:
        status, content = _exchanged(method, parse_url(url), body, headers or {}, deadline)
    except (urllib3.exceptions.HTTPError, OSError, ValueError) as failed:
        raise silent(url, type(failed).__name__) from failed
    if len(content) > LARGEST_ANSWER:
        raise silent(url, f"the answer is larger than {LARGEST_ANSWER:,} bytes")
    return status, json_object(content)


def place_of(issuer: str, document: Mapping[str, Any], name: str) -> str:
    """A URL in the published document of the issuer. Raises TransientError for one that must not be asked."""
    url = document.get(name)
    if not isinstance(url, str) or not is_safe(url, issuer):
        raise silent(issuer, f"its configuration has no {name} with https")
    return url


def is_safe(url: str, issuer: str) -> bool:
    """Whether a place that an issuer names may be asked: with TLS, or on loopback for an issuer that is there too."""
    try:
        parts, mine = urlsplit(url), urlsplit(issuer)
    except ValueError:
        return False
    if parts.username or parts.password or not parts.hostname:
        return False
    if parts.scheme == "https":
        return True
    return parts.scheme == "http" and is_loopback(parts.hostname) and is_loopback(mine.hostname or "")


def json_object(content: bytes) -> Mapping[str, Any]:
    """The JSON object of a text; an empty one for any other text."""
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def silent(place: str, why: str) -> TransientError:
    """The error for an issuer that does not answer, or not as it must."""
    return TransientError(
        f"The issuer at {place} cannot be asked who signs in: {why}. Try again; a secret or a token of Tenuto works "
        "meanwhile.",
        code="Issuer",
    )


def _exchanged(
    method: str, url: Url, body: str | None, headers: Mapping[str, str], deadline: Deadline
) -> tuple[int, bytes]:
    """The status and the beginning of an answer, in time. Raises urllib3's HTTPError, OSError, and ValueError."""
    sent = body.encode() if body is not None else None
    with exchange(method, host_of(url), url, sent, headers, deadline) as response:
        content = response.read(LARGEST_ANSWER + 1, decode_content=True)
        # The last bytes may have come after the wait for them had begun in time.
        _ = deadline.left_s
        return response.status, content
