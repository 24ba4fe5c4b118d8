"""Connections that send no whole request to a real Conductor: it answers others, and closes them."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
from live import PATIENCE_S, Live

from tenuto.service.access.own_secret import load_credentials

CONNECTIONS = 8
NOBODY = "http://127.0.0.1:9"
"""No provider is asked here."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def is_closed(client: socket.socket) -> bool:
    """Whether the server closed the connection. What it sent before is read and dropped."""
    try:
        while client.recv(65536):
            pass
        return True
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def follower(live: Live, address: tuple[str, int]) -> socket.socket:
    """A connection on which the server sends events."""
    secret = load_credentials(live.folder / "credentials").secret
    client = socket.create_connection(address, timeout=PATIENCE_S)
    client.sendall(f"GET /v1/events?follow=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n\r\n".encode())
    assert client.recv(12) == b"HTTP/1.1 200"
    return client


def test_half_open_connections_above_the_limit_are_closed_and_commands_are_answered_meanwhile(tmp_path: Path) -> None:
    live = Live(tmp_path, NOBODY, TENUTO_CONNECTIONS=str(CONNECTIONS))
    host, _, port = live.listen.partition(":")
    address = (host, int(port))
    with ExitStack() as held:
        held.callback(live.stop)
        live.start()
        events = held.enter_context(follower(live, address))
        clients = [held.enter_context(socket.create_connection(address)) for _ in range(CONNECTIONS * 5)]
        for client in clients:
            client.sendall(b"GET /v1/processes HTTP/1.1\r\nHost:")
        for client in [events, *clients]:
            client.setblocking(False)
        live.until(lambda: sum(not is_closed(one) for one in clients) < CONNECTIONS, "the surplus is closed")
        live.tenuto("status", check=True)
        live.until(lambda: all(is_closed(one) for one in clients), "every half-open connection is closed")
        live.tenuto("status", check=True)
        assert not is_closed(events)
        assert live.log().count("api.connections_full") == 1
        assert "Traceback" not in live.log()
