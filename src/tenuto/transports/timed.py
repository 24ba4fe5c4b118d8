"""A connection for one exchange that has one time limit: connecting, TLS, the request, and the answer.

Theory of operation. A deadline is made before the exchange, and each piece that is sent or read waits no longer than
the time that is left (`kit.timed_answers`). Connecting and the handshake of TLS each have one wait in the system, so
each of them gets half of the time that is left.

Rejected: a watch in another thread, which costs one for each delivery, and cannot end the reading.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util import Url

from tenuto.kit.timed_answers import TimedAnswer

CONNECT_S = 5.0
_PIECE = 16 * 1024
"""The bytes that are sent in one wait: a record of TLS, which a socket of TLS sends in one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """The moment at which an exchange must be over, by the clock `now`, in seconds."""

    now: Callable[[], float]
    end: float

    @property
    def left_s(self) -> float:
        """The seconds that are left, more than none. Raises TimeoutError."""
        left_s = self.end - self.now()
        if left_s <= 0:
            raise TimeoutError("the exchange was not over in time")
        return left_s


def timed_pool(address: str, port: int | None, deadline: Deadline, tls_host: str = "") -> urllib3.HTTPConnectionPool:
    """A pool for one exchange with an address. `tls_host` is the name in its certificate; empty for plain HTTP.

    Connecting again, to the next address, needs a new pool. Raises TimeoutError.
    """
    left_s = deadline.left_s
    timeout = urllib3.Timeout(connect=min(CONNECT_S, left_s / 2), read=left_s)
    if not tls_host:
        return _Pool(address, port, timeout=timeout, deadline=deadline)
    return _TlsPool(
        address, port, timeout=timeout, deadline=deadline, cert_reqs="CERT_REQUIRED", server_hostname=tls_host
    )


@contextmanager
def exchange(
    method: str, address: str, url: Url, body: bytes | None, headers: Mapping[str, str], deadline: Deadline
) -> Iterator[urllib3.BaseHTTPResponse]:
    """One request to an address, and its answer, of which no body is read yet. A name for the address is resolved here.

    A connection carries one exchange: the unread rest of an answer cannot be skipped at a bounded cost. Raises
    urllib3's HTTPError, and OSError.
    """
    host = host_of(url)
    with timed_pool(address, url.port, deadline, tls_host=host if url.scheme == "https" else "") as pool:
        response = pool.urlopen(
            method,
            url.request_uri,
            body=body,
            headers={**headers, "Host": url.netloc or host},
            retries=False,
            redirect=False,
            preload_content=False,
        )
        try:
            yield response
        finally:
            response.close()


def host_of(url: Url) -> str:
    """The host of a URL, an IPv6 address without its brackets."""
    return (url.host or "").strip("[]")


class _Connection(HTTPConnection):
    """A connection that is closed to sending and reading from the deadline on."""

    def __init__(self, *args: Any, deadline: Deadline, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline = deadline
        self.response_class = partial(TimedAnswer, lambda: deadline.left_s)  # type: ignore[assignment]

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        with memoryview(data) as whole:
            for start in range(0, len(whole), _PIECE):
                self.sock.settimeout(self._deadline.left_s)
                super().send(whole[start : start + _PIECE])


class _TlsConnection(_Connection, HTTPSConnection):
    pass


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _TlsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _TlsConnection
