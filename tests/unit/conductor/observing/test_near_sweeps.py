"""Near sweeps: a job that waits for a few things of many has these swept alone, and learns the truth by that."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from test_reflector import HOME, A, Shelf, Sky, reflecting, thing

from tenuto.conductor.observing.reflector import Reflector
from tenuto.conductor.observing.sightings import GAP_S
from tenuto.conductor.observing.sweeps import AGAIN_S, NEAR_FROM, NearSweep
from tenuto.errors import TransientError
from tenuto.model.ids import Instant, ObjectId, PhysicalId
from tenuto.model.observation import Condition, ObservedItem, Presence, to_show
from tenuto.model.resource import ManagedObject
from tenuto_testing.clock import VirtualClock


class Account:
    """An account with many things, all of which were looked at once; somebody waits for the first few."""

    def __init__(self, things: int = NEAR_FROM) -> None:
        self.clock = VirtualClock()
        self.sky = Sky(self.clock)
        found = thing(self.clock)
        self.objects = [
            replace(found, object_id=ObjectId(f"o{n}"), physical_id=PhysicalId(f"p-{n}"), desired={"x": 1})
            for n in range(things)
        ]
        for one in self.objects:
            self.show(one)
        self.reflector: Reflector = reflecting(Shelf(*self.objects), {"p": self.sky}, self.clock)
        # What was made long ago is not new, and its absence can be believed.
        self.clock.advance(86_400.0)
        self.reflector.ask("p", HOME, A, self.clock.now())
        self.work()
        self.clock.advance(10.0)

    def show(self, found: ManagedObject, **changes: object) -> None:
        assert found.physical_id is not None
        self.sky.items[found.physical_id] = replace(
            ObservedItem(physical_id=found.physical_id, properties={"x": 1}), **changes
        )  # type: ignore[arg-type]

    def hide(self, found: ManagedObject) -> None:
        assert found.physical_id is not None
        del self.sky.items[found.physical_id]

    def few(self) -> list[ManagedObject]:
        return self.objects[:5]

    def ids(self) -> list[PhysicalId]:
        return [one.physical_id for one in self.few() if one.physical_id is not None]

    def work(self) -> list[bool]:
        """Do every sweep that is due now. Which of them were near."""
        before = len(self.sky.near)
        for one in self.reflector.collect(self.clock.now()):
            self.reflector.perform(one)
        return self.sky.near[before:]

    def asked(self, objects: Iterable[ManagedObject]) -> list[bool]:
        self.clock.advance(6.0)
        self.reflector.ask("p", HOME, A, self.clock.now(), list(objects))
        return self.work()

    def is_seen(self, since: Instant) -> bool:
        return self.reflector.is_seen("p", HOME, A, since, (), self.ids())


def test_a_few_things_of_many_are_observed_alone() -> None:
    account = Account()
    since = account.clock.now()
    assert account.asked(account.few()) == [True]
    assert sorted(to_show(account.sky.tracked)[A]) == sorted(account.ids())
    assert account.is_seen(since)
    assert not account.reflector.is_seen("p", HOME, A, since)


@pytest.mark.parametrize(("things", "asked"), [(NEAR_FROM - 1, 5), (NEAR_FROM, NEAR_FROM // 2 + 1), (NEAR_FROM, 0)])
def test_many_things_or_a_few_of_few_are_observed_with_everything(things: int, asked: int) -> None:
    account = Account(things)
    assert account.asked(account.objects[:asked]) == [False]


def test_many_who_wait_for_a_few_each_have_everything_observed() -> None:
    account = Account()
    account.clock.advance(6.0)
    for one in account.objects[: NEAR_FROM // 2 + 1]:
        account.reflector.ask("p", HOME, A, account.clock.now(), [one])
    assert account.work() + account.work() == [False]


def test_what_a_near_sweep_showed_is_what_is_known_until_everything_is_observed_later() -> None:
    account = Account()
    first, other = account.objects[0], account.objects[NEAR_FROM - 1]
    account.show(first, properties={"x": 2})
    account.show(other, properties={"x": 2})
    account.asked(account.few())
    seen = account.reflector.observe_all([first, other])
    assert [seen[one.object_id].item.properties for one in (first, other)] == [{"x": 2}, {"x": 1}]  # type: ignore[union-attr]
    account.show(first, properties={"x": 3})
    account.asked([])
    now = account.reflector.observe(first)
    assert now.item is not None
    assert now.item.properties == {"x": 3}


def test_what_is_missing_is_believed_after_two_sweeps_of_whatever_kind_and_has_everything_observed() -> None:
    account = Account()
    first, since = account.objects[0], account.clock.now()
    account.hide(first)
    account.asked(account.few())
    assert account.reflector.observe(first).presence is Presence.DOUBTFUL
    assert not account.is_seen(since)
    assert account.reflector.is_lacking("p", HOME, A, since, account.ids())
    account.clock.advance(GAP_S)
    account.asked([])
    assert account.reflector.observe(first).presence is Presence.ABSENT


def test_a_thing_that_is_ending_has_everything_observed() -> None:
    account = Account()
    since = account.clock.now()
    account.show(account.objects[0], condition=Condition.GONE)
    account.asked(account.few())
    assert not account.is_seen(since)
    assert account.reflector.is_lacking("p", HOME, A, since, account.ids())


def test_what_a_near_sweep_showed_meanwhile_is_not_missed_by_a_sweep_that_began_before_it() -> None:
    account = Account()
    first = account.objects[0]
    account.clock.advance(6.0)
    account.reflector.ask("p", HOME, A, account.clock.now())
    (whole,) = account.reflector.collect(account.clock.now())
    sweep = account.sky.sweep

    def slow(*args: object, **options: object) -> object:
        # While it is under way the thing comes back, and a near sweep that begins then sees it.
        account.hide(first)
        found = sweep(*args, **options)  # type: ignore[arg-type]
        account.show(first)
        account.clock.advance(1.0)
        account.sky.sweep = sweep  # type: ignore[method-assign]
        account.reflector.refresh("p", HOME, [A], account.clock.now(), objects=account.few())
        return found

    account.sky.sweep = slow  # type: ignore[method-assign,assignment]
    account.reflector.perform(whole)
    assert account.sky.near[-1]
    assert account.reflector.observe(first).presence is Presence.PRESENT
    account.hide(first)
    account.clock.advance(GAP_S)
    account.asked([])
    assert account.reflector.observe(first).presence is Presence.DOUBTFUL


def test_a_near_sweep_that_failed_is_followed_by_sweeps_of_everything_whose_failure_is_told() -> None:
    account = Account()
    account.sky.is_down = True
    assert account.asked(account.few()) == [True]
    assert account.work() == [False]
    assert account.reflector.failure("p", HOME, A, Instant(0.0)) is not None
    account.sky.is_down = False
    account.clock.advance(60.0)
    assert account.asked(account.few()) == [False]
    account.clock.advance(AGAIN_S)
    assert account.asked(account.few()) == [True]


def test_an_endpoint_that_knows_no_such_filter_is_refreshed_by_a_sweep_at_everything() -> None:
    account = Account()
    sweep = account.sky.sweep

    def picky(*args: object, is_near: bool = False, **options: object) -> object:
        if is_near:
            raise TransientError("AWS returned an invalid or incomplete response")
        return sweep(*args, **options)  # type: ignore[arg-type]

    account.sky.sweep = picky  # type: ignore[method-assign,assignment]
    since = account.clock.now()
    account.reflector.refresh("p", HOME, [A], since, objects=account.few())
    assert account.reflector.is_seen("p", HOME, A, since)


def test_what_a_near_sweep_did_not_show_is_looked_for_in_everything() -> None:
    account = Account()
    account.hide(account.objects[0])
    assert account.asked(account.few()) == [True]
    assert account.asked(account.objects[:1]) == [False]
    assert account.asked(account.few()) == [True]


def test_a_refresh_of_a_few_tells_its_failure_and_sweeps_at_everything_when_one_is_missing() -> None:
    account = Account()
    account.hide(account.objects[0])
    account.sky.near.clear()
    account.reflector.refresh("p", HOME, [A], account.clock.now(), objects=account.few())
    assert account.sky.near == [True, False]
    account.sky.is_down = True
    account.clock.advance(10.0)
    with pytest.raises(TransientError, match="cannot observe"):
        account.reflector.refresh("p", HOME, [A], account.clock.now(), objects=account.few())


def test_details_that_are_asked_for_are_shown_by_a_near_sweep() -> None:
    account = Account()
    since, one = account.clock.now(), account.ids()[0]
    account.asked(account.few())
    assert not account.reflector.is_seen("p", HOME, A, since, [one], account.ids())
    account.clock.advance(6.0)
    account.reflector.want("p", HOME, A, [one], account.few())
    assert account.work() == [True]
    assert account.reflector.is_seen("p", HOME, A, since, [one], account.ids())


def test_one_near_sweep_serves_all_who_wait_and_a_wish_for_later_is_left() -> None:
    account = Account()
    account.clock.advance(6.0)
    now = account.clock.now()
    account.reflector.ask("p", HOME, A, now, account.objects[:2])
    account.reflector.ask("p", HOME, A, now, account.objects[1:3])
    account.reflector.ask("p", HOME, A, Instant(now + 30.0), account.objects[:1])
    found = account.reflector.collect(now)
    assert [len(one.things) for one in found if isinstance(one, NearSweep)] == [3]
    for one in found:
        account.reflector.perform(one)
    assert account.reflector.next_wake() == now + 30.0


def test_who_wishes_for_everything_is_not_served_by_near_sweeps() -> None:
    account = Account()
    account.reflector.ask("p", HOME, A, account.clock.now(), account.few())
    account.reflector.ask("p", HOME, A, account.clock.now(), is_whole=True)
    assert sorted(account.work()) == [False, True]
    assert account.sky.whole[-1]
    account.reflector.ask("p", HOME, A, Instant(account.clock.now() - 1.0), is_whole=True)
    assert account.work() == [], "what was swept since then is not swept again"


def test_a_near_sweep_says_what_else_is_tracked_and_need_not_be_shown() -> None:
    """A resource of its own is no part of the thing that a near sweep shows."""
    account = Account()
    account.reflector.ask("p", HOME, A, account.clock.now(), account.few())
    assert account.work() == [True]
    tracked = account.sky.tracked[A]
    assert {one for one, interest in tracked.items() if not interest.is_aside} == set(account.ids())
    assert set(tracked) == {one.physical_id for one in account.objects}
    assert set(to_show(account.sky.tracked)[A]) == set(account.ids())
