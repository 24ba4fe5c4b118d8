"""The listener for the agents of real hosts: its certificate, its socket, and its server.

Theory of operation. The certificate is made once, by the Conductor itself, and kept beside the database for its owner's
eyes only. No authority signs it: each token carries its fingerprint, and an agent believes that and nothing else. So it
needs no name and no end. To make it anew is to enroll every host anew, so it is never made anew by itself.
"""

import asyncio
import socket
import threading
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

import structlog

from tenuto.api.connections import ConnectionLimits, loop_error_handler
from tenuto.api.host_app import create_host_app
from tenuto.bootstrap.http_server import http_server
from tenuto.bootstrap.listening import listen_on
from tenuto.bootstrap.tls import ServerTls
from tenuto.errors import UserError
from tenuto.kit.address import Address
from tenuto.kit.private_file import private_draft
from tenuto.ports.host_door import HostDoor
from tenuto.provider_plugins import file_beside
from tenuto.service.host_enrolment import HostPlace

ENDING = "nodes.pem"
"""The ending of the file with the certificate and its key."""
_LIFE = timedelta(days=36500)
_WILDCARDS = ("0.0.0.0", "::")

_log = structlog.get_logger("tenuto.hosts")


class HostListener(AbstractContextManager["HostListener"]):
    """The listener. Raises UserError when the address or the certificate cannot be used."""

    def __init__(self, address: Address, database: Path | None, limits: ConnectionLimits) -> None:
        if database is None:
            raise UserError(
                "--listen-nodes needs a database file: the certificate of the hosts is kept beside it. Name one with "
                "--database."
            )
        file = file_beside(database, ENDING)
        self._tls = ServerTls(file, _certificate(file))
        self._limits = limits
        self._socket = listen_on(address, "--listen-nodes")
        host = socket.gethostname() if address.host in _WILDCARDS else address.host
        bound = replace(address, port=self._socket.getsockname()[1])
        self.place = HostPlace(url=bound.url_at(host, scheme="https"), fingerprint=_fingerprint(file))

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def start(self, door: HostDoor) -> "HostServer":
        """Answer agents from now on, by this door."""
        return HostServer(door, self._socket.dup(), self._limits, self._tls)


class HostServer:
    """One server, on a thread of its own."""

    def __init__(self, door: HostDoor, bound: socket.socket, limits: ConnectionLimits, tls: ServerTls) -> None:
        app = create_host_app(door, lambda: self._server.should_exit)
        self._server = http_server(app, limits, tls)
        self._socket = bound
        self._thread = threading.Thread(target=self._answer, name="hosts")
        self._thread.start()

    def stop(self) -> None:
        """End, after the calls under way."""
        self._server.should_exit = True
        self._thread.join()

    def _answer(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception:  # noqa: BLE001 - logged: the hosts are silent then, and the Conductor goes on
            _log.exception("hosts.listener_crashed")

    async def _serve(self) -> None:
        asyncio.get_running_loop().set_exception_handler(loop_error_handler())
        await self._server.serve(sockets=[self._socket])


def _certificate(file: Path) -> Path:
    """The file of the certificate and its key, which is made where there is none. Raises UserError."""
    if file.exists():
        return file
    try:
        with private_draft(file, _made()) as draft:
            draft.replace(file)
    except OSError as failed:
        raise UserError(f"The certificate of the hosts cannot be kept in {file}: {failed.strerror}.") from failed
    return file


def _made() -> bytes:
    """A new key and its certificate, PEM."""
    # Loaded here: most Conductors make none.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tenuto Conductor")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _LIFE)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("tenuto-conductor")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(serialization.Encoding.PEM) + private


def _fingerprint(file: Path) -> str:
    from ssl import PEM_cert_to_DER_cert

    text = file.read_text()
    end = "-----END CERTIFICATE-----"
    return sha256(PEM_cert_to_DER_cert(text[: text.index(end) + len(end)])).hexdigest()
