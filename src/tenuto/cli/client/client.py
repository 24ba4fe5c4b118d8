"""The HTTP client: requests to a Conductor, and its problems as errors.

A Conductor that is stopped (SIGSTOP, a debugger, a machine without memory) still takes connections: its kernel does. So
the client tells the user on stderr, once, that an answer is late. It gives up a question that needs no sweep after a
minute. It does not give up a command: that would say nothing about whether the Conductor took it.

The client names its requests itself, all of one command by one id. So the effects of a command can be asked for even
when its answer was lost.
"""

import json
import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from tenuto.cli.client.encryption import client_context, why_not_encrypted
from tenuto.cli.client.turns import answered
from tenuto.cli.terminal import terminal
from tenuto.cli.terminal.exits import ApiProblem, UnreachableError
from tenuto.cli.terminal.steady_clock import SteadyClock
from tenuto.errors import ForbiddenError
from tenuto.kit.current_request import HEADER
from tenuto.model.ids import JsonMap
from tenuto.ports.clock import Clock

if TYPE_CHECKING:
    import urllib3

CONNECT_S = 5.0
_BLOCK_BYTES = 1024**2
STREAM_READ_S = 60.0
"""A stream of events says at least every quarter of a minute that it is still there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The times, in seconds, that a client waits for an answer."""

    quiet_s: float = 5.0
    """Then the user is told. Nearly every answer comes within a second, and people begin to wonder after a few."""
    question_s: float = 60.0
    """The patience with a question that the Conductor's store answers: some seconds for a hundred thousand resources on
    a busy machine."""
    turn_s: float = 90.0
    """The patience with refusals of a caller who asks too much; the longest of them is for a minute."""
    command_s: float = 300.0
    """The patience with a command, and with a question that makes a plan or sweeps all that a process has."""


