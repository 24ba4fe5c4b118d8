"""An application served on a free port of loopback, which ends as soon as it is told to.

uvicorn asks every tenth of a second whether it shall end, and waits another tenth before it does. A thousand tests
serve something, and each would wait for that. This server is woken instead, and waits only for answers under way.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from tenuto.bootstrap.serving.listening import listen_on
from tenuto.kit.address import Address

_GRACE_S = 5.0
"""As long as an answer under way may take. A stream of events asks once a second whether it is to end."""


class PromptServer(uvicorn.Server):
    """A server that is told to end by a call from any thread."""

    def __init__(self, app: Any) -> None:
        super().__init__(uvicorn.Config(app, log_config=None, lifespan="off", ws="none", http="h11"))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told = asyncio.Event()

    def end(self) -> None:
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._told.set)

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self.on_tick(0)  # the headers of every answer
        if not self.should_exit:
            await self._told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        end = asyncio.get_running_loop().time() + _GRACE_S
        while self.server_state.connections or self.server_state.tasks:
            if asyncio.get_running_loop().time() > end:
                for task in self.server_state.tasks:
                    task.cancel()
                break
            await asyncio.sleep(0.001)


@contextmanager
def serving(make_app: Callable[[int, Callable[[], bool]], Any]) -> Iterator[str]:
    """Serve an application, made from its port and a question whether the server ends; gives the URL."""
    listener = listen_on(Address(host="127.0.0.1", port=0), "--listen")
    port = listener.getsockname()[1]

    def is_stopping() -> bool:
        return server.should_exit

    server = PromptServer(make_app(port, is_stopping))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.end()
        thread.join()
        listener.close()
