"""`status --watch`: every change is a line, Ctrl-C is its regular end, and a Conductor may go away and come back."""

import os
import pty
import signal
import subprocess
import sys

import pytest
from front import Front, submission
from terminal import Shell

from tenuto.cli.processes.watching import Drawn, watch
from tenuto.cli.render.process import render_process, render_processes
from tenuto.cli.terminal.exits import ApiProblem, Exit, UnreachableError
from tenuto.cli.terminal.session import Session
from tenuto.model.ids import Instant, JsonMap
from tenuto.service.views.process_view import process_document
from tenuto.settings import Settings


class Impatient:
    """Implements `ports.clock.Clock`: after so many sleeps somebody types Ctrl-C."""

    def __init__(self, sleeps: int) -> None:
        self._left = sleeps

    def now(self) -> Instant:
        return Instant(0.0)

    def sleep(self, seconds: float) -> None:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt


def process(state: str, message: str | None = None, **resources: str) -> JsonMap:
    found = {
        name: {"state": "Allocation", "status": status, "message": None, "leaving": [], "drift": [], "type": "T"}
        for name, status in resources.items()
    }
    job = {"status": "HALTED"} if message else None
    return {
        "fid": "f-1",
        "alias": "web",
        "state": state,
        "converged": False,
        "last_job": job,
        "last_message": message,
        "resources": found,
    }


def watched(capsys: pytest.CaptureFixture[str], *reads: JsonMap | Exception) -> tuple[int, list[str]]:
    """The exit code, and the lines without their times."""
    left = list(reads)

    def read() -> JsonMap:
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    session = Session(Settings.from_environment({}))
    code = watch(session, read, render_process, Impatient(len(reads) - 1))
    return code, [line.split(" ", 1)[1] for line in capsys.readouterr().out.splitlines()]


def test_only_what_changed_is_told_again_and_ctrl_c_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = watched(
        capsys,
        process("Running", Net="planned", Sub="planned"),
        process("Running", Net="planned", Sub="planned"),
        process("Running", Net="ready", Sub="planned"),
        process("Suspended", "no\n quota", Net="ready"),
    )
    assert code == Exit.DONE
    assert lines == [
        "web: Running",
        "Net: Allocation planned",
        "Sub: Allocation planned",
        "Net: Allocation ready",
        "web: Suspended, HALTED: no quota",
        "Sub: gone",
    ]


def test_a_conductor_that_is_away_is_told_once_and_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    away = UnreachableError("It does not answer.")
    code, lines = watched(capsys, process("Running"), away, away, process("Killing"))
    assert code == Exit.DONE
    assert lines == ["web: Running", "It does not answer. Trying again; Ctrl-C ends this.", "web: Killing"]


def test_a_process_that_is_gone_ends_the_watch_and_one_that_never_was_is_an_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    missing = ApiProblem({"code": "not-found", "detail": "There is no process 'web'."})
    code, lines = watched(capsys, process("Killing"), missing)
    assert code == Exit.DONE
    assert lines == ["web: Killing", "The process is gone. 'tenuto history' tells how."]
    with pytest.raises(ApiProblem):
        watched(capsys, missing)


def test_what_is_drawn_stays_on_the_screen_while_the_conductor_is_away() -> None:
    shown: list[str] = []
    screen = Drawn(shown.append, lambda document: str(document["state"]))
    screen.show({"state": "Running"})
    screen.note("away")
    assert shown == ["Running", "Running\n\naway"]


def test_every_column_is_shown_on_demand() -> None:
    front = Front()
    front.commands.run(submission(), alias="web")
    (found,) = front.queries.processes()
    document: JsonMap = {"processes": [process_document(found)]}
    assert "Flags" not in render_processes(document)
    heading = render_processes(document, is_verbose=True).splitlines()[0]
    assert all(word in heading for word in ("Flags", "Last message", "FID", "Composition"))


@pytest.fixture
def front() -> Front:
    made = Front()
    made.commands.run(submission(), alias="web")
    return made


def test_on_a_terminal_it_is_drawn_and_ctrl_c_ends_it_without_a_word(tenuto: Shell) -> None:
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "tenuto", "status", "web", "--watch"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**tenuto.environ(), "PATH": os.environ["PATH"], "HOME": str(tenuto.folder), "TERM": "xterm"},
    ) as process:
        os.close(follower)
        seen = b""
        while b"Process web is Running" not in seen:
            seen += os.read(leader, 4096)
        process.send_signal(signal.SIGINT)
        while True:
            try:
                more = os.read(leader, 4096)
            except OSError:  # Linux says so when the last one at the terminal has left.
                break
            if not more:
                break
            seen += more
        assert process.wait(timeout=60) == Exit.DONE
    os.close(leader)
    assert b"Traceback" not in seen
    assert b"Interrupted" not in seen
