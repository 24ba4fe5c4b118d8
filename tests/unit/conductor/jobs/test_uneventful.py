"""A job that found what the one before it found is noted; it is written when it is the turn of its process."""

from dataclasses import replace
from itertools import pairwise

import pytest

from tenuto.conductor.jobs.endings import closed, uneventful
from tenuto.model.ids import Instant, JobId
from tenuto.model.job import JobKind, JobStatus
from tenuto.model.process import Process
from tenuto.ports.store_changes import Append, StoreChange
from tenuto_testing.store_samples import a_job, a_process, an_event

START = Instant(6_000.0)


def looked_at(process: Process, now: Instant, message: str = "", **changes: object) -> list[StoreChange]:
    """The changes of a routine job that found nothing to do."""
    job = a_job(f"job-{now}", status=JobStatus.RUNNING, started_at=now, kind=JobKind.ROUTINE)
    job = replace(job, **changes)  # type: ignore[arg-type]
    return closed(process, job, JobStatus.SUCCEEDED, message, now, Instant(now + 30), is_converged=True)


@pytest.fixture
def idle() -> Process:
    """A process as its first routine job left it."""
    (saved,) = looked_at(a_process(), START)
    return saved.process  # type: ignore[union-attr]


def test_a_job_that_found_the_same_is_only_noted(idle: Process) -> None:
    now = Instant(START + 1)
    noted = uneventful(idle, looked_at(idle, now), now)
    assert noted is not None
    assert noted.last_job is not None
    assert (noted.last_job.job_id, noted.last_job.finished_at) == (JobId(f"job-{now}"), now)
    assert noted.next_job_at == now + 30
    assert noted.generation == idle.generation


def test_within_ten_minutes_each_process_is_written_once(idle: Process) -> None:
    written = []
    found = idle
    for step in range(1, 81):
        now = Instant(START + 30.0 * step)
        changes = looked_at(found, now)
        noted = uneventful(found, changes, now)
        if noted is None:
            written.append(now)
        found = noted or changes[0].process  # type: ignore[union-attr]
    assert len(written) == 4
    assert {later - earlier for earlier, later in pairwise(written)} == {600.0}


@pytest.mark.parametrize(
    "other",
    [
        {"message": "a sweep failed"},
        {"plan_summary": {"unchanged": 7}},
        {"actor": "bob"},
    ],
)
def test_what_tells_anything_else_is_written(idle: Process, other: dict[str, object]) -> None:
    now = Instant(START + 1)
    assert uneventful(idle, looked_at(idle, now, **other), now) is None  # type: ignore[arg-type]


def test_a_job_with_more_to_store_and_the_first_one_are_written(idle: Process) -> None:
    now = Instant(START + 1)
    assert uneventful(idle, [*looked_at(idle, now), Append(events=(an_event(),))], now) is None
    assert uneventful(a_process(), looked_at(a_process(), START), START) is None
    with_command = replace(idle, unconverged_at=Instant(START))
    assert uneventful(with_command, looked_at(with_command, now), now) is None, "it has converged only now"
