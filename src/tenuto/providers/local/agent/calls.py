"""The calls of an agent: HTTPS to one Conductor, whose certificate is known by its fingerprint."""

import json
import ssl
from collections.abc import Iterator
from http import HTTPStatus

import urllib3

from tenuto.model.ids import JsonMap
from tenuto.providers.local.wire.messages import BLOBS_PATH, PARTS_PATH, POLL_PATH, REGISTER_PATH
from tenuto.providers.local.wire.tokens import bearer

CONNECT_S = 5.0
ANSWER_S = 20.0
"""Seconds for an answer, beyond those for which a poll asked to wait."""
_BLOCK_BYTES = 1024**2
MAXIMUM_ANSWER_BYTES = 64 * 1024 * 1024
"""The limit of an answer: a thousand specs of a large network take a few megabytes."""


class SilentError(Exception):
    """The Conductor does not answer, or another program answers in its place. Nothing was sent to that program."""


class RefusedError(Exception):
    """The Conductor said no."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Calls:
    """The calls to one Conductor. Thread-safe. Each raises SilentError or RefusedError."""

    def __init__(self, *, url: str, fingerprint: str, zone: str, name: str) -> None:
        self._url = url.rstrip("/")
        self._zone = zone
        self._name = name
        # No authority and no name is believed, but just this certificate: it is checked before a byte is sent.
        self._pool = urllib3.PoolManager(
            retries=False, maxsize=4, cert_reqs="CERT_NONE", assert_fingerprint=fingerprint, assert_hostname=False
        )

    def register(self, secret: str, message: JsonMap) -> JsonMap:
        return self._send(REGISTER_PATH, secret, message, ANSWER_S)

    def poll(self, secret: str, message: JsonMap, wait_s: float) -> JsonMap:
        return self._send(POLL_PATH, secret, message, wait_s + ANSWER_S)

    def blob(self, secret: str, sha512: str, begin: int) -> Iterator[bytes]:
        """The bytes of a blob from an offset on. Raises SilentError and RefusedError, also in the middle."""
        headers = self._headers(secret) | ({"Range": f"bytes={begin}-"} if begin else {})
        try:
            answer = self._pool.request(
                "GET",
                f"{self._url}{BLOBS_PATH}/{sha512}",
                headers=headers,
                timeout=urllib3.Timeout(connect=CONNECT_S, read=ANSWER_S),
                preload_content=False,
            )
            try:
                if answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                    return  # Everything is there already.
                if answer.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
                    _document(answer.status, answer.read(MAXIMUM_ANSWER_BYTES))
                    raise SilentError(f"the Conductor's answer cannot be read (HTTP {answer.status})")
                yield from answer.stream(_BLOCK_BYTES, decode_content=False)
            finally:
                answer.close()
        except urllib3.exceptions.HTTPError as failed:
            raise SilentError(f"the Conductor at {self._url} does not answer: {failed}") from failed

    def part_size(self, secret: str, name: str) -> int:
        """The bytes of a part that are at the Conductor."""
        return _size(self._answer("GET", f"{PARTS_PATH}/{name}", self._headers(secret), b"", ANSWER_S))

    def append_part(self, secret: str, name: str, offset: int, content: bytes) -> int:
        """Send bytes of a part, and return how many are there then."""
        headers = self._headers(secret) | {"Content-Type": "application/octet-stream"}
        return _size(self._answer("PATCH", f"{PARTS_PATH}/{name}?offset={offset}", headers, content, ANSWER_S * 3))

    def _headers(self, secret: str) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {bearer(self._zone, self._name, secret)}",
            "User-Agent": "tenuto-agent",
        }

    def _send(self, path: str, secret: str, message: JsonMap, read_s: float) -> JsonMap:
        headers = self._headers(secret) | {"Content-Type": "application/json"}
        return self._answer("POST", path, headers, json.dumps(message).encode(), read_s)

    def _answer(self, method: str, path: str, headers: dict[str, str], body: bytes, read_s: float) -> JsonMap:
        try:
            answer = self._pool.request(
                method,
                self._url + path,
                body=body or None,
                headers=headers,
                timeout=urllib3.Timeout(connect=CONNECT_S, read=read_s),
                preload_content=False,
            )
            content = answer.read(MAXIMUM_ANSWER_BYTES + 1)
            answer.release_conn()
        except urllib3.exceptions.SSLError as failed:
            if failed.args and isinstance(failed.args[0], ssl.SSLEOFError | ssl.SSLZeroReturnError):
                # As a Conductor does that ends, and a cable that is drawn: it says nothing of who was there.
                raise SilentError(f"the connection to the Conductor at {self._url} was cut") from failed
            raise SilentError(
                f"what answers at {self._url} is not the Conductor that made the token: {failed}. Nothing was sent"
            ) from failed
        except urllib3.exceptions.HTTPError as failed:
            raise SilentError(f"the Conductor at {self._url} does not answer: {failed}") from failed
        return _document(answer.status, content)


def _size(answer: JsonMap) -> int:
    size = answer.get("size")
    if not isinstance(size, int) or size < 0:
        raise SilentError("the Conductor's answer cannot be read (size)")
    return size


def _document(status: int, content: bytes) -> JsonMap:
    try:
        document = json.loads(content) if len(content) <= MAXIMUM_ANSWER_BYTES else None
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise SilentError(f"the Conductor's answer cannot be read (HTTP {status})")
    if status >= HTTPStatus.BAD_REQUEST:
        raise RefusedError(status, str(document.get("detail", f"HTTP {status}")))
    return document
