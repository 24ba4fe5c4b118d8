"""A TLS handshake that fails leaves nothing in memory, without the help of a collection."""

import asyncio
import gc
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from certificates import Authority

from tenuto.api.transport.connections import Admitted, ConnectionLimits, Connections
from tenuto.api.transport.entrance import Entrance


class Tls:
    def __init__(self, folder: Path) -> None:
        pair = Authority(folder).sign("localhost")
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(pair.certificate, pair.key)

    def context(self) -> ssl.SSLContext:
        return self._context


class Table(Connections):
    """Tells when a handshake is over."""

    def __init__(self) -> None:
        super().__init__(ConnectionLimits(connections=10))
        self.has_forgotten = asyncio.Event()

    def forget(self, gone: Admitted) -> None:
        super().forget(gone)
        self.has_forgotten.set()


@pytest.fixture
def no_collections() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def nobody() -> NoReturn:
    raise AssertionError("the handshake failed, so nothing follows it")


@pytest.mark.usefixtures("no_collections")
@pytest.mark.parametrize("first", [b"\x16\x03\x01", b"GET / HTTP/1.1\r\n\r\n", b""], ids=["half", "plain", "nothing"])
def test_a_handshake_that_fails_leaves_no_buffers(tmp_path: Path, first: bytes) -> None:
    tls = Tls(tmp_path)
    before = buffers()

    async def connect() -> None:
        connections = Table()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Entrance(connections, tls, nobody), "127.0.0.1", 0)
        async with server:
            _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(first)
            writer.close()
            await connections.has_forgotten.wait()
            await wait_until_gone(before)

    asyncio.run(connect())
    assert buffers() == before


async def wait_until_gone(before: int) -> None:
    """The last callbacks of a connection run some rounds of the loop after its end."""
    for _ in range(200):
        await asyncio.sleep(0.001)
        if buffers() == before:
            return


def buffers() -> int:
    return sum(isinstance(one, SSLProtocol) for one in gc.get_objects())
