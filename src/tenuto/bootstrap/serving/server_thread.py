"""A server on a thread of its own.

Theory of operation. The requests of a server are answered on threads that its thread starts, and one of these may wait
for something that does not answer: an issuer, a provider, a disk. Python ends a program only after all threads but
daemons, and the threads of requests are daemons because this one is. So a program waits for them no longer than the
grace of the server. Their work has the store as its only effect, and a store takes a commit as a whole or not at all.
"""

import asyncio
import socket
import threading
from collections.abc import Callable

import uvicorn

from tenuto.api.transport.connections import loop_error_handler


class ServerThread:
    """The server answers from now on. `crashed` is called in the handler of an error, and `ended` at the end."""

    def __init__(
        self,
        server: uvicorn.Server,
        bound: socket.socket,
        *,
        name: str,
        crashed: Callable[[], None],
        ended: Callable[[], None] = lambda: None,
    ) -> None:
        self._server = server
        self._socket = bound
        self._crashed = crashed
        self._ended = ended
        self._thread = threading.Thread(target=self._answer, name=name, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End, after the requests under way, or after the grace of the server."""
        self._server.should_exit = True
        self._thread.join()

    def _answer(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception:  # noqa: BLE001 - the caller logs it
            self._crashed()
        finally:
            self._ended()

    async def _serve(self) -> None:
        asyncio.get_running_loop().set_exception_handler(loop_error_handler())
        await self._server.serve(sockets=[self._socket])
