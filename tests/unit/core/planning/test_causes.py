"""Which failures suspend a process together with others, and which process is not resumed with them."""

from dataclasses import replace

from tenuto.core.planning.failures import codes_of, resumable_causes, why_not_by_cause
from tenuto.model.command import Command, ProcessState
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import IntentStage, Process
from tenuto_testing.store_samples import OTHER_PHASE, a_job, a_process, an_entry, an_intent, an_object, entries

FAILED = PhaseStatus.FAILED


def suspended(**changes: object) -> Process:
    process = a_process(alias="web", state=ProcessState.SUSPENDED, causes=("AccessDenied",), last_job=a_job())
    return replace(process, **changes)  # type: ignore[arg-type]


def test_the_codes_of_failed_phases_are_told_once_and_by_name() -> None:
    first = an_object("a", phases=entries(an_entry(FAILED, code="Zed"), an_entry(FAILED, OTHER_PHASE, code="Abc")))
    second = an_object(
        "b", phases=entries(an_entry(FAILED, code="Zed"), an_entry(code="Throttling", phase=OTHER_PHASE))
    )
    assert codes_of([first, second]) == ("Abc", "Zed")
    assert codes_of([an_object("c", phases=entries(an_entry(FAILED)))]) == ()


def test_a_suspended_process_is_resumed_by_its_causes() -> None:
    assert resumable_causes(suspended()) == ("AccessDenied",)
    assert resumable_causes(suspended(causes=())) == ()


def test_a_process_that_was_suspended_in_its_kill_is_not_resumed_by_its_cause() -> None:
    killed = suspended(intent=an_intent(IntentStage.DONE, command=Command.KILL))
    assert resumable_causes(killed) == ()
    assert "'tenuto kill web' goes on" in why_not_by_cause(killed)


def test_a_process_that_runs_by_now_is_not_resumed() -> None:
    assert "Running by now" in why_not_by_cause(suspended(state=ProcessState.RUNNING))
