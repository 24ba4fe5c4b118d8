"""A webhook: one signed POST for each event.

The receiver answers with any 2xx and has the event. A redirect is refused: it would carry the notification to a place
that no user approved. Certificates are verified, and plain HTTP is spoken on this machine only. The answer of the
receiver is read up to a bound, and only when it refused. Many receivers cite the request in it, so the path, the
query and the signature are masked there. A delivery has one time limit for all of it (`transports.timed`). A receiver
that is busy (429, 503) may say with `Retry-After` when it wants to be asked again.

A user chose the URL, and the Conductor may reach places that the user may not. So a webhook leads to public addresses,
and to those that the administrator lists (`kit.reach`). The name is resolved once for each request, the addresses are
checked, and the connection goes to one that was: a name that leads elsewhere a moment later is not asked again. The
certificate, SNI and the `Host` header are those of the name.

The signature covers the moment and the body, so that neither can be changed and an old request cannot be sent again:

    Tenuto-Signature: t=SECONDS,v1=HEX        HEX = HMAC-SHA256(secret, "SECONDS." + body)
"""

import hashlib
import hmac
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from urllib.parse import unquote, unquote_plus, urlsplit

import urllib3
from urllib3.util import Url, parse_url

import tenuto
from tenuto.core.access.masking import Masker
from tenuto.errors import BugError, DeferredError, PermanentError, TransientError
from tenuto.kit.canonical import to_text
from tenuto.kit.reach import Ip, Reach
from tenuto.kit.retry_after import seconds_until_retry
from tenuto.model.notification import Notification, Sink
from tenuto.ports.clock import Clock
from tenuto.ports.secrets import Secrets, place_of_sink
from tenuto.transports.chat import message_of
from tenuto.transports.timed import Deadline, exchange, host_of

TIME_LIMIT_S = 10.0
"""The time for the name, connecting, the request and the answer. A receiver should store the notification and answer;
one that works for longer does so after the answer."""
_LONGEST_ANSWER = 2000
_LONGEST_CITED = 200
_LATE = b"(the rest of the answer did not come in time)"
_SHORTEST_PART = 6
"""Shorter parts of a path or a query are masked only together with the rest: they are words such as `hook` or `v1`."""
_MOST_ADDRESSES = 3
"""The number of addresses of one name that are tried: a receiver with more has them for its own clients."""
_NOT_CALLED = (
    "is not called: it leads to this machine, to a private network, or to another address that is not public. The "
    "administrator of the Conductor can allow the network or the host with --webhook-allow (TENUTO_WEBHOOK_ALLOW)"
)
_BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_NO_ANSWER = "no answer in time"
_THIS_MACHINE = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """An answer, with the beginning of the body of one that refuses."""

    status: int
    beginning: bytes
    retry_after: str


class WebhookTransport:
    """Implements `ports.notices.Transport`."""

    def __init__(self, *, secrets: Secrets, clock: Clock, reach: Reach) -> None:
        self._secrets = secrets
        self._clock = clock
        self._reach = reach

    def can_reach(self, sink: Sink) -> bool:
        return True

    def trouble(self, sink: Sink) -> str:
        """Tell of an address that is never called. Where a name leads is asked at each delivery, and not here."""
        host = (parse_url(sink.place).host or "").strip("[]")
        addresses = _named_addresses(host)
        if not addresses or any(self._reach.permits(host, one) for one in addresses):
            return ""
        return f"{sink.place} {_NOT_CALLED}"

    def deliver(self, sink: Sink, notification: Notification) -> None:
        body = to_text(message_of(sink.form, notification.document)).encode()
        key = self._secrets.unseal(sink.key, place_of_sink(sink.name, "key"))
        signed = signature(key, int(self._clock.wall()), body)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": f"tenuto/{tenuto.__version__}",
            "Tenuto-Event-Id": notification.event_id,
            "Tenuto-Event-Type": notification.type,
            "Tenuto-Attempt": str(notification.attempt),
            "Tenuto-Signature": signed,
        }
        url = self._secrets.unseal(sink.address, place_of_sink(sink.name, "address"))
        try:
            answer = self._post(sink, parse_url(url), body, headers)
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as failed:
            # The text of urllib3's errors holds the URL, which may be a secret. A ValueError is its answer to a piece
            # of a negative length.
            raise TransientError(f"{sink.place} could not be reached: {_reason(failed)}", code="Unreachable") from None
        status = answer.status
        if 300 <= status < 400:
            raise PermanentError(
                f"{sink.place} answered with a redirect (HTTP {status}), which is not followed: give the "
                "notification the URL that it leads to",
                code=str(status),
            )
        if not 200 <= status < 300:
            hidden = (*_secret_parts(url), key, signed, signed.rpartition("=")[2])
            message = f"{sink.place} answered HTTP {status}{_cited(answer.beginning, Masker(hidden))}"
            if status in _BUSY and (after_s := seconds_until_retry(answer.retry_after, self._clock.wall())):
                raise DeferredError(message, code=str(status), after_s=after_s)
            raise TransientError(message, code=str(status))

    def _post(self, sink: Sink, url: Url, body: bytes, headers: Mapping[str, str]) -> _Answer:
        """The answer of the first address that takes a connection.

        Raises PermanentError, TransientError, urllib3's HTTPError, OSError, and ValueError.
        """
        deadline = Deadline(now=self._clock.now, end=self._clock.now() + TIME_LIMIT_S)
        addresses = self._addresses(sink, host_of(url), url.port)
        for number, address in enumerate(addresses, start=1):
            try:
                return _post_at(address, url, body, headers, deadline)
            except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError):
                if number == len(addresses):
                    raise
        raise BugError(f"{sink.place} has no address")

    def _addresses(self, sink: Sink, host: str, port: int | None) -> list[str]:
        """The addresses of a host that may be called, at least one. Raises PermanentError and TransientError."""
        try:
            found = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise TransientError(
                f"{sink.place} could not be reached: its name is not known", code="Unreachable"
            ) from None
        all_of_them = list(dict.fromkeys(str(one[4][0]) for one in found))
        permitted = [one for one in all_of_them if self._reach.permits(host, ip_address(one))]
        if not permitted:
            # Where exactly it leads is not told: who may add a webhook need not know the private network.
            raise PermanentError(f"{sink.place} {_NOT_CALLED}", code="NotPublic")
        return permitted[:_MOST_ADDRESSES]


