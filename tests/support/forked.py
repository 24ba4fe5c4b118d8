"""Programs of Tenuto, each in a process of its own that is forked from one which has imported Tenuto.

Theory of operation. Most of the processor time of a short command goes into imports, a quarter of a second, and two
seconds before a Conductor answers: thousands of times in a run of all tests. One *parent* for each process that runs
tests imports the command line once, and the rest of Tenuto before the first Conductor. It has one thread, and forks for
every program; the child gets an environment, a folder and descriptors of its own, and ends with an exit code, as a
program does. What a program imports by itself, and how it meets a terminal and signals, is tried where commands are
typed into a shell (`typed_page.Bash`) or started as programs.

The connection of a child is its life line: what it says there is its number and its exit code, and its end without a
code is a death. The parent ends when its standard input does, so it outlives nobody; its children are ended by those
who asked for them.
"""

import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

_LONGEST = 1 << 20
_PID = 10
"""Letters of a process number, as it is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The end of a call."""

    code: int
    out: str
    err: str


class Program:
    """A running program: as much of `subprocess.Popen` as the tests need."""

    def __init__(self, connection: socket.socket, words: Sequence[str]) -> None:
        self._connection = connection
        self._words = words
        told, handles, _, _ = socket.recv_fds(connection, _PID, 1)
        self.pid = int(told)
        (self._handle,) = handles
        """It is of this process alone, also when the number belongs to another one. A program may have ended by now."""
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        if self.returncode is None and select.select([self._handle], [], [], 0)[0]:
            self._end()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once there is one. Raises TimeoutExpired when there is none after so many seconds."""
        if self.returncode is None and not select.select([self._handle], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired(list(self._words), timeout or 0)
        return self._end()

    def send_signal(self, number: int) -> None:
        """Send a signal. Nothing happens to a program that has ended."""
        if self.poll() is None:
            signal.pidfd_send_signal(self._handle, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _end(self) -> int:
        if self.returncode is None:
            with self._connection, self._connection.makefile("r", encoding="ascii") as answer:
                self.returncode = int(answer.readline() or -signal.SIGKILL)
            os.close(self._handle)
        return self.returncode


def call(words: Sequence[str], environment: Mapping[str, str], *, timeout_s: float) -> Ended:
    """Call the command line with nothing on its standard input. Raises TimeoutExpired, and ends the call then."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        program = _fork({"words": words, "environment": dict(environment)}, out, err)
        try:
            code = program.wait(timeout_s)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
            raise
        return Ended(code=code, out=_content(out), err=_content(err))


def start(
    words: Sequence[str], environment: Mapping[str, str], log: IO[bytes], *, script: Path | None = None
) -> Program:
    """Start the command line, or a script with these arguments, as a program that needs most of Tenuto."""
    asked = {"words": words, "environment": dict(environment), "script": script and str(script), "is_large": True}
    return _fork(asked, log, log)


def _fork(asked: Mapping[str, Any], out: IO[bytes], err: IO[bytes]) -> Program:
    connection = _parent().connect()
    request = json.dumps({**asked, "folder": os.getcwd()}).encode()
    head = len(request).to_bytes(4, "big") + bytes([bool(asked.get("is_large"))])
    socket.send_fds(connection, [head], [out.fileno(), err.fileno()])
    connection.sendall(request)
    return Program(connection, asked["words"])


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


class _Parent:
    """The process that is forked, as its only client sees it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="tenuto-forked-")
        self._path = Path(self._folder.name) / "socket"
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "TENUTO_"))}
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(self._path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=clean,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"listens\n"

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(self._path))
        return connection


_beginning = threading.Lock()


def _parent() -> _Parent:
    with _beginning:  # Two threads that come first would else begin one each.
        return _only_parent()


@cache
def _only_parent() -> _Parent:
    return _Parent()


def _serve(path: str) -> None:
    """Fork for each connection until nobody holds the other end of standard input."""
    _import_all("tenuto.cli")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for the children here.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        os.write(1, b"listens\n")
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            head, descriptors, _, _ = socket.recv_fds(connection, 5, 2)
            if head[4]:
                _import_all("tenuto")
            if os.fork() == 0:
                listener.close()
                _be_a_program(connection, int.from_bytes(head[:4], "big"), descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            connection.close()


@cache
def _import_all(package: str) -> None:
    for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


def _be_a_program(connection: socket.socket, size: int, descriptors: Sequence[int]) -> NoReturn:
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        code = _run(connection, size, descriptors)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 - what the interpreter would tell
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        connection.sendall(f"{code}\n".encode())
        os._exit(code)


def _run(connection: socket.socket, size: int, descriptors: Sequence[int]) -> int:
    content = b""
    while len(content) < size:
        content += connection.recv(_LONGEST)
    asked: dict[str, Any] = json.loads(content)
    with open(os.devnull, "rb") as nothing:
        for number, descriptor in enumerate((nothing.fileno(), *descriptors)):
            os.dup2(descriptor, number)
    for descriptor in descriptors:
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    os.chdir(asked["folder"])
    handle = os.pidfd_open(os.getpid())
    socket.send_fds(connection, [f"{os.getpid():{_PID}}".encode()], [handle])
    os.close(handle)
    if asked.get("script"):
        sys.argv = [asked["script"], *asked["words"]]
        runpy.run_path(asked["script"], run_name="__main__")
        return 0
    from tenuto.cli.entry import run

    return run(asked["words"], os.environ)


if __name__ == "__main__":
    _serve(sys.argv[1])
