"""The guests of one host: a thread for each, which knows whether its agent answers, and keeps the output of its
console.

Theory of operation. The connections come from the executor. The agent of a guest is asked until it answers, and every
few seconds from then on, so an observation of the host waits for no guest. A console is read as long as there is a
machine, into a ring: a guest cannot fill the memory of the host.
"""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from tenuto.errors import TransientError
from tenuto.model.ids import ObjectId
from tenuto.providers.local.drivers.qemu.guest_agent import GuestAgent, GuestRefusedError, GuestSilentError
from tenuto.providers.local.executor.requests import OpenChannel

RING = 1 << 20
"""Bytes of a console that are kept: the last ones."""
_FIRST_S, _AGAIN_S = 0.3, 5.0
_PING_S = 2.0
_READ_BYTES = 1 << 16
_CONSOLE_RATE = 4 << 20
"""Bytes per second that are read of a console: a guest that floods it waits, and takes no processor of the host."""

Open = Callable[[OpenChannel], socket.socket]


class Guest:
    """One guest, from its start until `forget`. Thread-safe."""

    def __init__(self, object_id: ObjectId, open_: Open) -> None:
        self._object_id = object_id
        self._open = open_
        self._lock = threading.Lock()
        self.turn = threading.Lock()
        self._agent: GuestAgent | None = None
        self._is_ready = False
        self._ring = bytearray()
        self._offset = 0
        self._console: socket.socket | None = None
        self._over = threading.Event()
        for target in (self._keep_asking, self._keep_reading):
            threading.Thread(target=target, name=f"guest {object_id}", daemon=True).start()

    @property
    def is_ready(self) -> bool:
        """Whether the agent of the guest has answered since the machine started."""
        return self._is_ready

    def console(self, *, is_clear: bool = False) -> tuple[bytes, int]:
        """The kept part of the console, and the bytes that it had said before. `is_clear` forgets that part."""
        with self._lock:
            kept, offset = bytes(self._ring), self._offset
            if is_clear:
                self._cut(len(kept))
            return kept, offset

    def forget(self) -> None:
        """End the connections, and those that are just being made."""
        self._over.set()
        with self._lock:
            if self._agent is not None:
                self._agent.close()
            if self._console is not None:
                with suppress(OSError):
                    # The reader waits in it and closes it: closing alone would not wake the reader.
                    self._console.shutdown(socket.SHUT_RDWR)

    def _keep_asking(self) -> None:
        while not self._over.is_set():
            with self.turn:
                self._is_ready = self._answers()
            self._over.wait(_AGAIN_S if self._is_ready else _FIRST_S)

    def _answers(self) -> bool:
        """Whether the guest agent answers now."""
        try:
            self.agent().ping()
        except GuestRefusedError:
            return True  # A guest that refuses has answered.
        except (GuestSilentError, TransientError):
            self.drop()
            return False
        return True

    def agent(self) -> GuestAgent:
        """The connection to the agent, made anew where there is none. Raises GuestSilentError and TransientError."""
        with self._lock:
            known = self._agent
        if known is not None:
            return known
        fresh = GuestAgent(self._open(OpenChannel(object_id=self._object_id, channel="agent")))
        try:
            fresh.sync(_PING_S)
            with self._lock:
                if self._over.is_set():
                    raise GuestSilentError("the machine of the guest runs no more")
                self._agent = fresh
        except GuestSilentError:
            fresh.close()
            raise
        return fresh

    def drop(self) -> None:
        """Give up the connection: the next one begins anew."""
        with self._lock:
            if self._agent is not None:
                self._agent.close()
            self._agent = None

    def _keep_reading(self) -> None:
        while not self._over.is_set():
            with suppress(OSError, TransientError):
                self._read()
            self._over.wait(_FIRST_S)

    def _read(self) -> None:
        with self._open(OpenChannel(object_id=self._object_id, channel="console")) as console:
            console.settimeout(None)
            with self._lock:
                if self._over.is_set():
                    return
                self._console = console
            while content := console.recv(_READ_BYTES):
                with self._lock:
                    self._ring += content
                    self._cut(max(0, len(self._ring) - RING))
                self._over.wait(len(content) / _CONSOLE_RATE)

    def _cut(self, count: int) -> None:
        """Forget the first bytes. Called with the lock held."""
        del self._ring[:count]
        self._offset += count


class Guests:
    """The guests of the running machines of one host, each known by the process of its machine. Used by one thread."""

    def __init__(self, open_: Open) -> None:
        self._open = open_
        self._known: dict[ObjectId, tuple[int, Guest]] = {}

    def of(self, object_id: ObjectId, pid: int) -> Guest:
        """The guest of a machine that runs as a process."""
        known, guest = self._known.get(object_id, (0, None))
        if guest is None or known != pid:
            self.forget(object_id)
            guest = Guest(object_id, self._open)
            self._known[object_id] = (pid, guest)
        return guest

    def known(self, object_id: ObjectId) -> Guest | None:
        """The guest of a machine, if there is one."""
        found = self._known.get(object_id)
        return found[1] if found else None

    def forget(self, object_id: ObjectId) -> None:
        """A machine runs no more."""
        found = self._known.pop(object_id, None)
        if found is not None:
            found[1].forget()


def waited(condition: Callable[[], bool], patience_s: float) -> bool:
    """Whether a condition came true in time."""
    until = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
