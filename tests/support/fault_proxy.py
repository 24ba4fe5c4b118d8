"""A proxy between a Conductor and its endpoint that does what networks and clouds do on a bad day."""

import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import partial
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

_PASSED_ON = ("content-type", "x-amz-request-id", "location", "etag", "last-modified")
_SLOW_S = 1.0


class Fault(Enum):
    """What can become of one request. All but REFUSED reach the endpoint or say that they did not."""

    LOST = "the request is carried out, and its answer is lost"
    CUT = "the request is carried out, and half of its answer arrives"
    BROKEN = "a 500 without a word of AWS, the request not carried out"
    THROTTLED = "a 503 in the words of AWS, the request not carried out"
    REFUSED = "the connection ends before the request is read"
    SLOW = "the answer takes its time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Which faults happen, and to which share of the requests. `only` names the actions it happens to; none: all."""

    faults: tuple[Fault, ...]
    share: float
    only: tuple[str, ...] = ()


class FaultProxy:
    """Listens on loopback and forwards to one endpoint; `trouble` tells what goes wrong on the way."""

    def __init__(self, endpoint: str, *, seed: int) -> None:
        self.trouble: Trouble | None = None
        self.done: Counter[Fault] = Counter()
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        target = urlsplit(endpoint)
        self._server = _Server(self, f"{target.hostname}:{target.port}")
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def troubled(self, *faults: Fault, share: float, only: tuple[str, ...] = ()) -> Iterator[None]:
        """Trouble until the end of the context."""
        self.trouble = Trouble(faults=faults, share=share, only=only)
        try:
            yield
        finally:
            self.trouble = None

    def pick(self, action: str) -> Fault | None:
        """What becomes of the next request."""
        with self._lock:
            trouble = self.trouble
            if trouble is None or (trouble.only and action not in trouble.only):
                return None
            if self._chance.random() >= trouble.share:
                return None
            fault = self._chance.choice(trouble.faults)
            self.done[fault] += 1
            return fault

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, proxy: FaultProxy, target: str) -> None:
        super().__init__(("127.0.0.1", 0), partial(_Handler, proxy, target))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, proxy: FaultProxy, target: str, *args: Any) -> None:
        self._proxy = proxy
        self._target = target
        super().__init__(*args)

    def _forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = self._proxy.pick(self._action(body))
        if fault is Fault.REFUSED:
            self.close_connection = True
            return
        if fault is Fault.BROKEN:
            self._answer(500, {"content-type": "text/html"}, b"<html><body>Bad day</body></html>")
            return
        if fault is Fault.THROTTLED:
            self._answer(503, {"content-type": "text/xml"}, self._throttled())
            return
        if fault is Fault.SLOW:
            time.sleep(_SLOW_S)
        status, headers, content = self._ask(body)
        if fault is Fault.LOST:
            self.close_connection = True
            return
        self._answer(status, headers, content, is_cut=fault is Fault.CUT)

    def _action(self, body: bytes) -> str:
        """The `Action` of the query protocol; the method for REST."""
        found = parse_qs(body.decode("utf-8", "replace")).get("Action", [])
        return found[0] if found else self.command

    def _ask(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        connection = HTTPConnection(self._target, timeout=60)
        try:
            connection.request(self.command, self.path, body, dict(self.headers))
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return response.status, headers, response.read()
        finally:
            connection.close()

    def _answer(self, status: int, headers: dict[str, str], content: bytes, *, is_cut: bool = False) -> None:
        self.send_response(status)
        for name in _PASSED_ON:
            if name in headers:
                self.send_header(name, headers[name])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[: len(content) // 2] if is_cut else content)
        if is_cut:
            self.close_connection = True

    def _throttled(self) -> bytes:
        if "/iam/" in self.headers.get("Authorization", ""):
            return (
                b'<ErrorResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><Error><Type>Sender</Type>'
                b"<Code>Throttling</Code><Message>Rate exceeded</Message></Error>"
                b"<RequestId>0</RequestId></ErrorResponse>"
            )
        if "/s3/" in self.headers.get("Authorization", ""):
            return b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
        return (
            b"<Response><Errors><Error><Code>RequestLimitExceeded</Code><Message>Request limit exceeded.</Message>"
            b"</Error></Errors><RequestID>0</RequestID></Response>"
        )

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server gives it
        """Nothing: what was done is counted."""

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _forward  # noqa: N815 - the names that http.server calls
