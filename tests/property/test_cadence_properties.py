"""The order of the queue is fair: commands before repairs before routine, and nobody starves."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from tenuto.conductor.jobs.scheduler import Scheduler
from tenuto.core.pacing.cadence import HEAD_START_S, Due, Urgency, more_urgent, next_beat, rank
from tenuto.model.ids import Fid, Instant

names = st.integers(0, 30).map(lambda number: Fid(f"p{number}"))
moments = st.integers(0, 500).map(Instant)
queues = st.lists(
    st.builds(Due, fid=names, at=moments, urgency=st.sampled_from(Urgency)), max_size=30, unique_by=lambda one: one.fid
)


def in_order(queue: Iterable[Due]) -> list[Due]:
    return sorted(queue, key=rank)


@given(queues)
def test_of_those_due_at_the_same_moment_commands_come_first_then_repairs_then_routine(queue: list[Due]) -> None:
    same = [Due(fid=one.fid, at=Instant(7.0), urgency=one.urgency) for one in queue]
    order = [list(Urgency).index(one.urgency) for one in in_order(same)]
    assert order == sorted(order)


@given(queues)
def test_of_one_urgency_the_longest_due_comes_first(queue: list[Due]) -> None:
    for urgency in Urgency:
        times = [one.at for one in in_order(queue) if one.urgency is urgency]
        assert times == sorted(times)


@given(queues)
def test_nothing_that_became_due_more_than_a_head_start_later_goes_before(queue: list[Due]) -> None:
    order = in_order(queue)
    longest = max(HEAD_START_S.values())
    for place, one in enumerate(order):
        assert all(one.at - other.at <= longest for other in order[place + 1 :])


@given(
    st.lists(
        st.tuples(names, moments, st.sampled_from(Urgency))
        | st.tuples(st.just("collect"), st.integers(0, 100), st.integers(1, 4))
        | st.tuples(st.just("settle"), st.none() | st.integers(0, 60), st.none()),
        max_size=60,
    )
)
def test_the_heaps_give_what_looking_at_everything_would(acts: list[tuple[object, ...]]) -> None:
    """Beside a model that keeps a dictionary and sorts it."""
    scheduler, now = Scheduler(), 0.0
    model: dict[Fid, Due] = {}
    in_hand: dict[Fid, Urgency | None] = {}

    def put(fid: Fid, at: float, urgency: Urgency) -> None:
        before = model.get(fid)
        if before is not None:
            at, urgency = min(at, before.at), more_urgent(urgency, before.urgency)
        model[fid] = Due(fid=fid, at=Instant(at), urgency=urgency)

    for name, one, other in acts:
        if name == "collect":
            now += float(str(one))
            expected = [due.fid for due in in_order(model.values()) if due.at <= now][: int(str(other))]
            assert list(scheduler.collect(Instant(now), int(str(other)))) == expected
            for fid in expected:
                del model[fid]
                in_hand[fid] = None
        elif name == "settle" and in_hand:
            fid, urgency = in_hand.popitem()
            next_at = None if one is None else Instant(now + float(str(one)))
            scheduler.settle(fid, next_at, Instant(now))
            if urgency is not None:
                put(fid, now, urgency)
            elif next_at is not None:
                put(fid, next_at, Urgency.REPAIR if next_at - now < 1.0 else Urgency.ROUTINE)
        elif isinstance(other, Urgency):
            fid, at = Fid(str(name)), float(str(one))
            scheduler.wake(fid, Instant(at), other)
            if fid in in_hand:
                in_hand[fid] = more_urgent(other, in_hand[fid] or other)
            else:
                put(fid, at, other)
        due = [one.at for one in model.values() if one.at <= now]
        assert scheduler.waiting(Instant(now)) == (len(due), now - min(due, default=now))
        wake, first = scheduler.next_wake(), min((one.at for one in model.values()), default=None)
        assert wake == first or (first is not None and wake is not None and first <= wake <= now)


@given(commands=st.integers(1, 5), routine=st.integers(1, 5))
def test_no_process_starves_however_many_commands_come(commands: int, routine: int) -> None:
    """One sweep each second, and more commands each second than can be served."""
    scheduler, now, served = Scheduler(), 0.0, set()
    waiting = {Fid(f"routine{number}") for number in range(routine)}
    for fid in waiting:
        scheduler.wake(fid, Instant(0.0), Urgency.ROUTINE)
    for second in range(1000):
        now = float(second)
        for number in range(commands):
            scheduler.wake(Fid(f"command{second}.{number}"), Instant(now), Urgency.COMMAND)
        for fid in scheduler.collect(Instant(now), 1):
            served.add(fid)
            scheduler.settle(fid, None, Instant(now))
        if waiting <= served:
            break
    assert waiting <= served
    assert now <= HEAD_START_S[Urgency.COMMAND] * (commands + 1) + routine + 1


@given(st.lists(st.tuples(names, moments, st.sampled_from(Urgency)), max_size=40), st.integers(0, 10))
def test_what_is_not_collected_for_want_of_room_stays_due(wakes: list[tuple[Fid, Instant, Urgency]], room: int) -> None:
    scheduler = Scheduler()
    for fid, at, urgency in wakes:
        scheduler.wake(fid, at, urgency)
    due = {fid for fid, _, _ in wakes}
    first = scheduler.collect(Instant(500.0), room)
    assert len(first) == min(room, len(due))
    assert scheduler.waiting(Instant(500.0))[0] == len(due) - len(first)
    assert {*first, *scheduler.collect(Instant(500.0))} == due


def test_a_command_for_a_process_that_is_due_already_makes_it_urgent() -> None:
    scheduler = Scheduler()
    scheduler.wake(Fid("a"), Instant(5.0), Urgency.ROUTINE)
    scheduler.wake(Fid("b"), Instant(6.0), Urgency.ROUTINE)
    scheduler.wake(Fid("b"), Instant(7.0), Urgency.COMMAND)
    assert scheduler.collect(Instant(7.0)) == (Fid("b"), Fid("a"))


def test_a_command_that_comes_during_a_sweep_makes_the_next_one_urgent() -> None:
    scheduler = Scheduler()
    for name in ("a", "b"):
        scheduler.wake(Fid(name), Instant(0.0), Urgency.ROUTINE)
    assert scheduler.collect(Instant(0.0), 1) == (Fid("a"),)
    scheduler.wake(Fid("a"), Instant(1.0), Urgency.COMMAND)
    scheduler.settle(Fid("a"), Instant(31.0), Instant(2.0))
    assert scheduler.collect(Instant(2.0)) == (Fid("a"), Fid("b"))


real_moments = st.floats(1_700_000_000.0, 1_900_000_000.0).map(Instant)
periods = st.floats(0.1, 86_400.0)


@given(real_moments, periods)
def test_the_next_beat_is_still_to_come_and_at_most_a_period_away(now: Instant, period_s: float) -> None:
    assert now < next_beat(now, period_s) <= now + period_s * 1.001


@given(real_moments, st.floats(0.0, 29.0), st.just(30.0))
def test_all_who_ask_between_two_beats_are_told_the_same(now: Instant, later: float, period_s: float) -> None:
    beat = next_beat(now, period_s)
    other = Instant(now + later)
    assert next_beat(other, period_s) == beat or other >= beat
