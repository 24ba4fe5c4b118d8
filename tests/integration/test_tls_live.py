"""A real Conductor with a certificate: the command line, streams, half-open handshakes, and a renewal."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from certificates import Authority, Pair
from live import PATIENCE_S, Live
from test_idle_connections import is_closed

from tenuto.service.access.own_secret import load_credentials

CONNECTIONS = 8
NOBODY = "http://127.0.0.1:9"
"""No provider is asked here."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def pair(authority: Authority) -> Pair:
    return authority.sign("localhost", "127.0.0.1")


@pytest.fixture
def live(tmp_path: Path, authority: Authority, pair: Pair) -> Iterator[Live]:
    made = Live(
        tmp_path,
        NOBODY,
        TENUTO_CONNECTIONS=str(CONNECTIONS),
        TENUTO_TLS_CERT=str(pair.certificate),
        TENUTO_TLS_KEY=str(pair.key),
        TENUTO_CA_CERT=str(authority.certificate),
    )
    made.start()
    yield made
    made.stop()


def address(live: Live) -> tuple[str, int]:
    host, _, port = live.listen.partition(":")
    return host, int(port)


def encrypted(live: Live, authority: Authority) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=authority.certificate)
    plain = socket.create_connection(address(live), timeout=PATIENCE_S)
    return context.wrap_socket(plain, server_hostname="localhost")


def follower(live: Live, authority: Authority) -> ssl.SSLSocket:
    """A connection on which the server sends events."""
    secret = load_credentials(live.folder / "credentials").secret
    client = encrypted(live, authority)
    client.sendall(f"GET /v1/events?follow=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {secret}\r\n\r\n".encode())
    assert client.recv(12) == b"HTTP/1.1 200"
    return client


def has_ended(client: ssl.SSLSocket) -> bool:
    """Whether the server ended the stream. What it sent before is read and dropped."""
    try:
        while client.recv(65536):
            pass
    except ssl.SSLWantReadError:
        return False
    return True


def test_the_command_line_speaks_tls_by_the_credentials_file(live: Live, authority: Authority) -> None:
    assert load_credentials(live.folder / "credentials").url == f"https://{live.listen}"
    assert f"Tenuto Conductor: https://{live.listen}," in live.log()
    assert live.tenuto("status", check=True).out.startswith("There are no processes")
    plain = live.tenuto("--url", f"http://{live.listen}", "status")
    assert (plain.code, "did not answer to the end" in plain.err) == (8, True)
    with encrypted(live, authority) as client:
        # A head in two records, and a body behind it.
        client.sendall(b"GET /healthz HTTP/1.1\r\n")
        client.sendall(b"Host: localhost\r\nConnection: close\r\n\r\n")
        assert client.recv(12) == b"HTTP/1.1 200"
    assert "Traceback" not in live.log()


def test_handshakes_that_do_not_go_on_are_bounded_as_connections_are(live: Live, authority: Authority) -> None:
    with ExitStack() as held:
        events = held.enter_context(follower(live, authority))
        clients = [held.enter_context(socket.create_connection(address(live))) for _ in range(CONNECTIONS * 5)]
        for number, client in enumerate(clients):
            client.sendall(b"\x16\x03\x01\x02" if number % 2 else b"GET / HTTP/1.1\r\n")
        for one in clients:
            one.setblocking(False)
        live.until(lambda: sum(not is_closed(one) for one in clients) < CONNECTIONS, "the surplus is closed")
        live.tenuto("status", check=True)
        live.until(lambda: all(is_closed(one) for one in clients), "every half-open handshake is closed")
        live.tenuto("status", check=True)
        events.setblocking(False)
        assert not has_ended(events)
    assert "Traceback" not in live.log()


def test_a_large_body_and_a_large_answer_pass(live: Live, tmp_path: Path) -> None:
    resources = "".join(
        f"  N{number}: {{Type: 'AWS::EC2::VPC', Properties: {{CidrBlock: 10.0.0.0/16}}}}\n" for number in range(2000)
    )
    template = tmp_path / "many.yaml"
    template.write_text(f"Resources:\n{resources}")
    live.tenuto("run", str(template), "-a", "many", check=True)
    assert len(live.status("many")["resources"]) == 2000


def test_a_renewed_certificate_is_used_without_a_restart(live: Live, authority: Authority, pair: Pair) -> None:
    new = authority.sign("localhost", "127.0.0.1", "new.example.org", file="new")
    os.replace(new.key, pair.key)
    os.replace(new.certificate, pair.certificate)

    def names() -> set[str]:
        with encrypted(live, authority) as client:
            found = client.getpeercert() or {}
        return {str(name) for _, name in found["subjectAltName"]}  # type: ignore[misc]

    live.until(lambda: "new.example.org" in names(), "the new certificate is used")
    assert "api.certificate_renewed" in live.log()


def test_a_conductor_beyond_this_machine_without_tls_does_not_start_and_leaves_nothing(tmp_path: Path) -> None:
    live = Live(tmp_path / "there", NOBODY)
    live.folder.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tenuto", "conductor", "--listen", "0.0.0.0:0"],
        check=False,
        env=live.environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, "without TLS" in done.stderr, "--insecure" in done.stderr) == (2, True, True)
    assert list(live.folder.iterdir()) == []
    shutil.rmtree(live.folder)
