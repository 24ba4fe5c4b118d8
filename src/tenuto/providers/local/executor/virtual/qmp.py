"""The client of QEMU's monitor (QMP): one call for a few commands, on a socket that only the executor reaches.

QEMU gives the answers, and a guest may have taken it over. So an answer has a largest size and must come in time, and
nothing of it is used but the members that each caller looks up by name.

A QEMU that was slow sends the answer to a command on the connection that is open by then, which may be another one than
the command came on. So each command has a name of its own, and an answer with another one is passed over.
"""

import json
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tenuto.providers.local.executor.kernel.programs import ProgramError
from tenuto.providers.local.executor.kernel.sockets import connected

PATIENCE_S = 3.0
LEAST_S = 0.25
"""The patience with one more silent QEMU: a healthy one answers within milliseconds."""
_LARGEST = 1 << 20


class Monitor:
    """One connection. Each method raises ProgramError."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self._socket = connection
        self._until = until
        self._unread = b""

    def greet(self) -> None:
        """Begin, as QEMU asks for."""
        self._line()
        self.do("qmp_capabilities")

    def do(self, command: str, arguments: Mapping[str, Any] | None = None, passed: int | None = None) -> Any:
        """Carry a command out and return its result. `passed` is a descriptor that goes with it."""
        name = secrets.token_hex(8)
        line = json.dumps({"execute": command, "arguments": dict(arguments or {}), "id": name}).encode() + b"\n"
        self._timed()
        if passed is None:
            self._socket.sendall(line)
        else:
            socket.send_fds(self._socket, [line], [passed])
        while True:
            answer = self._line()
            if answer.get("id") != name:
                continue
            if "error" in answer:
                told = answer["error"]
                raise ProgramError(f"QEMU refused {command}: {_text(told)}")
            if "return" in answer:
                return answer["return"]

    def wait_for(self, event: str, device: str) -> None:
        """Wait for an event about a device."""
        while True:
            answer = self._line()
            data = answer.get("data")
            if answer.get("event") == event and isinstance(data, dict) and data.get("device") == device:
                return

    def _line(self) -> dict[str, Any]:
        while b"\n" not in self._unread:
            self._timed()
            more = self._socket.recv(65536)
            if not more or len(self._unread) > _LARGEST:
                raise ProgramError("QEMU closed its monitor" if not more else "QEMU sent too long an answer")
            self._unread += more
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ProgramError("QEMU sent an answer that is no JSON") from error
        if not isinstance(found, dict):
            raise ProgramError("QEMU sent an answer of another form")
        return found

    def _timed(self) -> None:
        left = self._until - time.monotonic()
        if left <= 0:
            raise ProgramError("QEMU does not answer")
        self._socket.settimeout(left)


@contextmanager
def monitor(path: Path, patience_s: float = PATIENCE_S) -> Iterator[Monitor]:
    """A connection to the monitor at a socket. Raises ProgramError when QEMU does not answer in time."""
    until = time.monotonic() + patience_s
    try:
        with connected(path, patience_s) as connection:
            found = Monitor(connection, until)
            found.greet()
            yield found
    except OSError as error:
        said = "does not answer" if isinstance(error, TimeoutError) else f"cannot be reached: {error.strerror}"
        raise ProgramError(f"QEMU {said}") from error


class Patience:
    """The patience with the QEMUs that one request asks about, of which each is asked for a state.

    The executor does one thing at a time, and the lease of the host waits behind it. So the times that silent ones take
    do not add up: once they have used up the patience with one, each further one gets no more than a healthy one needs.
    """

    def __init__(self, *, steady: Callable[[], float] = time.monotonic) -> None:
        self._left = PATIENCE_S
        self._steady = steady

    @contextmanager
    def monitor(self, path: Path) -> Iterator[Monitor]:
        """A connection to the monitor at a socket. Raises ProgramError when QEMU does not answer in time."""
        begun = self._steady()
        try:
            with monitor(path, max(self._left, LEAST_S)) as found:
                yield found
        except ProgramError:
            self._left -= self._steady() - begun
            raise


def _text(told: Any) -> str:
    return str(told.get("desc", "")) if isinstance(told, dict) else ""
