"""The HTTP client: requests to a Conductor, and its problems as errors."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import urllib3

from tenuto.cli.encryption import client_context, why_not_encrypted
from tenuto.cli.exits import ApiProblem, UnreachableError
from tenuto.errors import PermissionError_
from tenuto.model.ids import JsonMap

CONNECT_S = 5.0
READ_S = 300.0
"""A dry run looks at everything that a process has before it answers."""
STREAM_READ_S = 60.0
"""A stream of events says at least every quarter of a minute that it is still there."""


class Client:
    """Every method raises ApiProblem (the Conductor said no) or UnreachableError (it said nothing)."""

    def __init__(self, *, url: str, secret: str, ca_cert: Path | None = None) -> None:
        """`ca_cert` holds the authorities that the Conductor's certificate may be of; None is those of the system."""
        if not (secret.isascii() and secret.isprintable()):
            raise PermissionError_("The secret holds characters that no secret has: check TENUTO_SECRET.")
        self.url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {secret}", "User-Agent": "tenuto"}
        self._pool = urllib3.PoolManager(
            retries=False,
            timeout=urllib3.Timeout(connect=CONNECT_S, read=READ_S),
            headers=self._headers,
            ssl_context=client_context(ca_cert) if self.url.startswith("https:") else None,
        )

    def get(self, *path: str, **query: Any) -> JsonMap:
        return self._send("GET", path, query=query)

    def post(self, *path: str, body: JsonMap | None = None) -> JsonMap:
        return self._send("POST", path, body=body)

    def put(self, *path: str, body: JsonMap) -> JsonMap:
        return self._send("PUT", path, body=body)

    def delete(self, *path: str) -> JsonMap:
        return self._send("DELETE", path)

    def follow(self, *path: str, **query: Any) -> Iterator[JsonMap | None]:
        """The data of server-sent events until the stream ends; None is a mere sign of life."""
        try:
            response = self._pool.request(
                "GET",
                self._address(path, query),
                preload_content=False,
                timeout=urllib3.Timeout(connect=CONNECT_S, read=STREAM_READ_S),
            )
            if response.status != 200:
                raise ApiProblem(self._document(response.status, response.read()))
            yield None
            try:
                yield from self._events(_lines(response))
            finally:
                response.close()
        except urllib3.exceptions.HTTPError as failed:
            raise self._unreachable("GET", failed) from failed

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
        self, method: str, path: tuple[str, ...], query: Mapping[str, Any] | None = None, body: JsonMap | None = None
    ) -> JsonMap:
        headers = dict(self._headers)
        content = None
        if body is not None:
            content = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            response = self._pool.request(method, self._address(path, query or {}), body=content, headers=headers)
        except urllib3.exceptions.HTTPError as failed:
            raise self._unreachable(method, failed) from failed
        document = self._document(response.status, response.data)
        if response.status >= 400:
            raise ApiProblem(document)
        return document

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

    def _unreachable(self, method: str, failed: Exception) -> UnreachableError:
        if isinstance(failed, urllib3.exceptions.SSLError):
            return UnreachableError(why_not_encrypted(self.url, failed))
        if isinstance(failed, urllib3.exceptions.NewConnectionError | urllib3.exceptions.ConnectTimeoutError):
            return UnreachableError(
                f"No Conductor answers at {self.url}. Start one with 'tenuto conductor', or name another with --url."
            )
        doubt = "" if method == "GET" else " It may have taken the command: look with 'tenuto status'."
        return UnreachableError(f"The Conductor at {self.url} did not answer to the end: {failed}.{doubt}")


def _lines(response: urllib3.BaseHTTPResponse) -> Iterator[str]:
    rest = b""
    for chunk in response.stream(65536):
        rest += chunk
        *lines, rest = rest.split(b"\n")
        for line in lines:
            yield line.decode()
