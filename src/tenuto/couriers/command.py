"""A local program that gets each event as JSON on its standard input.

Which program that is says whoever starts the Conductor, and nobody else: were it stored, or taken from a request,
everybody who may add a notification could run code as the Conductor. The program is started without a shell. It gets
the environment of the Conductor without its secrets, has a time limit, and what it prints is read up to a bound. Exit 0
means that it has the event.
"""

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tenuto.errors import TransientError
from tenuto.kit.canonical import to_text
from tenuto.model.notification import Letter, Sink

TIME_LIMIT_S = 30.0
"""A mail or a page is sent in seconds; a program that wants to do more starts it and ends."""
LONGEST_OUTPUT = 64 * 1024
"""What a program may print: more than a page of errors, less than would hurt."""
_LOOK_S = 0.2
"""How often to look whether a program that prints nothing has ended."""
_HIDDEN = ("AWS_", "TENUTO_")


class CommandCourier:
    """Implements `ports.notices.Courier`. `commands` are the programs with their arguments, by name of the sink."""

    def __init__(
        self,
        commands: Mapping[str, tuple[str, ...]],
        environ: Mapping[str, str],
        time_limit_s: float = TIME_LIMIT_S,
    ) -> None:
        self._commands = commands
        self._environ = environ
        self._time_limit_s = time_limit_s

    def can_reach(self, sink: Sink) -> bool:
        return sink.name in self._commands

    def deliver(self, sink: Sink, letter: Letter) -> None:
        words = self._commands[sink.name]
        program = Path(words[0]).name
        with tempfile.TemporaryFile() as given:
            # A file and no pipe: a program that does not read what it is told must not block us.
            given.write(to_text(letter.document).encode())
            given.seek(0)
            environment = {name: value for name, value in self._environ.items() if not name.startswith(_HIDDEN)}
            environment |= {"NOTIFICATION_EVENT_ID": letter.event_id, "NOTIFICATION_EVENT_TYPE": letter.type}
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
        code, printed = _followed(process, program, self._time_limit_s)
        if code:
            said = " ".join(printed.decode("utf-8", "replace").split())[:200]
            raise TransientError(
                f"the program {program} ended with {code}{f': {said}' if said else ''}", code=f"Exit{code}"
            )


def _followed(process: subprocess.Popen[bytes], program: str, limit_s: float) -> tuple[int, bytes]:
    """The exit code and the beginning of what was printed; what goes beyond is read and thrown away.

    A program that takes too long is stopped, with all that it started in its session. One that left something running
    in the background is not waited for.
    """
    assert process.stdout is not None
    printed = b""
    end = time.monotonic() + limit_s
    with process.stdout as output, selectors.DefaultSelector() as selector:
        selector.register(output, selectors.EVENT_READ)
        while time.monotonic() < end:
            is_over = process.poll() is not None
            if selector.select(0 if is_over else _LOOK_S):
                chunk = os.read(output.fileno(), LONGEST_OUTPUT)
                printed += chunk[: LONGEST_OUTPUT - len(printed)]
                if chunk:
                    continue
                selector.unregister(output)
                break
            if is_over:
                break
    with suppress(subprocess.TimeoutExpired):
        return process.wait(timeout=max(0.0, end - time.monotonic())), printed
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    raise TransientError(f"the program {program} did not end within {limit_s:g} s and was stopped", code="TimedOut")
