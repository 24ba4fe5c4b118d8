"""The audit log in the hands of the machine's own logging daemon: syslog, or the journal of systemd.

Each entry is one datagram to a socket of this machine, sent before the command is given. A datagram of such a socket is
in the daemon's queue or it is refused, so a daemon that is down, or whose queue stays full, refuses commands as a full
disk does. The daemon's own configuration decides which entries it keeps, where it sends them and for how long.

The lines have the chain of the file (`kit.chain`), begun anew at each start: the end of what an earlier Conductor has
sent cannot be read back from here.
"""

import os
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress

from tenuto.errors import StoreUnavailableError, UserError
from tenuto.kit.chain import Link, chained
from tenuto.model.ids import JsonMap

SOCKETS: Mapping[str, str] = {"syslog": "/dev/log", "journald": "/run/systemd/journal/socket"}
"""The daemons by name, with the socket of each."""
IDENTIFIER = "tenuto-audit"
SEND_S = 5.0
"""A queue that stays full for so long is one that no reader empties."""
_AUTHPRIV, _NOTICE = 10, 5
_FIELDS = ("actor", "operation", "outcome", "request", "address")
"""The names of an entry by which the journal can be searched."""


class AuditDaemon:
    """Implements `ports.audit_log.AuditLog`."""

    def __init__(self, daemon: str, *, path: str | None = None) -> None:
        """Raises UserError when the daemon does not listen on this machine."""
        self._daemon = daemon
        self._path = path or SOCKETS[daemon]
        self._lock = threading.Lock()
        self._last = Link()
        try:
            self._socket = self._connected()
        except OSError as failed:
            raise UserError(
                f"The audit log cannot go to {daemon}: {self._path} does not answer ({failed.strerror}). Start that "
                "daemon, or name a file."
            ) from failed

    def append(self, entry: JsonMap) -> None:
        with self._lock:
            line, link = chained(entry, self._last)
            datagram = self._datagram(entry, line)
            try:
                self._send(datagram)
            except OSError as failed:
                reason = failed.strerror or "its queue is full"
                raise StoreUnavailableError(
                    f"The audit log cannot be written to {self._daemon} ({reason}), so the command was not given. "
                    "Nothing was changed. Start the daemon, then give it again; resources are still held."
                ) from failed
            self._last = link

    def close(self) -> None:
        with self._lock:
            self._socket.close()

    def _send(self, datagram: bytes) -> None:
        """Send, to a daemon that was started again as well. Raises OSError."""
        try:
            self._socket.send(datagram)
        except TimeoutError:
            raise
        except OSError:
            fresh = self._connected()
            with suppress(OSError):
                self._socket.close()
            self._socket = fresh
            self._socket.send(datagram)

    def _connected(self) -> socket.socket:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        made.settimeout(SEND_S)
        try:
            made.connect(self._path)
        except OSError:
            made.close()
            raise
        return made

    def _datagram(self, entry: JsonMap, line: str) -> bytes:
        if self._daemon == "syslog":
            return f"<{_AUTHPRIV * 8 + _NOTICE}>{IDENTIFIER}[{os.getpid()}]: {line}".encode()
        fields = {
            "MESSAGE": line,
            "PRIORITY": str(_NOTICE),
            "SYSLOG_FACILITY": str(_AUTHPRIV),
            "SYSLOG_IDENTIFIER": IDENTIFIER,
            **{f"TENUTO_{name.upper()}": str(entry[name]) for name in _FIELDS if entry.get(name)},
        }
        # A value with a line feed would begin a field of its own; the line itself is JSON and has none.
        return "".join(f"{name}={' '.join(value.splitlines())}\n" for name, value in fields.items()).encode()
