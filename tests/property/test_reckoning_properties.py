"""For every stored moment and every clock: no delay is longer than it may be, and moments keep their order."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.pacing.cadence import LONGEST_NOTICE_S, longest_backoff_s
from tenuto.core.pacing.reckoning import MEASURED_S, Reckoning
from tenuto.model.attempt import Attempt
from tenuto.model.clock import ClockStep
from tenuto.model.ids import Instant, PhaseName
from tenuto.model.notification import Delivery
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.process import Process
from tenuto_testing.store_samples import a_flip, a_process, an_entry, an_object, entries

YEARS_S = 4e9
"""A clock without a battery says 1970, and a mistyped one may say anything before 2100."""
moments = st.integers(0, int(YEARS_S)).map(lambda seconds: Instant(float(seconds)))
maybe = st.none() | moments


@st.composite
def reckonings(draw: st.DrawFn) -> Reckoning:
    """At any moment, after any step or none."""
    at, now = draw(moments), draw(moments)
    step = draw(st.sampled_from([None, ClockStep(at=at, seconds=now - at)]))
    return Reckoning(now=now, period_s=30.0, step=step)


entries_asleep = st.builds(
    PhaseEntry,
    phase=st.just(PhaseName("p")),
    state=st.just("Validation"),
    status=st.just(PhaseStatus.SLEEPING),
    first_started_at=maybe,
    started_at=maybe,
    ended_at=maybe,
    wake_at=maybe,
    data=st.dictionaries(st.just("of a plugin"), st.floats(0, YEARS_S)),
    act=st.builds(Attempt, sent_at=maybe, doubted_at=maybe, held_since=maybe),
)


@given(reckonings(), moments, st.floats(0, 1e6))
def test_nothing_waits_for_longer_than_had_it_been_stored_just_now(
    reckoning: Reckoning, moment: Instant, longest_s: float
) -> None:
    assert reckoning.due(moment, longest_s) <= reckoning.now + longest_s


@given(reckonings(), moments)
def test_nothing_that_was_lies_in_the_future(reckoning: Reckoning, moment: Instant) -> None:
    assert reckoning.since(moment) <= reckoning.now


@given(reckonings(), moments, moments)
def test_what_was_earlier_is_never_later_than_what_was_later(
    reckoning: Reckoning, one: Instant, other: Instant
) -> None:
    first, second = sorted((one, other))
    assert reckoning.since(first) <= reckoning.since(second)
    assert reckoning.due(first, 60.0) <= reckoning.due(second, 60.0)


@given(moments, moments, st.integers(0, int(MEASURED_S) - 1))
def test_what_has_lasted_for_less_than_a_day_has_lasted_for_as_long_after_a_step(
    at: Instant, now: Instant, lasted_s: int
) -> None:
    reckoning = Reckoning(now=now, period_s=30.0, step=ClockStep(at=at, seconds=now - at))
    assert reckoning.now - reckoning.since(Instant(at - lasted_s)) == lasted_s


@given(moments, moments, st.integers(int(MEASURED_S), int(YEARS_S)))
def test_what_has_lasted_for_a_day_has_lasted_for_a_day_at_least_after_a_step(
    at: Instant, now: Instant, lasted_s: int
) -> None:
    reckoning = Reckoning(now=now, period_s=30.0, step=ClockStep(at=at, seconds=now - at))
    assert reckoning.now - reckoning.since(Instant(at - lasted_s)) >= MEASURED_S


@given(reckonings(), moments)
def test_what_lies_before_the_horizon_is_read_as_it_was_written(reckoning: Reckoning, moment: Instant) -> None:
    early = min(moment, reckoning.horizon)
    assert reckoning.since(early) == early


@given(reckonings(), moments, moments, maybe, maybe)
def test_the_next_job_of_a_process_is_due_within_a_period(
    reckoning: Reckoning, next_job_at: Instant, until: Instant, converged_at: Instant | None, since: Instant | None
) -> None:
    process: Process = replace(
        a_process(),
        next_job_at=next_job_at,
        enforcement_until=until,
        converged_at=converged_at,
        unconverged_at=since,
    )
    after = reckoning.process(process)
    assert after.next_job_at <= reckoning.now + reckoning.period_s
    assert [(one is None) for one in (after.converged_at, after.unconverged_at)] == [
        (one is None) for one in (converged_at, since)
    ]
    assert all(one is None or one <= reckoning.now for one in (after.converged_at, after.unconverged_at))
    assert (after.enforcement_until, after.created_at) == (until, process.created_at)


@given(reckonings(), entries_asleep, moments, moments, moments)
def test_an_object_wakes_after_as_long_as_its_phase_asked_for_and_nothing_of_it_is_still_to_come(
    reckoning: Reckoning, entry: PhaseEntry, created_at: Instant, moved_at: Instant, touched_at: Instant
) -> None:
    found = an_object(phases=entries(entry), created_at=created_at, moved_at=moved_at, touched_at=touched_at)
    after = reckoning.object(found)
    [read] = after.phases.values()
    asked_s = 0.0
    if entry.wake_at is not None and entry.started_at is not None:
        asked_s = max(0.0, entry.wake_at - entry.started_at)
    assert (read.wake_at is None) == (entry.wake_at is None)
    assert read.wake_at is None or read.wake_at <= reckoning.now + asked_s
    act = (read.act.sent_at, read.act.doubted_at, read.act.held_since)
    was = (read.first_started_at, read.started_at, read.ended_at, after.moved_at, after.touched_at, *act)
    assert all(moment is None or moment <= reckoning.now for moment in was)
    of_act = (entry.act.sent_at, entry.act.doubted_at, entry.act.held_since)
    assert [moment is None for moment in act] == [moment is None for moment in of_act]
    assert read.data == entry.data
    assert after.created_at == created_at


@given(reckonings(), moments, st.lists(moments, min_size=1), maybe)
def test_no_flip_is_still_to_come(
    reckoning: Reckoning, since: Instant, times: list[Instant], held_at: Instant | None
) -> None:
    times.sort()
    flip = replace(a_flip(), times=tuple(times), turns=tuple(times), since=since, held_at=held_at)
    after = reckoning.flip(flip)
    assert max(*after.times, *after.turns, after.since, after.held_at or after.since) <= reckoning.now
    assert list(after.times) == sorted(after.times)
    assert (after.held_at is None) == (held_at is None)


@given(reckonings(), moments)
def test_a_delivery_is_tried_again_after_the_longest_wait_at_the_latest(reckoning: Reckoning, next_at: Instant) -> None:
    delivery = Delivery(sink="s", number=1, event_id="1-x", document={}, next_at=next_at)
    assert reckoning.delivery(delivery).next_at <= reckoning.now + longest_backoff_s(LONGEST_NOTICE_S)


@given(moments, entries_asleep, moments, moments)
def test_without_a_step_reading_twice_is_reading_once(
    now: Instant, entry: PhaseEntry, next_job_at: Instant, touched_at: Instant
) -> None:
    reckoning = Reckoning(now=now, period_s=30.0)
    found = reckoning.object(an_object(phases=entries(entry), touched_at=touched_at))
    process = reckoning.process(replace(a_process(), next_job_at=next_job_at))
    assert reckoning.object(found) == found
    assert reckoning.process(process) == process


@given(moments)
def test_what_was_written_by_a_right_clock_is_read_as_the_very_same(now: Instant) -> None:
    reckoning = Reckoning(now=now, period_s=30.0)
    asleep = an_entry(PhaseStatus.SLEEPING, started_at=now, wake_at=Instant(now + 15.0), act=Attempt(held_since=now))
    found = an_object(phases=entries(asleep), created_at=now, moved_at=now, touched_at=now)
    read = reckoning.object(found)
    assert read == found
    assert read.phases is found.phases
    process = replace(a_process(), next_job_at=Instant(now + 30.0))
    assert reckoning.process(process).next_job_at == process.next_job_at
