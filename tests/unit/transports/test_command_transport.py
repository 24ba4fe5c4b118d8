"""A program gets the event on its input, and cannot hold up or hurt the Conductor."""

import json
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tenuto.errors import TransientError
from tenuto.model.notification import Notification, SinkKind
from tenuto.transports.command import LONGEST_OUTPUT, CommandTransport
from tenuto_testing.store_samples import a_sink

SINK = a_sink("pager", kind=SinkKind.COMMAND)
LETTER = Notification(event_id="7-web", type="job.finished", document={"id": "7-web", "filler": "ä" * 200_000})


def transport(script: str, *arguments: str, **environ: str) -> CommandTransport:
    return CommandTransport({"pager": (sys.executable, "-c", script, *arguments)}, environ)


def test_the_program_gets_the_event_on_its_input(tmp_path: Path) -> None:
    target = tmp_path / "got.json"
    transport("import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())", str(target)).deliver(SINK, LETTER)
    assert json.loads(target.read_bytes()) == LETTER.document


def test_the_program_sees_no_secrets_of_the_conductor_and_is_told_which_event_it_is(tmp_path: Path) -> None:
    target = tmp_path / "environment.json"
    script = "import json, os, sys; json.dump(dict(os.environ), open(sys.argv[1], 'w'))"
    given = {"AWS_SECRET_ACCESS_KEY": "x", "TENUTO_SECRET": "y", "LANG": "C"}
    transport(script, str(target), **given).deliver(SINK, LETTER)
    seen = json.loads(target.read_text())
    assert seen["LANG"] == "C"
    assert (seen["NOTIFICATION_EVENT_ID"], seen["NOTIFICATION_EVENT_TYPE"]) == ("7-web", "job.finished")
    assert not [name for name in seen if name.startswith(("AWS_", "TENUTO_"))]


def test_arguments_are_not_read_by_a_shell(tmp_path: Path) -> None:
    target = tmp_path / "made"
    transport("import sys; assert sys.argv[1].startswith('$(')", f"$(touch {target})").deliver(SINK, LETTER)
    assert not target.exists()


def test_a_program_that_fails_has_not_taken_the_event_and_its_words_are_told() -> None:
    with pytest.raises(TransientError, match=r"ended with 3: no such pager$"):
        transport("import sys; print('no such\\n pager', file=sys.stderr); sys.exit(3)").deliver(SINK, LETTER)


def test_what_a_program_prints_is_read_up_to_a_bound_and_does_not_block_it() -> None:
    script = f"import sys; [sys.stdout.write('x' * {LONGEST_OUTPUT}) for _ in range(50)]; sys.exit(1)"
    with pytest.raises(TransientError) as failed:
        transport(script).deliver(SINK, LETTER)
    assert len(str(failed.value)) < 400


def test_a_program_that_is_not_there_is_told_by_name() -> None:
    missing = CommandTransport({"pager": ("/nowhere/page",)}, {})
    with pytest.raises(TransientError, match="the program page cannot be started: No such file"):
        missing.deliver(SINK, LETTER)


def test_a_program_that_leaves_something_running_is_not_waited_for() -> None:
    script = "import subprocess, sys; subprocess.Popen(['sleep', '20'])"
    transport(script, PATH="/usr/bin:/bin").deliver(SINK, LETTER)


def test_a_program_that_does_not_end_is_stopped() -> None:
    sleeper = CommandTransport({"pager": (sys.executable, "-c", "import time; time.sleep(600)")}, {}, time_limit_s=0.5)
    with pytest.raises(TransientError, match=r"did not end within 0\.5 s and was stopped"):
        sleeper.deliver(SINK, LETTER)


def alive(group: int) -> bool:
    """Whether a process of the group runs. What has ended and was left to the system's first process does not."""
    states = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group, *_ = path.read_text().rpartition(")")[2].split()
            states += [state] if int(its_group) == group else []
    return any(state not in "ZX" for state in states)


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        threading.Event().wait(0.01)


STUBBORN = """
import os, signal, sys, time
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if sys.argv[2] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpgrp()}\\n")
time.sleep(600)
"""


def groups(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().split()] if path.exists() else []


@pytest.mark.parametrize("kind", ["polite", "stubborn"])
def test_a_program_that_takes_too_long_is_ended_with_all_that_it_forked(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "group"
    command = (sys.executable, "-c", STUBBORN, str(file), kind)
    with pytest.raises(TransientError, match="was stopped"):
        CommandTransport({"pager": command}, {}, time_limit_s=2.0).deliver(SINK, LETTER)
    until(lambda: bool(groups(file)))
    until(lambda: not alive(groups(file)[0]))


@pytest.mark.parametrize("kind", ["polite", "stubborn"])
def test_a_program_that_runs_when_the_conductor_ends_is_ended_with_it(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "group"
    runner = CommandTransport({"pager": (sys.executable, "-c", STUBBORN, str(file), kind)}, {})
    failures: list[TransientError] = []

    def deliver() -> None:
        try:
            runner.deliver(SINK, LETTER)
        except TransientError as failed:
            failures.append(failed)

    thread = threading.Thread(target=deliver)
    thread.start()
    until(lambda: len(groups(file)) == 2)
    runner.close()
    thread.join()
    [failed] = failures
    assert "since the Conductor ends" in str(failed)
    until(lambda: not alive(groups(file)[0]))
    with pytest.raises(TransientError, match="no program is started any more"):
        runner.deliver(SINK, LETTER)


def test_what_keeps_a_program_from_being_started_is_known_before_the_first_event(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("no program")
    environ = {"PATH": "/usr/bin:/bin"}
    commands = {
        "a": (sys.executable,),
        "b": ("/nowhere/page",),
        "c": ("no-such-page",),
        "d": (str(plain),),
        "e": ("sh",),
    }
    found = CommandTransport(commands, environ)
    troubles = {name: found.trouble(a_sink(name, kind=SinkKind.COMMAND)) for name in [*commands, "other"]}
    assert {name: trouble for name, trouble in troubles.items() if trouble} == {
        "b": "there is no file /nowhere/page",
        "c": "PATH has no program no-such-page",
        "d": "the program plain may not be executed",
    }


def test_only_programs_that_were_named_at_the_start_can_be_reached() -> None:
    assert transport("pass").can_reach(SINK)
    assert not transport("pass").can_reach(a_sink("other", kind=SinkKind.COMMAND))
