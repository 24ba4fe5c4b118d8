"""The end of a server while a request hangs, and of its program."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import urllib3
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tenuto.api.transport.connections import ConnectionLimits
from tenuto.bootstrap.serving.http_server import http_server
from tenuto.bootstrap.serving.listening import listen_on
from tenuto.bootstrap.serving.server_thread import ServerThread
from tenuto.kit.address import Address

LONGEST_S = 60.0
"""Seconds after which a test fails that would else hang."""


class Hanging:
    """A server with one request, which hangs until it is told to go on."""

    def __init__(self) -> None:
        self.has_begun = threading.Event()
        self.goes_on = threading.Event()
        app = Starlette(routes=[Route("/", self._answer)])
        self._server = http_server(app, ConnectionLimits(connections=4), None)
        self._server.config.timeout_graceful_shutdown = 0
        self.listener = listen_on(Address(host="127.0.0.1", port=0), "--listen")
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        self.crashes: list[BaseException | None] = []
        self.thread = ServerThread(
            self._server, self.listener.dup(), name="hanging", crashed=lambda: self.crashes.append(sys.exception())
        )

    def _hang(self) -> None:
        self.has_begun.set()
        self.goes_on.wait()

    async def _answer(self, request: Request) -> Response:
        await run_in_threadpool(self._hang)
        return Response("done")


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    made = Hanging()
    yield made
    made.goes_on.set()
    made.thread.stop()
    made.listener.close()


def asked(url: str) -> tuple[int, str]:
    with urllib3.PoolManager(retries=False) as pool:
        answer = pool.request("GET", url)
    return answer.status, answer.data.decode()


def test_a_request_that_hangs_when_the_server_stops_is_told_and_leaves_no_traceback(
    hanging: Hanging, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger("uvicorn.error").addHandler(caplog.handler)
    try:
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(asked, hanging.url)
            assert hanging.has_begun.wait(LONGEST_S)
            hanging.thread.stop()
            status, text = answer.result(LONGEST_S)
    finally:
        logging.getLogger("uvicorn.error").removeHandler(caplog.handler)
    assert (status, "may be carried out or not" in text) == (503, True)
    assert [one.getMessage() for one in caplog.records if one.exc_info] == []
    assert hanging.crashes == []


PROGRAM = """
import faulthandler
import threading
from test_server_thread import Hanging, asked

faulthandler.dump_traceback_later(40, exit=True)
hanging = Hanging()
threading.Thread(target=asked, args=(hanging.url,), daemon=True).start()
assert hanging.has_begun.wait(60)
hanging.thread.stop()
print("stopped")
"""


def test_a_program_ends_while_a_request_hangs() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    command = [sys.executable, "-c", PROGRAM]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert (ended.returncode, ended.stdout) == (0, "stopped\n"), ended.stderr