def _named_addresses(host: str) -> list[Ip]:
    """The addresses that a host names without a question to any other machine (RFC 6761 for localhost)."""
    if host.lower().removesuffix(".") == "localhost":
        return [ip_address(one) for one in _THIS_MACHINE]
    try:
        return [ip_address(host)]
    except ValueError:
        return []


def _post_at(address: str, url: Url, body: bytes, headers: Mapping[str, str], deadline: Deadline) -> _Answer:
    """One request to one address, which is a number and not resolved again."""
    with exchange("POST", address, url, body, headers, deadline) as response:
        return _Answer(
            status=response.status,
            beginning=b"" if response.status < 400 else _beginning(response),
            retry_after=response.headers.get("Retry-After", ""),
        )


def _beginning(response: urllib3.BaseHTTPResponse) -> bytes:
    """The beginning of an answer that refuses. Its status counts, also where its words do not come in time."""
    try:
        return response.read(_LONGEST_ANSWER, decode_content=False)
    except urllib3.exceptions.ReadTimeoutError:
        return _LATE


def signature(key: str, at: int, body: bytes) -> str:
    """The value of `Tenuto-Signature`."""
    digest = hmac.new(key.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def _cited(answer: bytes, masker: Masker) -> str:
    """The beginning of an answer for the end of a message; empty for an empty answer.

    The answer is masked before it is cut: half a secret would not be found.
    """
    said = masker.mask(" ".join(answer.decode("utf-8", "replace").split()))
    return f": {said[:_LONGEST_CITED]}" if said else ""


def _secret_parts(url: str) -> tuple[str, ...]:
    """The path and the query of a URL, and the longer parts of them, as written, as sent, and decoded."""
    written, sent = urlsplit(url), parse_url(url)
    found: dict[str, None] = {}
    for path, query in ((written.path, written.query), (sent.path or "", sent.query or "")):
        parts = [path.strip("/"), *path.split("/"), *(one.partition("=")[2] or one for one in query.split("&"))]
        wholes = [f"{path}?{query}"] if query else []
        wholes += [path, path.rstrip("/")] if path.strip("/") else []
        wholes += [query, *(one for one in parts if len(one) >= _SHORTEST_PART)]
        found |= dict.fromkeys(text for one in wholes for text in (one, unquote(one), unquote_plus(one)) if text)
    return tuple(found)


def _reason(failed: urllib3.exceptions.HTTPError | OSError | ValueError) -> str:
    match failed:
        # The most specific first: a name that is not known is a kind of connection that was not made, which is a kind
        # of time-out.
        case urllib3.exceptions.NameResolutionError():
            return "its name is not known"
        case urllib3.exceptions.NewConnectionError():
            return "no server listens there"
        case urllib3.exceptions.ConnectTimeoutError() | urllib3.exceptions.ReadTimeoutError() | TimeoutError():
            return _NO_ANSWER
        case urllib3.exceptions.ProtocolError(args=(_, TimeoutError())):
            # The request could not be sent in time.
            return _NO_ANSWER
        case urllib3.exceptions.SSLError():
            return "its certificate is not valid, or it does not speak TLS"
        case _:
            return f"the connection failed ({type(failed).__name__})"
