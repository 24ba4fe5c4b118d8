"""A webhook on loopback that keeps what it is told."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver(ThreadingHTTPServer):
    """Keeps every event it accepted; refuses while it is `closed`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.accepted: list[Any] = []
        self.refused: list[str] = []
        self.is_closed = False

    def of(self, kind: str) -> list[Any]:
        return [event for event in self.accepted if event.get("job", {}).get("kind") == kind]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.is_closed:
            self.server.refused.append(event["id"])
        else:
            self.server.accepted.append(event)
        self.send_response(503 if self.server.is_closed else 200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that serves until the end of the context."""
    with Receiver() as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()
