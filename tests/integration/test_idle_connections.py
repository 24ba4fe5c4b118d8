"""Connections that send no whole request to a real Conductor: it goes on answering, and closes them."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
from live import Live

CONNECTIONS = 8
NOBODY = "http://127.0.0.1:9"
"""No provider is asked here."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def is_closed(client: socket.socket) -> bool:
    """Whether the server closed the connection. Nothing is ever sent to these clients."""
    try:
        return client.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def test_half_open_connections_above_the_limit_are_closed_and_commands_are_answered_meanwhile(tmp_path: Path) -> None:
    live = Live(tmp_path, NOBODY, TENUTO_CONNECTIONS=str(CONNECTIONS))
    host, _, port = live.listen.partition(":")
    with ExitStack() as held:
        held.callback(live.stop)
        live.start()
        clients = [held.enter_context(socket.create_connection((host, int(port)))) for _ in range(CONNECTIONS * 5)]
        for client in clients:
            client.sendall(b"GET /v1/processes HTTP/1.1\r\nHost:")
            client.setblocking(False)
        live.until(lambda: sum(not is_closed(one) for one in clients) <= CONNECTIONS, "the surplus is closed")
        live.tenuto("status", check=True)
        live.until(lambda: all(is_closed(one) for one in clients), "every half-open connection is closed")
        live.tenuto("status", check=True)
        assert live.log().count("api.connections_full") == 1
        assert "Traceback" not in live.log()
