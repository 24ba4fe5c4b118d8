"""A step of the system clock is noticed, told once, and followed at a quiet moment."""

from collections.abc import Sequence

import pytest
from structlog.testing import capture_logs

from tenuto.conductor.leading.leadership import Leadership
from tenuto.conductor.leading.tempo import Tempo
from tenuto.conductor.leading.timekeeper import (
    AGAIN_S,
    HOLD_S,
    NOTICED_S,
    REST_S,
    TELL_AGAIN_S,
    Timekeeper,
    step_between,
)
from tenuto.errors import StoreUnavailableError
from tenuto.model.clock import ClockStep
from tenuto.model.event import EventType
from tenuto.model.ids import Instant, ObjectId
from tenuto.ports.store_changes import Append, StoreChange
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.clock import AnchoredClock, VirtualClock
from tenuto_testing.store_samples import an_event

HOUR_S = 3600.0
DAY_S = 86_400.0
YEAR_S = 365 * DAY_S
WHO = ObjectId("node:one")


class FlakyStore(MemoryStore):
    """Refuses commits while it is away."""

    is_away = False

    def commit(self, changes: Sequence[StoreChange]) -> None:
        if self.is_away:
            raise StoreUnavailableError("the disk is full")
        super().commit(changes)


class Keeping:
    """A timekeeper that leads, and the machine that it watches."""

    def __init__(
        self,
        *,
        step: ClockStep | None = None,
        is_followed: bool = True,
        store: FlakyStore | None = None,
        period_s: float = 30.0,
        after_s: float = 0.0,
        node: str = "one",
    ) -> None:
        self.machine = VirtualClock()
        self.machine.advance(after_s)
        self.clock = AnchoredClock(self.machine)
        self.store = store or FlakyStore()
        self.keeper = Timekeeper(
            store=self.store,
            clock=self.clock,
            leadership=Leadership(store=self.store, clock=self.clock, node=node, is_alone=True),
            tempo=Tempo(period_s=period_s, patience_s=60.0),
            step=step,
            is_followed=is_followed,
        )
        self.keeper.take()

    def works_for(self, seconds: float) -> None:
        self.machine.advance(seconds)

    @property
    def waits_s(self) -> float:
        """The seconds for which removal by age still waits."""
        return max(0.0, self.keeper.keeps_until - self.clock.now())

    def noted(self) -> str:
        """What the node tells of the clock."""
        node = self.store.object(WHO)
        assert node is not None
        fact = node.attributes.get("clock")
        return str(fact["message"]) if fact else ""


@pytest.fixture
def keeping() -> Keeping:
    return Keeping()


def reasons(keeping: Keeping, *walls: float) -> list[str]:
    """What is told while the system clock is set so, again and again."""
    with capture_logs() as logs:
        for ahead_s in walls:
            keeping.machine.set_wall(ahead_s)
            keeping.keeper.may_begin(1)
    return [str(one["reason"]) for one in logs if one["event"] == "clock.set"]


def test_a_clock_without_a_step_is_not_mentioned(keeping: Keeping) -> None:
    keeping.works_for(3000.0)
    assert reasons(keeping, 0.0, NOTICED_S / 2, -NOTICED_S / 2) == []
    assert keeping.keeper.may_begin(0)
    assert (keeping.keeper.is_over, keeping.noted()) == (False, "")


@pytest.mark.parametrize(
    ("ahead_s", "words"),
    [
        (-HOUR_S, "went back by 3600 s. Delays go on by the monotonic clock; times shown may repeat."),
        (HOUR_S, "went forward by 3600 s. Delays go on by the monotonic clock; times shown have a gap."),
    ],
)
def test_a_step_is_told_once_in_the_log_and_at_the_node(keeping: Keeping, ahead_s: float, words: str) -> None:
    assert reasons(keeping, ahead_s, ahead_s, ahead_s) == [f"The system clock {words}"]
    assert keeping.noted() == f"The system clock {words}"


def test_a_clock_that_is_set_all_the_time_does_not_fill_the_log(keeping: Keeping) -> None:
    assert len(reasons(keeping, HOUR_S, -HOUR_S, 0.0, HOUR_S, -HOUR_S)) == 1
    keeping.machine.advance(TELL_AGAIN_S)
    assert reasons(keeping, -HOUR_S, HOUR_S) == [
        "The system clock went back by 7200 s. Delays go on by the monotonic clock; times shown may repeat."
    ]


def test_a_step_while_the_store_is_away_ends_nothing(keeping: Keeping) -> None:
    keeping.store.is_away = True
    assert len(reasons(keeping, HOUR_S)) == 1
    assert keeping.noted() == ""


def test_it_is_followed_when_nothing_is_under_way_and_not_before_all_had_their_job(keeping: Keeping) -> None:
    keeping.machine.set_wall(HOUR_S)
    assert keeping.keeper.may_begin(0)
    keeping.works_for(REST_S)
    assert not keeping.keeper.may_begin(3)
    assert (keeping.keeper.is_over, keeping.keeper.holds_back) == (False, True)
    assert not keeping.keeper.may_begin(0)
    assert keeping.keeper.is_over


def test_work_goes_on_when_something_stays_under_way_and_it_is_tried_again_later(keeping: Keeping) -> None:
    keeping.works_for(REST_S)
    keeping.machine.set_wall(-HOUR_S)
    assert not keeping.keeper.may_begin(1)
    keeping.works_for(HOLD_S)
    assert keeping.keeper.may_begin(1)
    assert not keeping.keeper.holds_back
    keeping.works_for(AGAIN_S - HOLD_S - 1.0)
    assert keeping.keeper.may_begin(1)
    keeping.works_for(1.0)
    assert not keeping.keeper.may_begin(1)


