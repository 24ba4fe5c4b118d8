"""Blobs between hosts: a server that gives one for a ticket, and the client of another host's.

Theory of operation. The server listens at the host's address in the mesh of its zone, with a certificate of its own
that callers know by its fingerprint, from the Conductor. It answers one question: the bytes of a blob, for a ticket
(`rules.tickets`) that names this host, the blob, and the host that calls. That host is told by its address. Every other
question gets one refusal, in the same words. Connections are few, and each has an end.
"""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import structlog
import urllib3

from tenuto.kit.private_file import private_draft
from tenuto.model.ids import JsonMap
from tenuto.model.image import is_digest
from tenuto.providers.local.agent.calls import CONNECT_S, RefusedError, SilentError
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.rules.tickets import target_of
from tenuto.providers.local.wire import certificates

PATH = "/v1/peer/blobs/"
SCHEME = "Ticket "
MOST_CONNECTIONS = 16
"""Copies that a host gives at one time; the Conductor lets twenty be made on all hosts together."""
IDLE_S = 20.0
HEAD_S = 20.0
"""Seconds for a question as a whole: a caller that sends it byte by byte holds a place for others no longer."""
_LIFE = timedelta(days=3650)
_BLOCK_BYTES = 1024**2
_FILE = "peer.pem"

_log = structlog.get_logger("tenuto.hosts")


class PeerServer:
    """The server. `hosts` are the addresses of the zone's hosts, by name, as the Conductor tells them."""

    def __init__(self, *, address: str, name: str, secret_digest: str, blobs: BlobFolder, state: Path) -> None:
        """Raises OSError when the address cannot be used, or no certificate be kept."""
        self._name = name
        self._secret_digest = secret_digest
        self._blobs = blobs
        self.hosts: Mapping[str, str] = {}
        file = state / _FILE
        context = _context(file) or _context(_made_anew(file))
        if context is None:
            raise ValueError(f"the certificate {file} cannot be used")
        self.fingerprint = certificates.fingerprint_of(file)
        self._context = context
        self._server = self._begun(address)

    @property
    def address(self) -> str:
        return str(self._server.server_address[0])

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def move(self, address: str) -> None:
        """Listen at another address instead. Raises OSError, and goes on as before, when that cannot be used."""
        before, self._server = self._server, self._begun(address)
        before.shutdown()
        before.server_close()

    def _begun(self, address: str) -> "_Server":
        server = _Server((address, 0), self._handler(), self._context)
        threading.Thread(target=server.serve_forever, name="peers", daemon=True).start()
        return server

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def path(self, sha512: str, ticket: str, caller: str) -> Path | None:
        """Return the file of a blob that a ticket lets the caller read; None where anything speaks against it."""
        if not is_digest(sha512):
            return None
        target = target_of(ticket, self._secret_digest, sha512=sha512, source=self._name, now=time.time())
        if not target or self.hosts.get(target) != caller:
            return None
        path = self._blobs.path(sha512)
        return path if path.is_file() else None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            server_version, sys_version = "tenuto-agent", ""
            timeout = IDLE_S

            def setup(self) -> None:
                super().setup()
                self._end = threading.Timer(HEAD_S, _cut, [self.connection])
                self._end.daemon = True
                self._end.start()

            def finish(self) -> None:
                self._end.cancel()
                super().finish()

            def do_GET(self) -> None:
                words = self.headers.get("Authorization", "")
                path = None
                if self.path.startswith(PATH) and words.startswith(SCHEME):
                    path = server.path(self.path.removeprefix(PATH), words.removeprefix(SCHEME), self.client_address[0])
                if path is None:
                    _log.warning("agent.peer_refused", caller=self.client_address[0])
                    self.send_error(HTTPStatus.FORBIDDEN, "this ticket is not good for it")
                    return
                self._end.cancel()
                with path.open("rb") as file:
                    size = path.stat().st_size
                    begin = min(_begin(self.headers.get("Range", "")), size)
                    file.seek(begin)
                    self.send_response(HTTPStatus.PARTIAL_CONTENT if begin else HTTPStatus.OK)
                    self.send_header("Content-Length", str(size - begin))
                    self.end_headers()
                    while block := file.read(_BLOCK_BYTES):
                        self.wfile.write(block)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the class above
                pass

        return Handler


class _Server(ThreadingHTTPServer):
    """A server that bounds its connections, and greets each on its own thread: a caller that says nothing holds up no
    other."""

    daemon_threads = True

    def __init__(
        self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext
    ) -> None:
        super().__init__(address, handler)
        self._context = context
        self._room = threading.Semaphore(MOST_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            request.settimeout(IDLE_S)
            with suppress(OSError):
                wrapped = self._context.wrap_socket(request, server_side=True)
                with suppress(OSError):
                    self.finish_request(wrapped, client_address)
                self.shutdown_request(wrapped)
        finally:
            self.shutdown_request(request)
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        _log.exception("agent.peer_failed")


Take = Callable[[JsonMap, str, int], Iterator[bytes]]
"""The bytes of a blob from an offset on, from a source of an order. Raises SilentError and RefusedError."""


def take(source: JsonMap, sha512: str, begin: int) -> Iterator[bytes]:
    """Take a blob from another host. Raises SilentError and RefusedError, also in the middle."""
    headers = {"Authorization": f"{SCHEME}{source['Ticket']}", "User-Agent": "tenuto-agent"}
    headers |= {"Range": f"bytes={begin}-"} if begin else {}
    pool = urllib3.PoolManager(
        retries=False, cert_reqs="CERT_NONE", assert_fingerprint=str(source["Fingerprint"]), assert_hostname=False
    )
    told = f"the host {source['Host']}"
    try:
        answer = pool.request(
            "GET",
            f"{source['Url']}{PATH}{sha512}",
            headers=headers,
            timeout=urllib3.Timeout(connect=CONNECT_S, read=IDLE_S),
            preload_content=False,
        )
        try:
            if answer.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
                raise RefusedError(answer.status, f"{told} does not give it")
            yield from answer.stream(_BLOCK_BYTES, decode_content=False)
        finally:
            answer.close()
    except urllib3.exceptions.HTTPError as failed:
        raise SilentError(f"{told} does not answer: {failed}") from failed
    finally:
        pool.clear()


def _cut(connection: socket.socket) -> None:
    # Below the layer of TLS, which belongs to the thread that reads.
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


def _begin(words: str) -> int:
    """The offset of a header `Range: bytes=N-`; 0 for another one."""
    digits = words.removeprefix("bytes=").removesuffix("-")
    return int(digits) if digits.isdecimal() and len(digits) < 16 else 0


def _context(file: Path) -> ssl.SSLContext | None:
    """The certificate of this host with its key, ready to be shown; None where there is none, or it is damaged."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(file)
    except (FileNotFoundError, ssl.SSLError):
        return None
    return context


def _made_anew(file: Path) -> Path:
    """Make a certificate, in the place of a damaged one. Each registration tells its fingerprint, so none is missed."""
    with private_draft(file, certificates.made("Tenuto host", "tenuto-host", _LIFE)) as draft:
        draft.replace(file)
    return file
