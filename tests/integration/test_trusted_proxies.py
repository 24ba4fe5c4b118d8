"""The address that a request counts for: that of the connection, or the one that a trusted proxy names."""

import asyncio
import http.client
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from starlette.types import Receive, Scope, Send

from tenuto.api.transport.connections import ConnectionLimits
from tenuto.bootstrap.serving.http_server import http_server
from tenuto.kit.reach import Networks, parse_networks


async def told(scope: Scope, _: Receive, send: Send) -> None:
    """Answer with the address that the request counts for."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["client"][0].encode()})


@contextmanager
def serving(trusted: Networks) -> Iterator[int]:
    """A server with these proxies; yields its port."""
    server = http_server(told, ConnectionLimits(connections=10), None, trusted)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def address(port: int, *forwarded: str) -> str:
    """The address that a request with these headers counts for."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        lines = ["GET / HTTP/1.1", "Host: here", "Connection: close", *(f"X-Forwarded-For: {one}" for one in forwarded)]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.read().decode()


def test_no_program_of_this_machine_can_say_that_it_is_somebody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    with serving(()) as port:
        assert address(port, "203.0.113.9") == "127.0.0.1"


def test_a_trusted_proxy_names_the_last_address_before_it() -> None:
    with serving(parse_networks("127.0.0.0/8 10.0.0.0/8")) as port:
        assert address(port, "203.0.113.9") == "203.0.113.9"
        assert address(port, "198.51.100.7, 203.0.113.9, 10.0.0.3") == "203.0.113.9", "what is before it may be a lie"
        assert address(port) == "127.0.0.1"


def test_a_proxy_that_is_not_named_is_not_believed() -> None:
    with serving(parse_networks("192.0.2.1")) as port:
        assert address(port, "203.0.113.9") == "127.0.0.1"