class Client:
    """Every method raises ApiProblem (the Conductor said no) or UnreachableError (it said nothing)."""

    def __init__(
        self,
        *,
        url: str,
        secret: str,
        ca_cert: Path | None = None,
        patience: Patience | None = None,
        clock: Clock | None = None,
    ) -> None:
        """`ca_cert` holds the authorities that the Conductor's certificate may be of; None is those of the system."""
        import urllib3

        if not (secret.isascii() and secret.isprintable()):
            raise ForbiddenError("The secret holds characters that no secret has: check TENUTO_SECRET.")
        self.url = url.rstrip("/")
        self.request = secrets.token_hex(8)
        self._headers = {"Authorization": f"Bearer {secret}", "User-Agent": "tenuto", HEADER: self.request}
        self._patience = patience or Patience()
        self._clock = clock or SteadyClock()
        self._has_told = threading.Event()
        self._has_told_turn = False
        self._has_answered = False
        self._pool = urllib3.PoolManager(
            retries=False,
            headers=self._headers,
            ssl_context=client_context(ca_cert) if self.url.startswith("https:") else None,
        )

    def get(self, *path: str, **query: Any) -> JsonMap:
        return self._send("GET", path, query=query, longest_s=self._patience.question_s)

    def examine(self, *path: str, **query: Any) -> JsonMap:
        """A question that takes as long as a command: for the answer, a plan is made or a cloud is swept."""
        return self._send("GET", path, query=query)

    def post(self, *path: str, body: JsonMap | None = None, **query: Any) -> JsonMap:
        return self._send("POST", path, query=query, body=body)

    def put(self, *path: str, body: JsonMap) -> JsonMap:
        return self._send("PUT", path, body=body)

    def delete(self, *path: str, **query: Any) -> JsonMap:
        return self._send("DELETE", path, query=query)

    def send_bytes(self, *path: str, content: bytes, **query: Any) -> JsonMap:
        """Send a part of a file."""
        return self._send("PATCH", path, query=query, content=content)

    def download(self, *path: str, begin: int = 0, **query: Any) -> Iterator[bytes]:
        """The bytes of a file from this one on, in blocks. Raises UnreachableError when the connection ends early."""
        import urllib3

        try:
            with self._told_when_late():
                response = self._ask(
                    "GET",
                    self._address(path, query),
                    headers={**self._headers, "Range": f"bytes={begin}-"} if begin else self._headers,
                    preload_content=False,
                    timeout=urllib3.Timeout(connect=CONNECT_S, read=STREAM_READ_S),
                )
            try:
                if response.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
                    raise self._problem(response.status, self._document(response.status, response.read()))
                yield from response.stream(_BLOCK_BYTES, decode_content=False)
            finally:
                response.close()
        except urllib3.exceptions.HTTPError as failed:
            raise self._unreachable("GET", failed, STREAM_READ_S) from failed

    def follow(self, *path: str, **query: Any) -> Iterator[JsonMap | None]:
        """The data of server-sent events until the stream ends; None is a mere sign of life."""
        import urllib3

        try:
            with self._told_when_late():
                response = self._ask(
                    "GET",
                    self._address(path, query),
                    preload_content=False,
                    timeout=urllib3.Timeout(connect=CONNECT_S, read=STREAM_READ_S),
                )
            if response.status != 200:
                raise self._problem(response.status, self._document(response.status, response.read()))
            yield None
            try:
                yield from self._events(_lines(response))
            finally:
                response.close()
        except urllib3.exceptions.HTTPError as failed:
            raise self._unreachable("GET", failed, STREAM_READ_S) from failed

    def _events(self, lines: Iterator[str]) -> Iterator[JsonMap | None]:
        kind = ""
        for line in lines:
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            elif name == "data" and kind == "problem":
                raise UnreachableError(f"The Conductor at {self.url} ended the stream: {json.loads(value)['detail']}")
            elif name == "data":
                yield json.loads(value)
            elif line.startswith(":"):
                yield None

    def _send(
        self,
        method: str,
        path: tuple[str, ...],
        *,
        query: Mapping[str, Any] | None = None,
        body: JsonMap | None = None,
        content: bytes | None = None,
        longest_s: float | None = None,
    ) -> JsonMap:
        import urllib3

        longest_s = self._patience.command_s if longest_s is None else longest_s
        headers = dict(self._headers)
        if content is not None:
            headers["Content-Type"] = "application/octet-stream"
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            with self._told_when_late():
                response = self._ask(
                    method,
                    self._address(path, query or {}),
                    body=content,
                    headers=headers,
                    timeout=urllib3.Timeout(connect=CONNECT_S, read=longest_s),
                )
        except urllib3.exceptions.HTTPError as failed:
            raise self._unreachable(method, failed, longest_s) from failed
        document = self._document(response.status, response.data)
        if response.status >= HTTPStatus.BAD_REQUEST:
            raise self._problem(response.status, document)
        return document

    def _ask(self, method: str, address: str, **given: Any) -> "urllib3.BaseHTTPResponse":
        """One request, sent again while the Conductor says that its caller asks too much."""
        response = answered(
            lambda: self._pool.request(method, address, **given),
            longest_s=self._patience.turn_s,
            clock=self._clock,
            tell=self._tell_turn,
        )
        self._has_answered = True
        return response

    def _tell_turn(self, seconds: float) -> None:
        """Tell once that the client waits for its turn, in place of the word that an answer is late."""
        self._has_told.set()
        if not self._has_told_turn:
            self._has_told_turn = True
            terminal.tell(
                f"tenuto: {self.url} takes no more requests from here for {seconds:g} s; trying again then "
                "(Ctrl-C ends the wait)."
            )

    def _problem(self, status: int, document: JsonMap) -> ApiProblem:
        """The refusal of the Conductor. The words of the API for a wrong secret are for those who write requests."""
        if status != HTTPStatus.UNAUTHORIZED or "expired" in document:
            return ApiProblem(document, self.request)
        detail = (
            f"The Conductor at {self.url} does not accept the secret. Set TENUTO_SECRET, or let TENUTO_CREDENTIALS "
            "name the credentials file that it wrote; 'tenuto user generate-secret' makes a secret for a user."
        )
        return ApiProblem({**document, "detail": detail}, self.request)

    @contextmanager
    def _told_when_late(self) -> Iterator[None]:
        timer = threading.Timer(self._patience.quiet_s, self._tell)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _tell(self) -> None:
        """Tell once, for all requests of a command, that the Conductor is late: a wait asks twice a second."""
        if not self._has_told.is_set():
            self._has_told.set()
            late = f"No answer from {self.url} for {self._patience.quiet_s:g} s; still waiting (Ctrl-C ends the wait)."
            terminal.tell(f"tenuto: {late}")

    def _address(self, path: tuple[str, ...], query: Mapping[str, Any]) -> str:
        parts = "/".join(quote(part, safe="") for part in path)
        given = {name: value for name, value in query.items() if value is not None}
        return f"{self.url}/v1/{parts}" + (f"?{urlencode(given)}" if given else "")

    def _document(self, status: int, content: bytes) -> JsonMap:
        try:
            document = json.loads(content)
        except ValueError:
            document = None
        if isinstance(document, dict):
            return document
        raise UnreachableError(
            f"What answers at {self.url} is no Conductor (HTTP {status}). Name one with --url, or start one with "
            "'tenuto conductor'."
        )

    def _unreachable(self, method: str, failed: Exception, longest_s: float) -> UnreachableError:
        import urllib3

        if isinstance(failed, urllib3.exceptions.SSLError):
            return UnreachableError(why_not_encrypted(self.url, failed))
        if isinstance(failed, urllib3.exceptions.NewConnectionError | urllib3.exceptions.ConnectTimeoutError):
            return UnreachableError(
                f"No Conductor answers at {self.url}. Start one with 'tenuto conductor', or name another with --url."
            )
        asked = f"'tenuto history --request {self.request}'"
        doubt = "" if method == "GET" else f" It may have taken the command: {asked} tells what it has done of it."
        if isinstance(failed, urllib3.exceptions.ReadTimeoutError):
            return UnreachableError(
                f"The Conductor at {self.url} did not answer for {longest_s:g} s. It is stopped, or has too much to "
                f"do: look at its log and at the load of its machine, then ask again.{doubt}"
            )
        # One that has answered here speaks plain HTTP.
        is_scheme_open = self.url.startswith("http://") and not self._has_answered
        tls = " If it serves TLS, its URL begins with https://." if is_scheme_open else ""
        return UnreachableError(
            f"The Conductor at {self.url} did not answer to the end: {failed}. It is about to restart, or has too many "
            f"connections: try again in a moment.{tls}{doubt}"
        )


def _lines(response: "urllib3.BaseHTTPResponse") -> Iterator[str]:
    rest = b""
    for chunk in response.stream(65536):
        rest += chunk
        *lines, rest = rest.split(b"\n")
        for line in lines:
            yield line.decode()
