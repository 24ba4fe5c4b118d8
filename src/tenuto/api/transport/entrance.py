"""An encrypted connection until its TLS handshake is complete.

A handshake needs no secret and costs a descriptor, so connections in it count among all connections, can lose their
place, and have the time of a head (`api.transport.connections`). asyncio's own TLS servers tell a protocol of a
connection only after its handshake. So the server is one without TLS: the entrance counts the connection, lets asyncio
do the handshake (`start_tls`), and hands the encrypted transport to the protocol of the API.
"""

import asyncio
import ssl
from collections.abc import Callable
from typing import Protocol

from tenuto.api.transport.bodies import forget_frames
from tenuto.api.transport.connections import Connection, Connections


class Context(Protocol):
    """A source of the certificate, which may be another one for each connection."""

    def context(self) -> ssl.SSLContext: ...


class Entrance(asyncio.Protocol):
    """The entrance of one connection. `make` makes the protocol that follows."""

    def __init__(self, connections: Connections, tls: Context, make: Callable[[], Connection]) -> None:
        self._all = connections
        self._tls = tls
        self._make = make
        self.loop = asyncio.get_running_loop()
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport
        self._all.admit(self)
        if transport.is_closing():
            return
        self._all.wait(self)
        transport.pause_reading()
        self._task = self.loop.create_task(self._enter())

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.forget(self)

    @property
    def gives_way(self) -> bool:
        """False: a body begins after the end of the handshake."""
        return False

    async def _enter(self) -> None:
        """The handshake, and the switch to HTTP. A client that fails in it is told nothing, and is nothing to log."""
        early = _Early()
        try:
            encrypted = await self.loop.start_tls(
                self.transport,
                early,
                self._tls.context(),
                server_side=True,
                ssl_handshake_timeout=self._all.limits.head_s,
            )
        except OSError as error:
            self.transport.abort()
            # asyncio's frame holds the error by the future that it waited for, and with it 300 KB of buffers: a cycle
            # that the rare collections (`bootstrap.collector`) leave until they are hundreds of megabytes.
            forget_frames(error)
            return
        finally:
            self._all.forget(self)
        # None, against its annotation, when the connection ended in the handshake.
        if encrypted is None or early.is_over:
            return
        follower = self._make()
        encrypted.set_protocol(follower)
        follower.connection_made(encrypted)
        if early.received and not encrypted.is_closing():
            follower.data_received(bytes(early.received))


class _Early(asyncio.Protocol):
    """The bytes that a client sends right behind the handshake, before the API has the connection."""

    def __init__(self) -> None:
        self.received = bytearray()
        self.is_over = False

    def data_received(self, data: bytes) -> None:
        self.received += data

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over = True
