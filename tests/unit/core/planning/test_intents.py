"""The command that a process serves is read from its intent, and the intent moves along its table only.

Which plans turn what is under way, and which objects go on as they are.

Who asked for what is done: the user whose command stands behind it, or the Conductor.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planning_world import process

from tenuto.core.planning import intents
from tenuto.core.planning.intents import ENFORCE, agreed_objects, asked_by, asker, asker_of_command, mandated
from tenuto.lifecycles.intent import INTENT
from tenuto.model.asker import Asker
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Instant, LogicalId, ObjectId, PlanId
from tenuto.model.job import JobStatus
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Plan, Planning, Step, StepKind
from tenuto.model.process import Intent, IntentStage, Process, ReleaseMode
from tenuto.model.resource import ManagedObject
from tenuto_testing.store_samples import (
    HERE,
    WEB,
    a_job,
    a_move,
    a_process,
    a_step,
    an_entry,
    an_intent,
    an_object,
    entries,
)

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


PROCESS = process(mandate=3)


def a_plan_of(*steps: Step) -> Plan:
    return Plan(
        plan_id=PlanId("p"), fid=WEB, partition=HERE, command="enforce", observed_at=Instant(1.0), steps=steps, waves=()
    )


def under_way(name: str = "Net", **changes: object) -> ManagedObject:
    waiting = entries(an_entry(PhaseStatus.SLEEPING, wake_at=Instant(9.0)))
    return an_object(f"obj-{name}", logical_id=LogicalId(name), **({"phases": waiting} | changes))


def settled(name: str = "Net") -> ManagedObject:
    return under_way(name, state="Started", target="Started", phases={})


def test_a_plan_that_turns_what_is_under_way_raises_the_mandate() -> None:
    made = a_plan_of(a_step(StepKind.CHANGE))
    assert mandated(PROCESS, made, [under_way()]).mandate == 4


def test_a_plan_that_changes_only_what_is_settled_leaves_the_mandate_as_it_is() -> None:
    made = a_plan_of(a_step(StepKind.CHANGE))
    assert mandated(PROCESS, made, [settled(), under_way("Other")]) is PROCESS


def test_an_object_that_the_plan_agrees_with_gets_the_mandate_of_its_process() -> None:
    found = under_way(mandate=2)
    planning = Planning(plan=a_plan_of(), agreed=frozenset({found.object_id}))
    assert agreed_objects(planning, PROCESS, [found]) == (replace(found, mandate=3),)


def test_an_object_that_the_plan_does_not_speak_of_rests() -> None:
    planning = Planning(plan=a_plan_of(), agreed=frozenset({ObjectId("obj-Other")}))
    assert agreed_objects(planning, PROCESS, [under_way(mandate=2)]) == ()


def test_an_object_that_has_the_mandate_is_not_written_again() -> None:
    found = under_way(mandate=3)
    planning = Planning(plan=a_plan_of(), agreed=frozenset({found.object_id}))
    assert agreed_objects(planning, PROCESS, [found]) == ()


SERVED_WEB = replace(a_process(), intent=an_intent(IntentStage.SERVED))


@pytest.mark.parametrize(
    ("process", "who"),
    [
        (SERVED_WEB, "ann"),
        (replace(SERVED_WEB, intent=an_intent(IntentStage.DONE)), "conductor"),
        (replace(SERVED_WEB, intent=an_intent(IntentStage.DONE), state=ProcessState.KILLING), "ann"),
        (replace(SERVED_WEB, intent=an_intent(IntentStage.SERVED, by="")), "conductor"),
        (replace(SERVED_WEB, mandate=2), "conductor"),
        (None, "conductor"),
    ],
)
def test_who_asked_for_what_is_done_for_an_object(process: Process | None, who: str) -> None:
    assert asker(process, an_object()).name == who


def test_the_request_goes_with_the_user_who_gave_the_command() -> None:
    asked = replace(SERVED_WEB, intent=replace(SERVED_WEB.intent, request="7e57ab1e"))
    assert asker(asked, an_object()) == Asker(name="ann", request="7e57ab1e")
    assert asker_of_command(asked, ENFORCE) == Asker(name="conductor")
    assert asker(replace(asked, mandate=2), an_object()) == Asker(name="conductor")


def test_the_request_of_an_object_of_no_process_stands_behind_it_until_it_is_where_it_should_be() -> None:
    moving = replace(an_object(), fid=None, request="7e57ab1e", target="Deleted")
    assert asker(None, moving) == Asker(name="conductor", request="7e57ab1e")
    assert asker(None, replace(moving, state="Deleted")) == Asker(name="conductor")


def test_no_user_asked_for_enforcement() -> None:
    assert [asker_of_command(SERVED_WEB, one).name for one in (ENFORCE, "update")] == ["conductor", "ann"]


def test_a_move_keeps_what_moved_the_object_beside_who_asked() -> None:
    [move] = asked_by([a_move("Validation", "Allocation")], Asker(name="ann", request="7e57ab1e"))
    assert (move.actor, move.by, move.request, move.after) == ("ann", "tester", "7e57ab1e", "Allocation")
