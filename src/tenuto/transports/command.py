"""A local program that gets each event as JSON on its standard input.

The user who starts the Conductor names the program, and no other user does: were it stored, or taken from a request,
every user who may add a notification could run code as the Conductor. The program is started without a shell. It gets
the environment of the Conductor without its secrets, has a time limit, and its output is read up to a bound. Exit 0
means that it has the event.

A program that takes too long is ended, and so is one that still runs when the Conductor ends: its whole process group
is asked (SIGTERM), and two seconds later killed (SIGKILL), also when the program itself has gone by then and only left
something behind. Only the thread that started a program ends it: so no signal can reach a process that has taken its
number. A Conductor that is killed itself (SIGKILL) can end nothing.
"""

import os
import selectors
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tenuto.errors import TransientError
from tenuto.kit.canonical import to_text
from tenuto.kit.process_groups import end_group
from tenuto.model.notification import Notification, Sink

TIME_LIMIT_S = 30.0
"""A mail or a page is sent in seconds; a program that wants to do more starts it and ends."""
LONGEST_OUTPUT = 64 * 1024
"""The output that a program may print: more than a page of errors, less than would hurt."""
GRACE_S = 2.0
"""The time from SIGTERM to SIGKILL: enough to put a half-sent message away, and short enough for a
Conductor that ends."""
_POLL_S = 0.2
"""Seconds between two checks whether a program that prints nothing has ended, or the Conductor is to."""
_HIDDEN = ("AWS_", "TENUTO_")


class CommandTransport:
    """Implements `ports.notices.Transport`. `commands` are the programs with their arguments, by name of the sink."""

    def __init__(
        self,
        commands: Mapping[str, tuple[str, ...]],
        environ: Mapping[str, str],
        time_limit_s: float = TIME_LIMIT_S,
    ) -> None:
        self._commands = commands
        self._environ = environ
        self._time_limit_s = time_limit_s
        self._closing = threading.Event()
        self._running: set[int] = set()
        self._changed = threading.Condition()

    def can_reach(self, sink: Sink) -> bool:
        return sink.name in self._commands

    def trouble(self, sink: Sink) -> str:
        words = self._commands.get(sink.name, ())
        if not words or shutil.which(words[0], path=self._environ.get("PATH")) is not None:
            return ""
        path = Path(words[0])
        if path.is_file():
            return f"the program {path.name} may not be executed"
        where = "there is no file" if "/" in words[0] else "PATH has no program"
        return f"{where} {words[0]}"

    def close(self) -> None:
        """End the programs that still run, and start no more. Takes a few seconds at most."""
        self._closing.set()
        with self._changed:
            self._changed.wait_for(lambda: not self._running, timeout=GRACE_S + 2 * _POLL_S + 1)

    def deliver(self, sink: Sink, notification: Notification) -> None:
        words = self._commands[sink.name]
        program = Path(words[0]).name
        with tempfile.TemporaryFile() as given:
            # A file and no pipe: a program that does not read its input must not block us.
            given.write(to_text(notification.document).encode())
            given.seek(0)
            environment = {name: value for name, value in self._environ.items() if not name.startswith(_HIDDEN)}
            if self._closing.is_set():
                raise TransientError("the Conductor ends: no program is started any more", code="Ending")
            environment |= {
                "NOTIFICATION_EVENT_ID": notification.event_id,
                "NOTIFICATION_EVENT_TYPE": notification.type,
            }
            try:
                process = subprocess.Popen(
                    words,
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=environment,
                    start_new_session=True,
                )
            except OSError as failed:
                raise TransientError(
                    f"the program {program} cannot be started: {failed.strerror}", code="NotStarted"
                ) from failed
        with self._counted(process.pid):
            code, printed = _followed(process, program, self._time_limit_s, self._closing)
        if code:
            said = " ".join(printed.decode("utf-8", "replace").split())[:200]
            raise TransientError(
                f"the program {program} ended with {code}{f': {said}' if said else ''}", code=f"Exit{code}"
            )

    @contextmanager
    def _counted(self, pid: int) -> Iterator[None]:
        with self._changed:
            self._running.add(pid)
        try:
            yield
        finally:
            with self._changed:
                self._running.discard(pid)
                self._changed.notify_all()


def _followed(
    process: subprocess.Popen[bytes], program: str, limit_s: float, closing: threading.Event
) -> tuple[int, bytes]:
    """The exit code and the beginning of the output. Raises TransientError for a program that had to be ended.

    One that left something running in the background is not waited for.
    """
    end = time.monotonic() + limit_s
    printed = _printed(process, end, closing)
    while (left := end - time.monotonic()) > 0 and not closing.is_set():
        with suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=min(_POLL_S, left)), printed
    if process.poll() is not None:
        return process.returncode, printed
    end_group(process, GRACE_S)
    if closing.is_set():
        raise TransientError(f"the program {program} was ended, since the Conductor ends", code="Ending")
    raise TransientError(f"the program {program} did not end within {limit_s:g} s and was stopped", code="TimedOut")


def _printed(process: subprocess.Popen[bytes], end: float, closing: threading.Event) -> bytes:
    """The beginning of the output, until nothing more can come; the rest is read and thrown away."""
    assert process.stdout is not None
    printed = b""
    with process.stdout as output, selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while time.monotonic() < end and not closing.is_set():
            is_over = process.poll() is not None
            if selector.select(0 if is_over else _POLL_S):
                chunk = os.read(output.fileno(), LONGEST_OUTPUT)
                printed += chunk[: LONGEST_OUTPUT - len(printed)]
                if chunk:
                    continue
                selector.unregister(output)
                break
            if is_over:
                break
    return printed
