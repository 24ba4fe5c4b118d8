"""A proxy between a Conductor and its endpoint that does what networks and clouds do on a bad day.

Each request draws its fate from the trouble of the moment. Some fates keep it from the endpoint, some let it through
and spoil the answer, and the worst tell a lie that looks like an answer: an empty list, what was true ten seconds ago,
the answer to somebody else's question.
"""

import random
import re
import socket
import struct
import threading
import time
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from bad_answers import emptied, refusal, shortened

_PASSED_ON = ("content-type", "x-amz-request-id", "x-amzn-requestid", "location", "etag", "last-modified")
_SLOW_S = 1.0
_STALE_S = 10.0
_READS = ("Describe", "List", "Get", "Head", "GET", "HEAD")
_LISTS = ("Describe", "List")
_HTML = b"<html><body><h1>Bad day</h1></body></html>"


class Fault(Enum):
    """What can become of one request."""

    LOST = "the request is carried out, and the connection ends without an answer"
    RESET = "the request is carried out, and the connection is reset"
    CUT = "the request is carried out, and half of its answer arrives"
    CUT_CHUNKED = "the request is carried out, and some chunks of its answer arrive"
    CUT_HEADERS = "the request is carried out, and the headers of its answer arrive"
    DONE_BUT_BROKEN = "the request is carried out, and answered with a 500 without a word of AWS"
    DONE_BUT_HTML = "the request is carried out, and answered with a 200 and a page"
    HANGING = "the request is carried out, and no answer comes for longer than anybody waits"
    DRIPPING = "the answer comes drop by drop, for longer than anybody waits"
    TWICE = "the request is carried out twice, and the first answer is given"
    TWICE_LAST = "the request is carried out twice, and the second answer is given"
    SLOW = "the answer takes its time"
    SHORTENED = "the answer is well formed, and something is missing in it"
    OTHER = "the answer to another call is given"
    UNTYPED = "the answer has another content type"
    EMPTY = "a list is given as empty"
    STALE = "the answer of some seconds ago is given"
    PAGE_LOST = "the token of the next page is left out of the answer"

    BROKEN = "a 500 without a word of AWS, the request not carried out"
    SILENT = "a 500 without a body, the request not carried out"
    BAD_GATEWAY = "a 502 with well formed XML of somebody else, the request not carried out"
    GARBAGE = "a 503 with bytes that mean nothing, the request not carried out"
    GATEWAY_TIMEOUT = "a 504 with a page, the request not carried out"
    INTERNAL = "a 500 in the words of AWS, the request not carried out"
    THROTTLED = "a 503 in the words of AWS, the request not carried out"
    TOO_MANY = "a 429 without a word of AWS, the request not carried out"
    REFUSED = "the connection ends before the request is read"
    HTML = "a 200 with a page, the request not carried out"
    NOTHING = "a 200 without a body, the request not carried out"
    NONSENSE = "a 200 with bytes that mean nothing, the request not carried out"
    UNKNOWN = "an error with a code that nobody knows, the request not carried out"
    OLD_REQUEST = "the request counts as too old, as if a clock were wrong"
    NOT_AUTHENTIC = "who we are could not be checked"
    EXPIRED = "the credentials count as expired"
    DENIED = "the request counts as not permitted"


