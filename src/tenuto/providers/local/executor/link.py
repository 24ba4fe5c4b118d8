"""The tie between an agent and its executor: a pair of sockets, and one JSON line for each request and answer.

Theory of operation. The executor is a process of its own, which the agent starts while it still has the rights to, and
which ends when the tie is cut. It reads from nothing else. A line is bounded, so neither side can fill the other's
memory. One request is under way at a time; the agent's threads take turns.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from tenuto.errors import TransientError, UserError
from tenuto.kit.documents import to_document
from tenuto.model.ids import JsonMap
from tenuto.providers.local.executor.executor import Executor
from tenuto.providers.local.executor.kernel.alone import be_alone
from tenuto.providers.local.executor.requests import OpenChannel, OpenSnapshot, Request

_CAPABILITIES = (
    "chown",
    "dac_override",
    "fowner",
    "kill",
    "net_admin",
    "net_bind_service",
    "net_raw",
    "setgid",
    "setpcap",
    "setuid",
    "sys_admin",
    "sys_ptrace",
    "sys_resource",
)
"""The rights of root that the executor and the programs that it starts can have at all."""
LONGEST = 1 << 23
"""Bytes of one line."""
_PATIENCE_S = 120.0
_PART = 65536


class ExecutorGoneError(UserError):
    """The executor has ended, or stands still. An agent that gave up root cannot start another one."""


class ExecutorLink:
    """The agent's end. Thread-safe."""

    def __init__(self, folder: Path, *, name: str, images: Path | None = None, blobs: Path | None = None) -> None:
        """Start an executor over a folder. `images` is where a person puts base images, and `blobs`, which needs that,
        where the agent does.

        Raises OSError when none can be started.
        """
        mine, its = socket.socketpair()
        with its:
            # A module in the folder where a person started the agent must not run with the rights of root (-P).
            command = [sys.executable, "-P", "-m", __name__, str(its.fileno()), str(folder), name]
            command += [str(one) for one in (images, blobs) if one]
            limits = ("setpriv", f"--bounding-set=-all,{','.join(f'+{one}' for one in _CAPABILITIES)}")
            self._process = subprocess.Popen([*limits, *command], pass_fds=[its.fileno()])
        mine.settimeout(_PATIENCE_S)
        self._socket = mine
        self._unread = b""
        self._turn = threading.Lock()

    def ask(self, request: Request) -> JsonMap:
        """Make a request and return its answer. Raises ExecutorGoneError."""
        answer, opened = self._asked(request)
        if opened is not None:
            os.close(opened)
        return answer

    def open(self, request: OpenChannel) -> socket.socket:
        """Make a request whose answer comes with a connection. Raises TransientError and ExecutorGoneError."""
        return socket.socket(fileno=self._opened(request))

    def open_file(self, request: OpenSnapshot) -> BinaryIO:
        """Make a request whose answer comes with a file to read. Raises TransientError and ExecutorGoneError."""
        return os.fdopen(self._opened(request), "rb")

    def _opened(self, request: Request) -> int:
        answer, opened = self._asked(request)
        if opened is None:
            raise TransientError(str(answer.get("refused", "nothing came with the answer")), code="NoChannel")
        return opened

    def close(self) -> None:
        """Cut the tie, and wait for the end of the executor."""
        self._socket.close()
        self._process.wait()

    def _asked(self, request: Request) -> tuple[JsonMap, int | None]:
        line = json.dumps(to_document(request, as_type=Request)).encode() + b"\n"
        found: list[int] = []
        stands_still = False
        with self._turn:
            try:
                self._socket.sendall(line)
                answer = self._answer(found)
            except OSError as failed:
                answer, stands_still = None, isinstance(failed, TimeoutError)
        kept = found[:1] if answer is not None else []
        for more in found[len(kept) :]:
            os.close(more)
        if stands_still:
            raise ExecutorGoneError(
                f"The executor of this host (process {self._process.pid}) did not answer for {_PATIENCE_S:.0f} s: it "
                "hangs, or a program that it runs does. The agent ends. Start it again, as a service manager "
                "does: it ends that executor and begins another one; machines run on."
            )
        if answer is None:
            raise ExecutorGoneError(
                "The executor of this host has ended, and the agent without it. Start the agent again, as a service "
                "manager does; machines run on."
            )
        return answer, kept[0] if kept else None

    def _answer(self, found: list[int]) -> Any:
        """The next answer; None at the end. Descriptors that come with it are put into `found`."""
        while b"\n" not in self._unread:
            content, descriptors, _, _ = socket.recv_fds(self._socket, _PART, 4)
            found += descriptors
            if not content or len(self._unread) > LONGEST:
                return None
            self._unread += content
        line, _, self._unread = self._unread.partition(b"\n")
        return _document(line)


def serve(descriptor: int, executor: Executor) -> None:
    """Answer each request until the tie is cut."""
    with socket.socket(fileno=descriptor) as its, its.makefile("rb") as lines:
        executor.keep_guard(closed=descriptor)
        while (document := _read(lines)) is not None:
            executor.keep_guard(closed=descriptor)
            opened: list[int] = []
            answer = json.dumps(executor.answer(document, opened)).encode() + b"\n"
            # An agent that was killed reads no answer. The next line of it is the end.
            with suppress(BrokenPipeError, ConnectionResetError):
                if opened:
                    socket.send_fds(its, [answer], opened)
                else:
                    its.sendall(answer)
            for one in opened:
                os.close(one)


def _read(lines: BinaryIO) -> Any:
    """The next document; None at the end, and after a line that is too long or no JSON."""
    line = lines.readline(LONGEST)
    return _document(line) if line.endswith(b"\n") else None


def _document(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


if __name__ == "__main__":
    _images, _blobs = (Path(sys.argv[at]) if sys.argv[at:] else None for at in (4, 5))
    _executor = Executor(Path(sys.argv[2]), name=sys.argv[3], images=_images, blobs=_blobs)
    _lock = be_alone(Path(sys.argv[2]))
    serve(int(sys.argv[1]), _executor)
