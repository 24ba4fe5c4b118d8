"""A process that is not as declared says since when and why, the most pressing reason first."""

import pytest

from tenuto.core.reports.unconverged import Why, unconverged, waits_message
from tenuto.model.attempt import Attempt
from tenuto.model.command import Command, ProcessState
from tenuto.model.ids import Instant, LogicalId
from tenuto.model.job import JobStatus
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Wait
from tenuto.model.process import IntentStage, Process
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import WaitKind
from tenuto_testing.store_samples import a_job, a_process, an_entry, an_intent, an_object, entries

AT = Instant(150.0)
SETTLED = an_object("s", logical_id="Net", state="Started")


def process(**changes: object) -> Process:
    return a_process(
        **({"unconverged_at": AT, "converged_at": None, "intent": an_intent(IntentStage.SERVED)} | changes)
    )


def moving(status: PhaseStatus, **changes: object) -> ManagedObject:
    return an_object("m", logical_id="Sub", phases=entries(an_entry(status, **changes)))


THROTTLED = moving(
    PhaseStatus.SLEEPING, act=Attempt(is_throttled=True), code="Busy", message="slow down", wake_at=Instant(9.0)
)
SO_CALLED = moving(PhaseStatus.SLEEPING, code="Throttling", message="a code is only a name", wake_at=Instant(9.0))
WAITS = moving(PhaseStatus.WAITING)
FAILED = moving(PhaseStatus.FAILED, message="denied", code="AccessDenied")
HALTED = a_job(status=JobStatus.HALTED)


def test_a_process_that_is_as_declared_or_gone_is_not_told() -> None:
    assert unconverged(process(converged_at=AT), [SETTLED], is_held=False) is None
    assert unconverged(process(state=ProcessState.GONE), [], is_held=False) is None


def test_a_command_that_waits_makes_it_unconverged_since_the_command() -> None:
    told = unconverged(
        process(
            converged_at=AT, unconverged_at=None, intent=an_intent(command=Command.UPDATE), updated_at=Instant(160.0)
        ),
        [SETTLED],
        is_held=False,
    )
    assert told is not None
    assert (told.since, told.why) == (160.0, Why.WAITING)


@pytest.mark.parametrize("began_at", [None, AT])
def test_a_process_that_a_command_suspended_is_unconverged_since_then_whatever_command_came_later(
    began_at: Instant | None,
) -> None:
    suspended = process(
        state=ProcessState.SUSPENDED,
        unconverged_at=began_at,
        suspended_at=Instant(160.0),
        updated_at=Instant(900.0),
    )
    told = unconverged(suspended, [SETTLED], is_held=False)
    assert told is not None
    assert (told.since, told.why) == (began_at or 160.0, Why.SUSPENDED)


def test_a_message_of_waits_tells_each_reason_once_with_the_resources() -> None:
    def wait(name: str | None, message: str) -> Wait:
        return Wait(kind=WaitKind.OBSERVATION, logical_id=LogicalId(name) if name else None, message=message)

    some = [wait(name, "not visible yet") for name in ("A", "B", "C", "D", "E")]
    assert waits_message(some) == "A, B, C and 2 more: not visible yet"
    assert waits_message([some[0], wait(None, "nothing")]) == "A: not visible yet; nothing"
    assert waits_message([wait("Net", "Net.Label was found")]) == "Net.Label was found"
    assert waits_message([]) == ""


@pytest.mark.parametrize(
    ("changes", "objects", "is_held", "why", "words"),
    [
        ({}, [FAILED, THROTTLED], True, Why.FAILED, "Sub: create failed: denied"),
        ({}, [SETTLED, THROTTLED, WAITS], True, Why.THROTTLED, "Sub: create sleeping: slow down"),
        ({}, [SETTLED, SO_CALLED], True, Why.WAITING, "for Sub: create sleeping: a code is only a name"),
        ({}, [SETTLED, WAITS], True, Why.WAITING, "for Sub: create waiting"),
        ({"last_message": "Net.Label was found"}, [SETTLED], True, Why.HELD, "Net.Label was found"),
        ({}, [], False, Why.WAITING, "for its next job"),
        (
            {"state": ProcessState.SUSPENDED, "last_job": HALTED, "last_message": "the plan would delete 5"},
            [SETTLED],
            False,
            Why.HELD,
            "the plan would delete 5",
        ),
        ({"state": ProcessState.SUSPENDED}, [SETTLED], False, Why.SUSPENDED, "by command"),
        (
            {"last_job": a_job(status=JobStatus.FAILED), "last_message": "no credentials"},
            [SETTLED],
            False,
            Why.FAILED,
            "no credentials",
        ),
        (
            {
                "last_job": a_job(status=JobStatus.FAILED, is_throttled=True),
                "last_message": "one sweep too many (Busy)",
            },
            [SETTLED],
            False,
            Why.THROTTLED,
            "one sweep too many (Busy)",
        ),
        (
            {"last_job": a_job(status=JobStatus.FAILED), "last_message": "a code is only a name (Throttling)"},
            [SETTLED],
            False,
            Why.FAILED,
            "a code is only a name (Throttling)",
        ),
    ],
)
def test_the_reason_is_what_somebody_must_act_on_first(
    changes: dict[str, object], objects: list[ManagedObject], is_held: bool, why: Why, words: str
) -> None:
    told = unconverged(process(**changes), objects, is_held=is_held)
    assert told is not None
    assert (told.since, told.why, told.message) == (AT, why, words)
