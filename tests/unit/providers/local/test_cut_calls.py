"""The words of an agent for a connection that is cut, and for a foreign answer: only one of them is a danger."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from tenuto.providers.local.agent.calls import Calls, SilentError


def test_a_connection_that_is_cut_says_nothing_of_who_was_there() -> None:
    """A Conductor that ended in the middle of the handshake was called another one than that of the token."""

    def cut(there: socket.socket) -> None:
        there.recv(4096)
        there.shutdown(socket.SHUT_WR)
        there.recv(4096)

    assert _told(cut).endswith("was cut")


def test_an_answer_that_is_no_tls_is_not_that_of_the_conductor() -> None:
    def answer(there: socket.socket) -> None:
        there.recv(4096)
        there.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        there.recv(4096)

    assert "is not the Conductor that made the token" in _told(answer)


def _told(serve: Callable[[socket.socket], None]) -> str:
    """The words of an agent that calls this server."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def work() -> None:
            there, _ = server.accept()
            with there, suppress(OSError):
                serve(there)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        port = server.getsockname()[1]
        calls = Calls(url=f"https://127.0.0.1:{port}", fingerprint="0" * 64, zone="z", name="h1")
        with pytest.raises(SilentError) as failed:
            calls.register("secret", {})
        thread.join(10)
    return str(failed.value)
