"""The fetching of a URL into a part of the folder of images, beside the phases that wait for it.

Theory of operation. A phase never waits, and a download takes minutes. So a phase asks; the first question starts a
thread, and later ones get its end, once. A download that is in memory alone may be lost with the Conductor: the phase
asks again, and the download begins anew.

A user chose the URL, and the Conductor may reach addresses that this user may not. So the name of each step, redirects
included, is resolved once, its addresses are checked (`kit.reach`), and the connection goes to one that was permitted.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from typing import Protocol
from urllib.parse import urljoin

import urllib3
from urllib3.util import Url, parse_url

import tenuto
from tenuto.errors import NoRoomError, TenutoError
from tenuto.kit.reach import Reach
from tenuto.model.ids import ObjectId
from tenuto.model.image import GIB, Content
from tenuto.ports.clock import Clock
from tenuto.ports.images import ImageFiles

CONNECT_S = 10.0
READ_S = 60.0
"""Seconds without a byte before a download is given up."""
LARGEST_BYTES = 1024 * GIB
MOST_AT_ONCE = 4
MOST_REDIRECTS = 5
_BLOCK_BYTES = 4 * 1024**2
_REDIRECTS = (301, 302, 303, 307, 308)
_PASSING = (408, 425, 429, 500, 502, 503, 504)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One download. `etag` and `modified` are those of the content that is known, to ask for a newer one only."""

    part: ObjectId
    url: str
    etag: str = ""
    modified: str = ""
    most_bytes: int | None = None
    """The bytes that its namespace may still have; None for no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A download that is complete, and sealed in its part."""

    content: Content
    etag: str = ""
    modified: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """The source has the content that is known already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The true cause for which nothing was fetched. `may_pass` says that another try may help, and `is_full` that it
    will once the disk has room."""

    cause: str
    may_pass: bool = True
    is_full: bool = False


Ended = Fetched | Unchanged | Lost


class Fetcher(Protocol):
    """The downloads of a Conductor. Thread-safe."""

    def ask(self, wanted: Wanted) -> Ended | int:
        """Start a download, or return its end, which is forgotten then; the bytes so far while it is under way."""
        ...

    def announced(self, part: ObjectId) -> int:
        """Return the bytes that a download under way will have, as its source announces them; 0 while that is not
        known."""
        ...


