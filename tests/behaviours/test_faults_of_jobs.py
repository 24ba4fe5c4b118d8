"""Answers and faults that no job can work with: they are mended where they enter, or told as what they are."""

from typing import Any

import pytest
from web_world import WebWorld, composed, declare

from tenuto.model.job import JobStatus
from tenuto.ports.store_changes import SaveJob, SaveProcess
from tenuto.storage.sqlite.memory import MemoryStore


class FaultyStore(MemoryStore):
    """Raises `fault` where a job reads the flips of a process, and counts the writes to processes and jobs."""

    fault: type[BaseException] | None = None
    writes = 0

    def flips(self, *given: Any) -> Any:
        if self.fault is not None:
            raise self.fault("s3cret")
        return super().flips(*given)

    def commit(self, changes: Any) -> None:
        self.writes += sum(isinstance(one, SaveJob | SaveProcess) for one in changes)
        super().commit(changes)


@pytest.fixture
def store() -> FaultyStore:
    return FaultyStore()


@pytest.fixture
def world(store: FaultyStore) -> WebWorld:
    world = WebWorld(store=store)
    world.run()
    world.settled()
    return world


def last_job(world: WebWorld) -> tuple[JobStatus, str]:
    job = world.process().last_job
    assert job is not None
    return job.status, job.message


def test_a_drift_with_a_lone_surrogate_is_told_and_corrected(world: WebWorld) -> None:
    world.cloud.tamper(world.physical("Net"), "Label", "drift\udce9")
    for _ in range(3):
        world.next_job()
    assert [event.subject for event in world.system.queries.events("web", types=["drift.found"])] == ["Net"]
    assert last_job(world) == (JobStatus.SUCCEEDED, "")
    assert "drift" not in str([one.properties for one in world.cloud.things()])


@pytest.mark.parametrize("fault", [ValueError, SystemExit])
def test_a_job_that_crashes_is_told_as_failed_and_written_once(
    world: WebWorld, store: FaultyStore, fault: type[BaseException]
) -> None:
    store.fault = fault
    world.advance(60)
    status, message = last_job(world)
    assert status is JobStatus.FAILED
    assert "A fault of Tenuto, or of a provider or plugin, ended the job" in message
    assert "s3cret" not in message
    assert world.process().last_message == message
    assert world.process().converged_at is None
    before = store.writes
    world.advance(120)
    assert store.writes == before


def test_a_process_whose_job_crashed_converges_when_the_fault_is_gone(world: WebWorld, store: FaultyStore) -> None:
    store.fault = ValueError
    world.advance(60)
    store.fault = None
    world.cloud.vanish(world.physical("Server"))
    world.advance(120)
    assert last_job(world) == (JobStatus.SUCCEEDED, "")
    assert world.process().converged_at is not None


def test_a_job_that_crashes_while_it_executes_says_so_and_goes_on_when_the_fault_is_gone(
    world: WebWorld, store: FaultyStore
) -> None:
    world.update(composed(declare("Net", "Network", CidrBlock="10.0.0.0/16", Label="new")))
    while world.process().job_id is None:
        world.advance(0.1)
    store.fault = ValueError
    world.advance(120)
    assert "A fault of Tenuto" in world.process().last_message
    before = store.writes
    world.advance(120)
    assert store.writes == before
    store.fault = None
    assert world.settled().last_message == ""