_REFUSALS: Mapping[Fault, tuple[int, str, str]] = {
    Fault.INTERNAL: (500, "InternalError", "An internal error has occurred."),
    Fault.UNKNOWN: (400, "SolarFlare", "Something that nobody has heard of."),
    Fault.OLD_REQUEST: (400, "RequestExpired", "Request has expired."),
    Fault.NOT_AUTHENTIC: (401, "AuthFailure", "AWS was not able to validate the provided access credentials"),
    Fault.EXPIRED: (400, "ExpiredToken", "The security token included in the request is expired"),
    Fault.DENIED: (403, "UnauthorizedOperation", "You are not authorized to perform this operation."),
}
_THROTTLES = {"ec2": "RequestLimitExceeded", "s3": "SlowDown", "json": "ThrottlingException"}
_STRANGE: Mapping[Fault, tuple[int, str, bytes]] = {
    Fault.BROKEN: (500, "text/html", _HTML),
    Fault.SILENT: (500, "text/plain", b""),
    Fault.BAD_GATEWAY: (502, "text/xml", b"<status><code>502</code></status>"),
    Fault.GARBAGE: (503, "application/octet-stream", bytes(range(128, 256))),
    Fault.GATEWAY_TIMEOUT: (504, "text/html", _HTML),
    Fault.TOO_MANY: (429, "text/html", _HTML),
    Fault.HTML: (200, "text/html", _HTML),
    Fault.NOTHING: (200, "text/xml", b""),
    Fault.NONSENSE: (200, "application/json", bytes(range(128, 256))),
}
NOT_CARRIED_OUT = frozenset({Fault.REFUSED, Fault.THROTTLED, *_REFUSALS, *_STRANGE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Which faults happen, and to which share of the requests. `only` names the actions it happens to; none: all.

    With `times`, it is over after that many.
    """

    faults: tuple[Fault, ...]
    share: float
    only: tuple[str, ...] = ()
    times: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request."""

    service: str
    action: str
    body: bytes
    key: tuple[str, str, bytes] = field(repr=False)

    @property
    def is_read(self) -> bool:
        return self.action.startswith(_READS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One answer."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    at: float = field(default_factory=time.monotonic)


class FaultProxy:
    """Listens on loopback and forwards to one endpoint; `trouble` tells what goes wrong on the way."""

    def __init__(self, endpoint: str, *, seed: int, hang_s: float = 35.0) -> None:
        self.trouble: Trouble | None = None
        self.done: Counter[Fault] = Counter()
        self.diary: deque[str] = deque(maxlen=20_000)
        """What was done to what, the last of it."""
        self.hang_s = hang_s
        self.closing = threading.Event()
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._answers: dict[tuple[str, str, bytes], deque[Given]] = {}
        self._last: dict[tuple[str, str], Given] = {}
        target = urlsplit(endpoint)
        self._server = _Server(self, f"{target.hostname}:{target.port}")
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def troubled(
        self, *faults: Fault, share: float, only: tuple[str, ...] = (), times: int | None = None
    ) -> Iterator[None]:
        """Trouble until the end of the context."""
        self.trouble = Trouble(faults=faults, share=share, only=only, times=times)
        try:
            yield
        finally:
            self.trouble = None

    def pick(self, asked: Asked) -> Fault | None:
        """What becomes of the next request."""
        with self._lock:
            trouble = self.trouble
            if trouble is None or (trouble.only and asked.action not in trouble.only):
                return None
            faults = [fault for fault in trouble.faults if self._fits(fault, asked)]
            if not faults or self._chance.random() >= trouble.share:
                return None
            fault = self._chance.choice(faults)
            if trouble.times is not None and self.done[fault] >= trouble.times:
                return None
            self.done[fault] += 1
            self.diary.append(f"{time.strftime('%H:%M:%S')} {fault.name} {asked.service} {asked.action}")
            return fault

    def _fits(self, fault: Fault, asked: Asked) -> bool:
        """Whether it can happen to such a request."""
        match fault:
            case Fault.TWICE | Fault.TWICE_LAST:
                return not asked.is_read
            case Fault.EMPTY | Fault.PAGE_LOST:
                return asked.action.startswith(_LISTS) or (asked.service, asked.key[1]) == ("s3", "/")
            case Fault.STALE:
                return asked.is_read and self._older(asked) is not None
            case Fault.OTHER:
                return any(service == asked.service and action != asked.action for service, action in self._last)
            case _:
                return True

    def remember(self, asked: Asked, given: Given) -> None:
        """Keep an answer, for lies."""
        with self._lock:
            if given.status != 200:
                return
            self._last[asked.service, asked.action] = given
            if asked.is_read:
                self._answers.setdefault(asked.key, deque(maxlen=50)).append(given)

    def older(self, asked: Asked) -> Given | None:
        """What was answered to the same question up to ten seconds ago."""
        with self._lock:
            return self._older(asked)

    def _older(self, asked: Asked) -> Given | None:
        now = time.monotonic()
        return next((given for given in self._answers.get(asked.key, ()) if now - given.at < _STALE_S), None)

    def another(self, asked: Asked) -> Given:
        """What was answered to another question to the same service."""
        with self._lock:
            others = [key for key in self._last if key[0] == asked.service and key[1] != asked.action]
            return self._last[self._chance.choice(sorted(others))]

    def shorten(self, asked: Asked, content: bytes) -> bytes:
        with self._lock:
            return shortened(asked.service, content, self._chance)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, proxy: FaultProxy, target: str) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, proxy, target))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that has gone is what this is about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, proxy: FaultProxy, target: str, *args: Any) -> None:
        self._proxy = proxy
        self._target = target
        super().__init__(*args)

    def _forward(self) -> None:
        asked = self._asked()
        fault = self._proxy.pick(asked)
        if fault in NOT_CARRIED_OUT:
            self._turn_away(fault, asked)
            return
        if fault is Fault.SLOW:
            time.sleep(_SLOW_S)
        given = self._ask(asked)
        if fault in (Fault.TWICE, Fault.TWICE_LAST):
            again = self._ask(asked)
            given = again if fault is Fault.TWICE_LAST else given
        # What is stale was an answer before this one.
        older = self._proxy.older(asked) if fault is Fault.STALE else None
        self._proxy.remember(asked, given)
        self._give(fault, asked, older or given)

    def _asked(self) -> Asked:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        scope = re.search(r"Credential=[^/]+/[^/]+/[^/]+/([^/]+)/", self.headers.get("Authorization", ""))
        target = self.headers.get("X-Amz-Target", "").rpartition(".")[2]
        fields = parse_qs(body.decode("utf-8", "replace")) if not target else {}
        action = target or fields.get("Action", [self.command])[0]
        service = scope[1] if scope else ""
        return Asked(service=service, action=action, body=body, key=(f"{service} {action}", self.path, body))

    def _ask(self, asked: Asked) -> Given:
        connection = HTTPConnection(self._target, timeout=60)
        try:
            connection.request(self.command, self.path, asked.body, dict(self.headers))
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return Given(status=response.status, headers=headers, content=response.read())
        except (OSError, HTTPException):
            # The endpoint itself is gone: the end of a test.
            return Given(status=502, headers={}, content=b"")
        finally:
            connection.close()

    def _turn_away(self, fault: Fault, asked: Asked) -> None:
        if fault is Fault.REFUSED:
            self.close_connection = True
        elif fault in _STRANGE:
            status, content_type, content = _STRANGE[fault]
            self._answer(status, {"content-type": content_type}, content)
        else:
            code = _THROTTLES.get("json" if asked.service in ("sqs", "logs", "ssm", "dynamodb") else asked.service)
            status, code, message = _REFUSALS.get(fault, (503, code or "Throttling", "Rate exceeded"))
            content_type, content = refusal(asked.service, code, message)
            self._answer(status, {"content-type": content_type}, content)

    def _give(self, fault: Fault | None, asked: Asked, given: Given) -> None:
        match fault:
            case Fault.LOST:
                self.close_connection = True
            case Fault.RESET:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
            case Fault.HANGING:
                self._proxy.closing.wait(self._proxy.hang_s)
                self.close_connection = True
            case Fault.DRIPPING:
                self._drip(given)
            case Fault.CUT | Fault.CUT_HEADERS:
                half = len(given.content) // 2 if fault is Fault.CUT else 0
                self._answer(given.status, given.headers, given.content, upto=half)
            case Fault.CUT_CHUNKED:
                self._answer_chunked(given)
            case Fault.DONE_BUT_BROKEN:
                self._answer(500, {"content-type": "text/html"}, _HTML)
            case Fault.DONE_BUT_HTML:
                self._answer(200, {"content-type": "text/html"}, _HTML)
            case Fault.UNTYPED:
                self._answer(given.status, {**given.headers, "content-type": "text/html"}, given.content)
            case _:
                self._answer_changed(fault, asked, given)

    def _answer_changed(self, fault: Fault | None, asked: Asked, given: Given) -> None:
        content = given.content
        if given.status == 200 and content:
            with suppress(ValueError, UnicodeDecodeError):
                match fault:
                    case Fault.EMPTY:
                        content = emptied(asked.service, content)
                    case Fault.SHORTENED:
                        content = self._proxy.shorten(asked, content)
                    case Fault.PAGE_LOST:
                        content = re.sub(rb"<(nextToken|Marker)>[^<]*</\1>", b"", content)
        if fault is Fault.OTHER:
            given = self._proxy.another(asked)
            content = given.content
        self._answer(given.status, given.headers, content)

    def _answer(self, status: int, headers: Mapping[str, str], content: bytes, *, upto: int | None = None) -> None:
        self.send_response(status)
        for name in _PASSED_ON:
            if name in headers:
                self.send_header(name, headers[name])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[:upto])
        if upto is not None:
            self.close_connection = True

    def _drip(self, given: Given) -> None:
        """A byte of it each second, until nobody listens any more."""
        self.close_connection = True
        with suppress(OSError):
            self._answer(given.status, given.headers, given.content, upto=0)
            for at in range(len(given.content)):
                if self._proxy.closing.wait(1.0):
                    return
                self.wfile.write(given.content[at : at + 1])

    def _answer_chunked(self, given: Given) -> None:
        half = given.content[: len(given.content) // 2]
        self.send_response(given.status)
        for name in _PASSED_ON:
            if name in given.headers:
                self.send_header(name, given.headers[name])
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if half:
            self.wfile.write(f"{len(half):x}\r\n".encode() + half + b"\r\n")
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server gives it
        """Nothing: what was done is counted."""

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _forward  # noqa: N815 - the names that http.server calls
