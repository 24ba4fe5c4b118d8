"""The listener for the agents of real hosts: its certificate, its socket, and its server.

Theory of operation. The certificate is made once, by the Conductor itself, and kept beside the database for its owner's
eyes only. No authority signs it: each token carries its fingerprint, and an agent believes that and nothing else. So it
needs no name and no end. To make it anew is to enroll every host anew, so it is never made anew by itself.
"""

import socket
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import structlog
import uvicorn

from tenuto.api.host_app import create_host_app
from tenuto.api.transport.connections import ConnectionLimits
from tenuto.bootstrap.serving.http_server import http_server
from tenuto.bootstrap.serving.listening import listen_on
from tenuto.bootstrap.serving.server_thread import ServerThread
from tenuto.bootstrap.serving.tls import DamagedPairError, ServerTls
from tenuto.errors import UserError
from tenuto.kit.address import Address
from tenuto.kit.private_file import private_draft
from tenuto.ports.host_door import HostDoor
from tenuto.provider_plugins import file_beside
from tenuto.providers.local.wire import certificates
from tenuto.service.objects.host_enrolment import HostPlace

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
        self._tls = _tls_of(file)
        self._limits = limits
        self._socket = listen_on(address, "--listen-nodes")
        host = socket.gethostname() if address.host in _WILDCARDS else address.host
        bound = replace(address, port=self._socket.getsockname()[1])
        self.place = HostPlace(url=bound.url_at(host, scheme="https"), fingerprint=certificates.fingerprint_of(file))

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def start(self, door: HostDoor) -> ServerThread:
        """Answer agents from now on, by this door."""
        server = _server_of(door, self._limits, self._tls)
        return ServerThread(server, self._socket.dup(), name="hosts", crashed=_log_crash)


def _server_of(door: HostDoor, limits: ConnectionLimits, tls: ServerTls) -> uvicorn.Server:
    app = create_host_app(door, lambda: server.should_exit)
    server = http_server(app, limits, tls)
    return server


def _log_crash() -> None:
    """The hosts are silent then, and the Conductor goes on."""
    _log.exception("hosts.listener_crashed")


def _tls_of(file: Path) -> ServerTls:
    """The certificate in the file. Raises UserError."""
    try:
        return ServerTls(file, _certificate(file))
    except DamagedPairError as damaged:
        raise UserError(
            f"The certificate of the hosts is damaged: {damaged} Put the copy of your backup in its place. Without "
            "one, move the file away: a new certificate is made then, and every host must join again with a token of "
            "'tenuto node enroll NAME'."
        ) from damaged


def _certificate(file: Path) -> Path:
    """The file of the certificate and its key, which is made where there is none. Raises UserError."""
    if file.exists():
        return file
    try:
        with private_draft(file, certificates.made("Tenuto Conductor", "tenuto-conductor", _LIFE)) as draft:
            draft.replace(file)
    except OSError as failed:
        raise UserError(f"The certificate of the hosts cannot be kept in {file}: {failed.strerror}.") from failed
    return file
