"""A socket on which the Conductor listens."""

import asyncio
import socket

import pytest

from tenuto.bootstrap.serving.listening import listen_on
from tenuto.errors import UserError
from tenuto.kit.address import Address


def test_an_address_is_taken_before_the_server_runs() -> None:
    with listen_on(Address(host="127.0.0.1", port=0), "--listen") as listener:
        host, port = listener.getsockname()[:2]
        with pytest.raises(UserError, match=f"cannot listen on {host}:{port}.*Is a Conductor running already"):
            listen_on(Address(host=host, port=port), "--listen")
        socket.create_connection((host, port)).close()


def test_the_body_of_an_answer_does_not_wait_for_the_receipt_of_its_head() -> None:
    async def option_of_a_connection() -> int:
        taken: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        class Server(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                own = transport.get_extra_info("socket")
                taken.set_result(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
                transport.close()

        with listen_on(Address(host="127.0.0.1", port=0), "--listen") as listener:
            async with await asyncio.get_running_loop().create_server(Server, sock=listener):
                with socket.create_connection(listener.getsockname()[:2]):
                    return await taken

    assert asyncio.run(option_of_a_connection()) == 1