class Downloads:
    """Implements `Fetcher` with threads."""

    def __init__(self, files: ImageFiles, clock: Clock, reach: Reach) -> None:
        self._files = files
        self._clock = clock
        self._reach = reach
        self._room = threading.Semaphore(MOST_AT_ONCE)
        self._lock = threading.Lock()
        self._under_way: dict[ObjectId, int] = {}
        self._ended: dict[ObjectId, Ended] = {}
        self._announced: dict[ObjectId, int] = {}

    def ask(self, wanted: Wanted) -> Ended | int:
        with self._lock:
            if (end := self._ended.pop(wanted.part, None)) is not None:
                return end
            if wanted.part not in self._under_way:
                self._under_way[wanted.part] = 0
                # A thread that hangs in a download must not hold up the end of the program.
                threading.Thread(target=self._run, args=(wanted,), name="fetch", daemon=True).start()
            return self._under_way[wanted.part]

    def announced(self, part: ObjectId) -> int:
        with self._lock:
            return self._announced.get(part, 0)

    def _run(self, wanted: Wanted) -> None:
        with self._room:
            try:
                end = self._fetch(wanted)
            except NoRoomError:
                end = _no_room(_place(wanted.url), "a part of it came")
            except TenutoError as error:
                end = Lost(cause=str(error))
            except Exception as error:  # noqa: BLE001 - the border: the phase must learn that the thread has ended
                end = Lost(cause=f"the download failed ({error!r})")
            if isinstance(end, Lost):
                # The next try begins anew, and a full disk needs the room meanwhile.
                with suppress(TenutoError):
                    self._files.drop(wanted.part)
        with self._lock:
            self._under_way.pop(wanted.part, None)
            self._announced.pop(wanted.part, None)
            self._ended[wanted.part] = end

    def _fetch(self, wanted: Wanted) -> Ended:
        url = wanted.url
        for _ in range(MOST_REDIRECTS + 1):
            try:
                with self._opened(url, wanted) as response:
                    if response.status not in _REDIRECTS:
                        return self._answered(wanted, response)
                    url = urljoin(url, response.headers.get("location", ""))
            except _Refused as refused:
                return refused.lost
            except urllib3.exceptions.HTTPError as failed:
                return Lost(cause=f"{_place(url)}: {_reason(failed)}")
        return Lost(cause=f"{_place(wanted.url)} leads on more than {MOST_REDIRECTS} times", may_pass=False)

    def _answered(self, wanted: Wanted, response: urllib3.BaseHTTPResponse) -> Ended:
        if response.status == HTTPStatus.NOT_MODIFIED:
            return Unchanged()
        if response.status != HTTPStatus.OK:
            words = HTTPStatus(response.status).phrase if response.status in set(HTTPStatus) else ""
            cause = f"{_place(wanted.url)} answered HTTP {response.status} {words}".strip()
            return Lost(cause=cause, may_pass=response.status in _PASSING)
        announced = response.headers.get("content-length", "")
        if announced.isdecimal():
            if int(announced) > LARGEST_BYTES:
                return Lost(cause=f"{_place(wanted.url)} has more than {LARGEST_BYTES:,} bytes", may_pass=False)
            if int(announced) > (free := self._files.free_bytes()):
                told = f"it has {int(announced):,} bytes, and {free:,} are free for images"
                return _no_room(_place(wanted.url), told)
            if wanted.most_bytes is not None and int(announced) > wanted.most_bytes:
                return _beyond(wanted, f"has {int(announced):,} bytes")
            with self._lock:
                self._announced[wanted.part] = int(announced)
        self._files.begin(wanted.part, self._clock.now())
        size = 0
        for block in _blocks(response):
            if size + len(block) > LARGEST_BYTES:
                return Lost(cause=f"{_place(wanted.url)} sends more than {LARGEST_BYTES:,} bytes", may_pass=False)
            if wanted.most_bytes is not None and size + len(block) > wanted.most_bytes:
                return _beyond(wanted, f"sends more than {wanted.most_bytes:,} bytes")
            size = self._files.append(wanted.part, size, block, self._clock.now())
            with self._lock:
                self._under_way[wanted.part] = size
        if announced.isdecimal() and size != int(announced):
            return Lost(cause=f"{_place(wanted.url)} sent {size:,} of {int(announced):,} bytes")
        if not size:
            return Lost(cause=f"{_place(wanted.url)} has no bytes", may_pass=False)
        return Fetched(
            content=self._files.seal(wanted.part),
            etag=response.headers.get("etag", "")[:1000],
            modified=response.headers.get("last-modified", "")[:100],
        )

    @contextmanager
    def _opened(self, url: str, wanted: Wanted) -> Iterator[urllib3.BaseHTTPResponse]:
        """The answer to a request, at an address that may be called."""
        parts = parse_url(url)
        host = (parts.host or "").strip("[]")
        if parts.scheme not in ("http", "https") or not host:
            raise _Refused(Lost(cause=f"{_place(url)} is no URL that can be fetched", may_pass=False))
        headers = {"Host": parts.netloc or host, "User-Agent": f"tenuto/{tenuto.__version__}"}
        headers |= {"Accept-Encoding": "identity"}
        headers |= {"If-None-Match": wanted.etag} if wanted.etag else {}
        headers |= {"If-Modified-Since": wanted.modified} if wanted.modified else {}
        with _pool(parts, host, self._address(parts, host)) as pool:
            response = pool.urlopen(
                "GET", parts.request_uri, headers=headers, retries=False, redirect=False, preload_content=False
            )
            try:
                yield response
            finally:
                response.close()

    def _address(self, parts: Url, host: str) -> str:
        try:
            found = socket.getaddrinfo(host, parts.port or 0, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            raise _Refused(Lost(cause=f"the name {host} is not known")) from None
        for one in found:
            address = str(one[4][0])
            if self._reach.permits(host, ip_address(address)):
                return address
        raise _Refused(
            Lost(
                cause=f"{host} leads to this machine, to a private network, or to another address that is not public. "
                "The administrator of the Conductor can allow the network or the host with --image-allow "
                "(TENUTO_IMAGE_ALLOW)",
                may_pass=False,
            )
        )


class _Refused(Exception):  # noqa: N818 - the end of a download, and no error of the program
    def __init__(self, lost: Lost) -> None:
        super().__init__(lost.cause)
        self.lost = lost


def _pool(parts: Url, host: str, address: str) -> urllib3.HTTPConnectionPool:
    timeout = urllib3.Timeout(connect=CONNECT_S, read=READ_S)
    if parts.scheme == "https":
        return urllib3.HTTPSConnectionPool(
            address, parts.port, timeout=timeout, cert_reqs="CERT_REQUIRED", server_hostname=host
        )
    return urllib3.HTTPConnectionPool(address, parts.port, timeout=timeout)


def _blocks(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    while block := response.read(_BLOCK_BYTES, decode_content=False):
        yield block


def _no_room(place: str, told: str) -> Lost:
    return Lost(
        cause=f"the disk of the Conductor has no room for {place} ({told}): delete artifacts that are not needed, or "
        "give the disk more room",
        is_full=True,
    )


def _beyond(wanted: Wanted, told: str) -> Lost:
    """The end of a download that is beyond the limit of its namespace."""
    return Lost(
        cause=f"{_place(wanted.url)} {told}, and its namespace may have {wanted.most_bytes or 0:,} more: delete "
        "artifacts, or let its administrator raise the limit blob_bytes",
        may_pass=False,
    )


def _place(url: str) -> str:
    """A URL without its query, which may hold a secret."""
    return url.partition("?")[0][:200]


def _reason(failed: urllib3.exceptions.HTTPError) -> str:
    match failed:
        # The most specific first: a connection that was not made is a kind of time-out.
        case urllib3.exceptions.NewConnectionError():
            return "no server listens there"
        case urllib3.exceptions.ConnectTimeoutError() | urllib3.exceptions.ReadTimeoutError():
            return "no answer in time"
        case urllib3.exceptions.SSLError():
            return "its certificate is not valid, or it does not speak TLS"
        case urllib3.exceptions.ProtocolError() | urllib3.exceptions.IncompleteRead():
            return "the connection ended before everything had come"
        case _:
            return f"the connection failed ({type(failed).__name__})"
