"""Everything that is stored is read by our own clock at a start, and what need not change is not written."""

from dataclasses import replace

from tenuto.conductor.leading.redating import redated
from tenuto.core.pacing.reckoning import Reckoning
from tenuto.core.reports.audit import audit_times
from tenuto.model.clock import ClockStep
from tenuto.model.ids import Instant
from tenuto.model.job import JobStatus
from tenuto.model.node import NODE_PLACE, NODE_TYPE
from tenuto.model.notification import Delivery, Sink, SinkKind
from tenuto.model.phase_map import PhaseStatus
from tenuto.ports.record_kinds import USER_SECRET, WEB_SESSION
from tenuto.ports.records import SaveRecord
from tenuto.ports.store_administration import CreateSink, SaveDelivery
from tenuto.ports.store_changes import CreateObject, CreateProcess, SaveFlips, SaveJob
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.store_samples import (
    PHASE,
    WEB,
    a_flip,
    a_job,
    a_process,
    a_secret,
    a_web_session,
    an_entry,
    an_object,
    entries,
)

NOW = Instant(10_000.0)
AHEAD = Instant(NOW + 30 * 86_400.0)
RECKONING = Reckoning(now=NOW, period_s=30.0)


def stored(at: Instant) -> MemoryStore:
    """One of everything that waits or is measured, written at a moment."""
    store = MemoryStore()
    job = a_job(status=JobStatus.RUNNING, started_at=at)
    asleep = an_entry(PhaseStatus.SLEEPING, started_at=at, wake_at=Instant(at + 15.0))
    sink = Sink(name="pager", kind=SinkKind.COMMAND, place="here", types=(), created_at=at, cursor=0)
    token = a_secret("ann:ci", owner="ann", created_at=at, used_at=at, expires_at=Instant(at + 3600.0))
    store.commit(
        [
            CreateProcess(
                process=replace(a_process(), updated_at=at, next_job_at=Instant(at + 30.0), job_id=job.job_id),
                actor="x",
            ),
            SaveJob(job=job),
            CreateObject(object=an_object(moved_at=at, touched_at=at, phases=entries(asleep)), actor="x"),
            CreateObject(
                object=an_object("node", fid=None, type=NODE_TYPE, partition=NODE_PLACE, moved_at=at, touched_at=at),
                actor="x",
            ),
            SaveFlips(fid=WEB, saved=(replace(a_flip(), times=(at,), turns=(at,), since=at),)),
            CreateSink(sink=sink),
            SaveRecord(kind=USER_SECRET, value=token),
            SaveRecord(kind=WEB_SESSION, value=a_web_session(made_at=at, proved_at=at, seen_at=at)),
            SaveDelivery(delivery=Delivery(sink="pager", number=1, event_id="1-x", document={}, next_at=at)),
        ]
    )
    return store


def test_what_was_written_by_a_right_clock_is_left_alone() -> None:
    assert redated(stored(NOW), RECKONING) == []
    assert redated(stored(Instant(NOW - 5000.0)), RECKONING) == []


def test_nothing_of_what_was_written_by_a_clock_that_was_ahead_is_waited_for() -> None:
    store = stored(AHEAD)
    store.commit(redated(store, RECKONING))
    [process] = store.processes()
    assert (process.next_job_at, process.updated_at) == (NOW + 30.0, NOW)
    assert (store.job("job-1") or a_job()).started_at == NOW
    [found] = store.objects(WEB)
    assert (found.moved_at, found.touched_at) == (NOW, NOW)
    assert found.phases[PHASE].wake_at == NOW + 15.0
    [flip] = store.flips(WEB)
    assert (flip.times, flip.turns, flip.since) == ((NOW,), (NOW,), NOW)
    [delivery] = store.deliveries("pager", is_dead=False, limit=10)
    assert delivery.next_at <= NOW + 750.0
    assert redated(store, RECKONING) == [], "what was put right stays so"


def test_a_token_and_a_session_that_were_made_by_a_clock_that_was_ahead_begin_now_and_keep_their_length() -> None:
    store = stored(AHEAD)
    store.commit(redated(store, RECKONING))
    [token] = store.user_secrets()
    assert (token.created_at, token.expires_at, token.used_at) == (NOW, NOW + 3600.0, NOW)
    [session] = store.records(WEB_SESSION)
    assert (session.made_at, session.proved_at, session.seen_at) == (NOW, NOW, NOW)


def test_a_token_of_before_a_step_forward_ends_when_it_was_told_to() -> None:
    store = stored(Instant(NOW - 60.0))
    step = ClockStep(at=Instant(NOW - 30.0), seconds=30.0)
    store.commit(redated(store, Reckoning(now=NOW, period_s=30.0, step=step)))
    [token] = store.user_secrets()
    assert (token.created_at, token.expires_at) == (NOW - 60.0, NOW + 3540.0)


def test_the_doctor_finds_no_time_ahead_after_a_start() -> None:
    store = stored(AHEAD)
    store.commit(redated(store, RECKONING))
    [process] = store.processes()
    assert not audit_times(process, store.objects(WEB), NOW)


def test_the_history_of_objects_and_processes_gets_no_event_for_it() -> None:
    store = stored(AHEAD)
    before = store.last_event()
    store.commit(redated(store, RECKONING))
    assert store.last_event() == before
