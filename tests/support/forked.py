"""Commands of the command line, each in a process of its own that is forked from one which has imported Tenuto.

Theory of operation. Most of the processor time of a short command goes into imports: a quarter of a second, thousands
of times in a run of all tests. One *parent* for each process that runs tests imports the command line once, has one
thread, and forks for every call; the child gets an environment, a folder and descriptors of its own, and ends with an
exit code, as a command does. What a command imports by itself, and how it meets a terminal and signals, is tried where
commands are typed into a shell (`typed_page.Bash`) or started as programs.

The parent ends when its standard input does, so it outlives nobody.
"""

import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn

_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The end of a call."""

    code: int
    out: str
    err: str


def call(arguments: Sequence[str], environment: Mapping[str, str], *, timeout_s: float) -> Ended:
    """Call the command line with nothing on its standard input. Raises TimeoutExpired, and ends the call then."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, _parent().connect() as connection:
        request = json.dumps({"arguments": arguments, "environment": dict(environment), "folder": os.getcwd()}).encode()
        connection.settimeout(timeout_s)
        socket.send_fds(connection, [len(request).to_bytes(4, "big")], [out.fileno(), err.fileno()])
        connection.sendall(request)
        answers = connection.makefile("r", encoding="ascii")
        pid = int(answers.readline())
        try:
            told = answers.readline()
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(["tenuto", *arguments], timeout_s) from None
        return Ended(code=int(told or -signal.SIGKILL), out=_content(out), err=_content(err))


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


@cache
def _parent() -> _Parent:
    return _Parent()


def _serve(path: str) -> None:
    """Fork for each connection until nobody holds the other end of standard input."""
    import tenuto.cli.commands

    for module in pkgutil.walk_packages(tenuto.cli.__path__, "tenuto.cli."):
        import_module(module.name)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for the children here.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        os.write(1, b"listens\n")
        while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                _be_a_command(connection)
            connection.close()


def _be_a_command(connection: socket.socket) -> NoReturn:
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        code = _called(connection)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 - what the interpreter would tell
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        connection.sendall(f"{code}\n".encode())
        os._exit(code)


def _called(connection: socket.socket) -> int:
    size, descriptors, _, _ = socket.recv_fds(connection, 4, 2)
    content = b""
    while len(content) < int.from_bytes(size, "big"):
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
    connection.sendall(f"{os.getpid()}\n".encode())
    from tenuto.cli.entry import run

    return run(asked["arguments"], os.environ)


if __name__ == "__main__":
    _serve(sys.argv[1])
