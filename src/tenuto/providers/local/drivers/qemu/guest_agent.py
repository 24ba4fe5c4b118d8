"""The client of the guest agent of QEMU: one command at a time, over a connection to one guest.

A guest writes the answers, so nothing of them is believed: an answer has a largest size and must come in time. A
connection begins with `guest-sync-delimited`, since answers to an earlier client may still be on their way: all bytes
before the byte 0xFF and the number that was sent are dropped.
"""

import base64
import json
import secrets
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

PATIENCE_S = 10.0
LARGEST = 24 << 20
"""Bytes of one answer. The agent itself cuts the output of a program at 16 MiB."""
FILE_S = 120.0
"""Seconds in which a file must come: a guest may answer each question with nothing, and never with its end."""
_PART = 1 << 16
_LARGEST_NUMBER = 1 << 63
_DELIMITER = b"\xff"
CHUNK = 48 << 10
"""The bytes of a file in one command: the most that an agent reads at once."""


class GuestSilentError(Exception):
    """The guest agent does not answer, or another program answers in its place. The connection is of no use any
    more."""


class GuestRefusedError(Exception):
    """The guest agent refused a command. The message is the guest's text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The end of a program in a guest, with its output."""

    code: int
    out: bytes
    err: bytes
    is_cut: bool


class GuestAgent:
    """One connection. Each method raises GuestSilentError, and GuestRefusedError where the agent refuses."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._unread = bytearray()

    def close(self) -> None:
        """End the connection, also for a thread that waits for an answer: the machine of the guest may have ended."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def sync(self, patience_s: float) -> None:
        """Begin: the next answer belongs to the next command."""
        number = secrets.randbelow(1 << 31)
        until = time.monotonic() + patience_s
        self._send(_DELIMITER + _line("guest-sync-delimited", {"id": number}), until)
        while True:
            self._until(_DELIMITER, until)
            del self._unread[: self._unread.rindex(_DELIMITER) + 1]
            if self._answer(until).get("return") == number:
                return

    def do(self, command: str, arguments: Mapping[str, Any] | None = None, patience_s: float = PATIENCE_S) -> Any:
        """Carry out a command and return its result."""
        until = time.monotonic() + patience_s
        self._send(_line(command, arguments or {}), until)
        answer = self._answer(until)
        if "error" in answer:
            told = answer["error"]
            raise GuestRefusedError(str(told.get("desc", "no reason") if isinstance(told, dict) else told)[:2000])
        return answer.get("return")

    def tell(self, command: str, arguments: Mapping[str, Any]) -> None:
        """Send a command that has no answer."""
        self._send(_line(command, arguments), time.monotonic() + PATIENCE_S)

    def ping(self) -> None:
        self.do("guest-ping")

    def start(self, program: str, arguments: list[str], stdin: bytes = b"") -> int:
        """Start a program and return its process number in the guest."""
        asked: dict[str, Any] = {"path": program, "arg": arguments, "capture-output": True}
        if stdin:
            asked["input-data"] = base64.b64encode(stdin).decode()
        return _number(_member(self.do("guest-exec", asked), "pid"))

    def ended(self, pid: int) -> Ended | None:
        """Return how a program ended, with its output; None while it runs."""
        found = self.do("guest-exec-status", {"pid": pid}, patience_s=60.0)
        if not isinstance(found, dict) or not found.get("exited"):
            return None
        signalled = 128 + _number(found["signal"]) if "signal" in found else 0
        return Ended(
            code=_number(found["exitcode"]) if "exitcode" in found else signalled,
            out=_decoded(found.get("out-data", "")),
            err=_decoded(found.get("err-data", "")),
            is_cut=bool(found.get("out-truncated") or found.get("err-truncated")),
        )

    def read_file(self, path: str, largest: int) -> bytes:
        """Return the content of a file. Raises GuestRefusedError for one that is too large, too."""
        handle = _number(self.do("guest-file-open", {"path": path, "mode": "r"}))
        until = time.monotonic() + FILE_S
        content = bytearray()
        try:
            while time.monotonic() < until:
                part = self.do("guest-file-read", {"handle": handle, "count": CHUNK})
                content += _decoded(_member(part, "buf-b64"))
                if len(content) > largest:
                    raise GuestRefusedError(f"the file has more than {largest} bytes")
                if _member(part, "eof"):
                    return bytes(content)
            raise GuestRefusedError(f"the file did not come within {FILE_S:.0f} seconds")
        finally:
            self.do("guest-file-close", {"handle": handle})

    def write_file(self, path: str, content: bytes) -> None:
        """Let a file have this content."""
        handle = _number(self.do("guest-file-open", {"path": path, "mode": "w"}))
        try:
            for start in range(0, len(content), CHUNK):
                part = base64.b64encode(content[start : start + CHUNK]).decode()
                self.do("guest-file-write", {"handle": handle, "buf-b64": part}, patience_s=30.0)
        finally:
            self.do("guest-file-close", {"handle": handle})

    def _send(self, content: bytes, until: float) -> None:
        try:
            self._timed(until)
            self._socket.sendall(content)
        except OSError as error:
            raise GuestSilentError("the guest agent does not answer") from error

    def _answer(self, until: float) -> dict[str, Any]:
        end = self._until(b"\n", until)
        line = bytes(self._unread[:end])
        del self._unread[: end + 1]
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise GuestSilentError("the guest agent sent an answer that is no JSON") from error
        if not isinstance(found, dict):
            raise GuestSilentError("the guest agent sent an answer of another form")
        return found

    def _until(self, mark: bytes, until: float) -> int:
        """Read until a mark has come, and return where it is. Only new bytes are searched: a guest that sends much
        costs the host no more than those bytes."""
        searched = 0
        while (found := self._unread.find(mark, searched)) < 0:
            searched = len(self._unread)
            try:
                self._timed(until)
                more = self._socket.recv(_PART)
            except OSError as error:
                raise GuestSilentError("the guest agent does not answer") from error
            if not more:
                raise GuestSilentError("the machine has ended")
            self._unread += more
            if len(self._unread) > LARGEST:
                raise GuestSilentError("the guest agent sent too long an answer")
        return found

    def _timed(self, until: float) -> None:
        left = until - time.monotonic()
        if left <= 0:
            raise GuestSilentError("the guest agent does not answer")
        self._socket.settimeout(left)


def _line(command: str, arguments: Mapping[str, Any]) -> bytes:
    return json.dumps({"execute": command, "arguments": dict(arguments)}).encode() + b"\n"


def _member(found: Any, name: str) -> Any:
    if not isinstance(found, dict) or name not in found:
        raise GuestSilentError(f"the guest agent sent an answer without {name}")
    return found[name]


def _number(found: Any) -> int:
    """A whole number that a process, a file or an end can have."""
    if type(found) is not int or abs(found) > _LARGEST_NUMBER:
        raise GuestSilentError("the guest agent sent an answer of another form")
    return found


def _decoded(text: Any) -> bytes:
    try:
        return base64.b64decode(str(text))
    except ValueError as error:
        raise GuestSilentError("the guest agent sent an answer of another form") from error
