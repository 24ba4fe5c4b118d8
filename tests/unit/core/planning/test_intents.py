"""The command that a process serves is read from its intent, and the intent moves along its table only."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.planning import intents
from tenuto.lifecycles.intent import INTENT
from tenuto.model.ids import Instant
from tenuto.model.job import JobStatus
from tenuto.model.process import Command, Intent, IntentStage, Process, ProcessState, ReleaseMode
from tenuto_testing.store_samples import a_job, a_process, an_intent

values = st.builds(
    Intent,
    command=st.sampled_from(Command),
    given_at=st.just(Instant(1.0)),
    by=st.sampled_from(["", "ann"]),
    stage=st.sampled_from(IntentStage),
)


def asked(command: Command, stage: IntentStage, state: ProcessState = ProcessState.RUNNING) -> Process:
    return a_process(state=state, intent=an_intent(stage, command=command))


@given(values, st.sampled_from([intents.served, intents.done]))
def test_an_event_moves_the_stage_along_the_table_and_changes_nothing_else(intent: Intent, event: object) -> None:
    after = event(intent)  # type: ignore[operator]
    assert after.stage == intent.stage or INTENT.allows(intent.stage, after.stage)
    assert replace(after, stage=intent.stage) == intent


@given(values)
def test_what_is_done_is_not_served_again(intent: Intent) -> None:
    over = intents.done(intent)
    assert (over.stage, over.stands, over.waiting, over.corrects) == (IntentStage.DONE, False, None, False)
    assert intents.served(over) is over


def test_only_a_command_that_waits_corrects_what_failed() -> None:
    waiting = an_intent(command=Command.RESUME)
    assert (waiting.waiting, waiting.corrects, waiting.stands) == (Command.RESUME, True, True)
    served = intents.served(waiting)
    assert (served.waiting, served.corrects, served.stands) == (None, False, True)


@pytest.mark.parametrize(
    ("process", "command"),
    [
        (asked(Command.RUN, IntentStage.WAITING), "run"),
        (asked(Command.UPDATE, IntentStage.SERVED), "update"),
        (asked(Command.UPDATE, IntentStage.DONE), "enforce"),
        (asked(Command.KILL, IntentStage.DONE, ProcessState.KILLING), "kill"),
        (replace(asked(Command.RESUME, IntentStage.WAITING), releasing=ReleaseMode.UNTAG), "release"),
    ],
)
def test_a_job_is_for_the_command_that_stands_or_for_enforcement(process: Process, command: str) -> None:
    assert intents.command_of_process(process) == command


def test_a_command_that_was_interrupted_is_served_whatever_the_last_job_was() -> None:
    process = replace(asked(Command.UPDATE, IntentStage.SERVED), last_job=a_job(command="enforce"))
    assert intents.command_of_process(process) == "update"


@pytest.mark.parametrize(
    ("process", "command"),
    [
        (asked(Command.KILL, IntentStage.DONE, ProcessState.SUSPENDED), Command.KILL),
        (asked(Command.UPDATE, IntentStage.WAITING, ProcessState.SUSPENDED), Command.RESUME),
        (asked(Command.KILL, IntentStage.SERVED, ProcessState.KILLING), Command.KILL),
        (asked(Command.RUN, IntentStage.DONE), Command.RESUME),
    ],
)
def test_a_process_goes_on_with_what_it_was_last_asked_for(process: Process, command: Command) -> None:
    assert intents.command_that_goes_on(process) is command


@pytest.mark.parametrize(
    ("process", "job", "reason"),
    [
        (asked(Command.RUN, IntentStage.SERVED), "run", ""),
        (asked(Command.RUN, IntentStage.SERVED, ProcessState.SUSPENDED), "run", "suspended"),
        (asked(Command.KILL, IntentStage.WAITING, ProcessState.KILLING), "run", "overtaken by kill"),
        (asked(Command.UPDATE, IntentStage.WAITING), "run", "overtaken by update"),
    ],
)
def test_a_job_is_superseded_by_a_newer_command_only(process: Process, job: str, reason: str) -> None:
    assert intents.superseded_by(process, a_job(command=job, status=JobStatus.RUNNING)) == reason