@pytest.mark.parametrize(("period_s", "times"), [(2.0, 2.0 / 30.0), (30.0, 1.0), (3600.0, 1.0)])
def test_tasks_are_kept_back_for_a_third_of_a_period_and_for_ten_seconds_at_most(period_s: float, times: float) -> None:
    keeping = Keeping(period_s=period_s)
    keeping.works_for(REST_S * times)
    keeping.machine.set_wall(HOUR_S)
    assert not keeping.keeper.may_begin(1)
    keeping.works_for(HOLD_S * times - 0.01)
    assert not keeping.keeper.may_begin(1)
    keeping.works_for(0.02)
    assert keeping.keeper.may_begin(1)


def test_a_clock_that_was_put_right_again_is_not_followed(keeping: Keeping) -> None:
    keeping.works_for(REST_S)
    keeping.machine.set_wall(-HOUR_S)
    assert not keeping.keeper.may_begin(1)
    keeping.machine.set_wall(0.0)
    assert keeping.keeper.may_begin(0)
    assert (keeping.keeper.is_over, keeping.keeper.holds_back) == (False, False)


def test_a_conductor_without_a_follower_goes_on_by_its_own_clock() -> None:
    keeping = Keeping(is_followed=False)
    keeping.works_for(REST_S)
    assert len(reasons(keeping, HOUR_S)) == 1
    assert keeping.keeper.may_begin(0)
    assert not keeping.keeper.is_over


def test_the_one_that_follows_says_why_at_its_node() -> None:
    before, after = VirtualClock(Instant(5000.0)), VirtualClock(Instant(1400.0))
    step = step_between(before, after)
    assert step == ClockStep(at=Instant(5000.0), seconds=-HOUR_S)
    assert "went back by 3600 s" in Keeping(step=step).noted()
    assert Keeping().noted() == ""


def test_a_start_before_the_newest_event_is_told() -> None:
    store = FlakyStore()
    newest = Instant(VirtualClock().now() + 30 * 86_400.0)
    store.commit([Append(events=(an_event(at=newest, type=EventType.JOB_FINISHED),))])
    with capture_logs() as logs:
        keeping = Keeping(store=store)
    assert [one["log_level"] for one in logs if one["event"] == "clock.behind"] == ["warning"]
    assert "2592000 s before the newest time in the database" in keeping.noted()
    assert "Check the clock of this machine." in keeping.noted()


def test_a_start_before_the_last_renewal_of_the_lease_is_told() -> None:
    store = FlakyStore()
    ahead = VirtualClock()
    ahead.advance(HOUR_S)
    Leadership(store=store, clock=ahead, node="one", is_alone=True).take()
    assert "3600 s before the newest time" in Keeping(store=store).noted()
    assert Keeping(store=store).noted() == "", "the next start is later than the last one, and nothing is wrong"


def test_an_event_after_the_last_renewal_tells_how_far_the_clock_went_back() -> None:
    store = FlakyStore()
    ahead = VirtualClock()
    ahead.advance(HOUR_S)
    Leadership(store=store, clock=ahead, node="one", is_alone=True).take()
    store.commit([Append(events=(an_event(at=Instant(ahead.now() + 10.0)),))])
    assert "3610 s before the newest time" in Keeping(store=store).noted()


@pytest.mark.parametrize(("after_s", "waits_s"), [(HOUR_S, 0.0), (DAY_S, 0.0), (40 * DAY_S, DAY_S), (YEAR_S, DAY_S)])
def test_removal_by_age_waits_for_a_day_where_nothing_was_written_for_longer(after_s: float, waits_s: float) -> None:
    store = FlakyStore()
    Keeping(store=store)
    with capture_logs() as logs:
        assert Keeping(store=store, after_s=after_s).waits_s == waits_s
    assert ("retention.held" in [one["event"] for one in logs]) == (waits_s > 0.0)


def test_nothing_waits_at_the_first_start_of_a_store() -> None:
    assert Keeping().waits_s == 0.0


@pytest.mark.parametrize(("seconds", "waits_s"), [(-HOUR_S, 0.0), (5.0, 0.0), (HOUR_S, HOUR_S), (YEAR_S, DAY_S)])
def test_a_step_forward_is_waited_out_for_up_to_a_day(seconds: float, waits_s: float) -> None:
    store = FlakyStore()
    Keeping(store=store)
    step = ClockStep(at=VirtualClock().now(), seconds=seconds)
    assert Keeping(store=store, after_s=max(0.0, seconds), step=step).waits_s == waits_s


def test_neither_a_restart_nor_another_node_cuts_the_wait_short() -> None:
    store = FlakyStore()
    Keeping(store=store)
    Keeping(store=store, after_s=YEAR_S)
    assert Keeping(store=store, after_s=YEAR_S + HOUR_S).waits_s == DAY_S - HOUR_S
    assert Keeping(store=store, after_s=YEAR_S + 2 * HOUR_S, node="two").waits_s == DAY_S - 2 * HOUR_S
    assert Keeping(store=store, after_s=YEAR_S + DAY_S).waits_s == 0.0, "it has an end"


def test_a_wait_of_a_clock_that_was_ahead_lasts_for_no_more_than_a_day_of_the_right_clock() -> None:
    store = FlakyStore()
    Keeping(store=store)
    Keeping(store=store, after_s=YEAR_S)
    assert Keeping(store=store, after_s=2 * HOUR_S).waits_s == DAY_S
    assert Keeping(store=store, after_s=5 * HOUR_S).waits_s == DAY_S - 3 * HOUR_S
