"""A Conductor whose standard error cannot be written: it works, and ends when it is told to."""

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from time import monotonic, sleep

import pytest
from ports import free_port

PATIENCE_S = 60.0


def full() -> int:
    return os.open("/dev/full", os.O_WRONLY)


def unread() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.fixture(params=[full, unread])
def stderr(request: pytest.FixtureRequest) -> Iterator[int]:
    descriptor: int = request.param()
    yield descriptor
    os.close(descriptor)


def health(port: int) -> str:
    """The first line of the answer; empty without one."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return connection.makefile("r", encoding="latin-1").readline().strip()
    except OSError:
        return ""


def test_a_conductor_works_and_ends_cleanly_although_no_line_of_its_log_can_be_written(
    stderr: int, tmp_path: Path
) -> None:
    port = free_port()
    words = ["--database", str(tmp_path / "tenuto.db"), "--provider", "simulated", "--listen", f"127.0.0.1:{port}"]
    environ = {**os.environ, "HOME": str(tmp_path), "TENUTO_CREDENTIALS": str(tmp_path / "credentials")}
    with Popen([sys.executable, "-m", "tenuto", "conductor", *words], stderr=stderr, cwd=tmp_path, env=environ) as it:
        try:
            until = monotonic() + PATIENCE_S
            while not (answered := health(port)) and it.poll() is None and monotonic() < until:
                sleep(0.1)
            assert answered.endswith(" 200 OK")
        finally:
            it.terminate()
    assert it.returncode == 0
