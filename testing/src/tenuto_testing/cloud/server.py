"""The cloud behind HTTP on loopback: one thread, many connections kept open.

Theory of operation. An asyncio protocol reads requests off each connection and writes the answers in order; the cloud
itself runs in the same thread, as it needs less time for an answer than a change of threads would. The parser knows the
forms that HTTP clients of AWS send (a length, or chunks, and `Expect: 100-continue`) and closes the connection over
anything else. A reply that is lost closes the connection, one that is cut closes it halfway, and a slow one holds up
only its own connection.
"""

import asyncio
import threading
from types import TracebackType
from typing import Self

from tenuto_testing.cloud.cloud import Cloud, Reply
from tenuto_testing.cloud.wire.messages import HttpRequest

_LARGEST = 16 * 1024 * 1024
"""No request of the control plane is near this size."""
_GRACE_S = 10.0


class CloudServer:
    """Serves a cloud until the end of the context. `port` 0 takes one that is free; `url` tells which."""

    def __init__(self, cloud: Cloud, port: int = 0) -> None:
        self.cloud = cloud
        self.port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="strict-cloud", daemon=True)
        self._is_up = threading.Event()
        self._failure: OSError | None = None
        self._open: set[asyncio.Transport] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        self._is_up.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_GRACE_S)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            listening = self._loop.create_server(
                lambda: _Connection(self.cloud, self._loop, self._open), "127.0.0.1", self.port
            )
            server = self._loop.run_until_complete(listening)
        except OSError as failure:
            self._failure = failure
            self._is_up.set()
            return
        self.port = server.sockets[0].getsockname()[1]
        self._is_up.set()
        self._loop.run_forever()
        server.close()
        for transport in list(self._open):
            transport.abort()
        # The end of a connection runs in the next round of the loop.
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()


class _Connection(asyncio.Protocol):
    def __init__(self, cloud: Cloud, loop: asyncio.AbstractEventLoop, connections: set[asyncio.Transport]) -> None:
        """`connections` are those that are open: this one is among them while it is."""
        self._cloud = cloud
        self._loop = loop
        self._connections = connections
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._is_busy = False
        self._was_told_to_go_on = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(transport)

    def connection_lost(self, error: Exception | None) -> None:
        if self._transport is not None:
            self._connections.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > _LARGEST:
            self._close()
        self._go_on()

    def _go_on(self) -> None:
        while not self._is_busy and self._transport is not None and not self._transport.is_closing():
            try:
                request = self._next()
            except ValueError:
                self._close()
                return
            if request is None:
                return
            reply = self._cloud.handle(request)
            if reply.delay_s:
                self._is_busy = True
                self._loop.call_later(reply.delay_s, self._late, request, reply)
            else:
                self._answer(request, reply)

    def _late(self, request: HttpRequest, reply: Reply) -> None:
        self._is_busy = False
        self._answer(request, reply)
        self._go_on()

    def _next(self) -> HttpRequest | None:
        """The next whole request in the buffer, taken out of it. Raises ValueError for bytes that are none."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return None
        first, *lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ", 2)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        start = end + 4
        if "chunked" in headers.get("transfer-encoding", ""):
            body, stop = _chunks(self._buffer, start)
        else:
            stop = start + int(headers.get("content-length") or 0)
            body = bytes(self._buffer[start:stop]) if len(self._buffer) >= stop else None
        if body is None:
            self._encourage(headers)
            return None
        del self._buffer[:stop]
        self._was_told_to_go_on = False
        return HttpRequest(method=method, target=target, headers=headers, body=body)

    def _encourage(self, headers: dict[str, str]) -> None:
        if headers.get("expect", "").lower() == "100-continue" and not self._was_told_to_go_on and self._transport:
            self._was_told_to_go_on = True
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _answer(self, request: HttpRequest, reply: Reply) -> None:
        if self._transport is None or reply.answer is None:
            self._close()
            return
        answer = reply.answer
        lines = [f"HTTP/1.1 {answer.status} -", *(f"{name}: {value}" for name, value in answer.headers.items())]
        head = "\r\n".join([*lines, f"content-length: {len(answer.body)}", "", ""]).encode("latin-1")
        body = b"" if request.method == "HEAD" else answer.body
        self._transport.write(head + (body[: len(body) // 2] if reply.is_cut else body))
        if reply.is_cut or request.headers.get("connection", "").lower() == "close":
            self._close()

    def _close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def _chunks(buffer: bytearray, start: int) -> tuple[bytes | None, int]:
    """A body in chunks, and where it ends. None when it is not all there."""
    body = bytearray()
    while True:
        line = buffer.find(b"\r\n", start)
        if line < 0:
            return None, start
        size = int(bytes(buffer[start:line]).split(b";")[0], 16)
        start = line + 2
        if len(buffer) < start + size + 2:
            return None, start
        body += buffer[start : start + size]
        start += size + 2
        if not size:
            return bytes(body), start
