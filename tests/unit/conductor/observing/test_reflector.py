"""When a thing counts as present, as gone, or as nothing yet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import pytest

from tenuto.conductor.observing.marked import Marked
from tenuto.conductor.observing.reflector import WHOLE_S, Reflector
from tenuto.conductor.observing.sightings import DETAILS_PER_SWEEP, GAP_S
from tenuto.conductor.observing.sights import ReflectorSights
from tenuto.conductor.providing.providers import ProviderTypes
from tenuto.conductor.providing.requests import Requests
from tenuto.core.pacing.visibility import SETTLED_S, VISIBILITY_S
from tenuto.errors import ProviderError, StoreUnavailableError, TransientError
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.observation import Condition, ObservedItem, Owner, Presence, Sweep, Tracked
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.storage.file.secrets import KeyedSecrets, new_keys
from tenuto_testing.clock import VirtualClock

HOME = Partition(account="1", region="here")
A, B = TypeName("T::A"), TypeName("T::B")
TYPES = {name: ResourceType(name=name, provider="p", source="all", costly=frozenset({"x", "y"})) for name in (A, B)}
PID = PhysicalId("p-1")


class Sky:
    """A provider of which only the sweeps matter: what is there, and whether looking works."""

    name = "p"

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.items: dict[PhysicalId, ObservedItem] = {}
        self.unsure: dict[PhysicalId, str] = {}
        self.looks = 0
        self.is_down = False
        self.seconds = 0.0
        self.tracked: Tracked = {}
        self.whole: list[bool] = []
        self.near: list[bool] = []
        self.is_by_id = False

    def sweep(
        self, partition: Partition, source: str, tracked: Tracked, *, is_whole: bool = False, is_near: bool = False
    ) -> Mapping[TypeName, Sweep]:
        self.looks += 1
        self.tracked = tracked
        self.whole.append(is_whole)
        self.near.append(is_near)
        if self.is_down:
            raise TransientError("no answer")
        now = self.clock.now()
        self.clock.advance(self.seconds)
        return {
            name: Sweep(
                partition=partition,
                type=name,
                started_at=now,
                items=dict(self.items),
                unsure=self.unsure,
                is_whole=is_whole or not self.is_by_id,
            )
            for name in TYPES
        }


class Shelf:
    """The reads of the store that a reflector needs."""

    def __init__(self, *objects: ManagedObject) -> None:
        self.objects = objects

    def tracked(self, partition: Partition, type: TypeName) -> tuple[ManagedObject, ...]:  # noqa: A002
        return tuple(found for found in self.objects if found.type == type)

    def tracked_ids(self, provider: str, partition: Partition, types: Sequence[TypeName]) -> dict[TypeName, set[str]]:
        return {name: {one.physical_id for one in self.objects if one.type == name} for name in types}

    def processes(self, *, live: bool = True) -> tuple[Process, ...]:
        return ()

    def selected(self, object_ids: Sequence[ObjectId]) -> tuple[ManagedObject, ...]:
        return tuple(found for found in self.objects if found.object_id in object_ids)

    def process(self, fid: str) -> None:
        """No process has a secret here."""


def reflecting(store: object, providers: object, clock: VirtualClock) -> Reflector:
    return Reflector(
        store=store,
        providers=providers,
        types=ProviderTypes({"p": TYPES}),
        clock=clock,
        marked=Marked(store),
        requests=lambda: Requests(store, KeyedSecrets(new_keys())),
    )  # type: ignore


def thing(clock: VirtualClock, state: str = "Started") -> ManagedObject:
    return ManagedObject(
        object_id=ObjectId("o"),
        lifecycle="resource",
        type=A,
        provider="p",
        partition=HOME,
        fid=Fid("f"),
        logical_id=LogicalId("a"),
        state=state,
        target="Started",
        created_at=clock.now(),
        moved_at=clock.now(),
        touched_at=clock.now(),
        physical_id=PID,
    )


def crowd(clock: VirtualClock) -> list[ManagedObject]:
    """More things than are read in detail at one sweep."""
    declared = replace(thing(clock), desired={"x": 1})
    return [replace(declared, object_id=ObjectId(f"o{n}"), physical_id=PhysicalId(f"p-{n}")) for n in range(25)]


def world(state: str = "Started") -> tuple[VirtualClock, Sky, Reflector, ManagedObject]:
    clock = VirtualClock()
    sky = Sky(clock)
    found = thing(clock, state)
    reflector = reflecting(Shelf(found), {"p": sky}, clock)
    clock.advance(1)
    return clock, sky, reflector, found


def look(clock: VirtualClock, reflector: Reflector, after: float = 0.0) -> None:
    clock.advance(after)
    reflector.ask("p", HOME, A, clock.now())
    for due in reflector.collect(clock.now()):
        reflector.perform(due)


def test_nothing_is_known_before_the_first_sweep() -> None:
    _, _, reflector, found = world()
    assert reflector.observe(found).presence is Presence.UNSEEN


def test_a_sweep_that_began_before_our_own_last_change_says_nothing() -> None:
    clock, sky, reflector, found = world()
    sky.items[PID] = ObservedItem(physical_id=PID, properties={})
    look(clock, reflector)
    assert reflector.observe(found).presence is Presence.PRESENT
    changed = replace(found, touched_at=clock.now())
    assert reflector.observe(changed).presence is Presence.UNSEEN


def test_a_sweep_that_began_right_after_our_own_last_change_may_show_what_was_before_it() -> None:
    clock, sky, reflector, found = world()
    sky.items[PID] = ObservedItem(physical_id=PID, properties={})
    seen = []
    for seconds in (0.1, SETTLED_S - 0.1, SETTLED_S):
        clock.set(Instant(found.touched_at + seconds))
        reflector.refresh("p", HOME, [A], clock.now())
        seen.append(reflector.observe(found).may_be_stale)
    assert seen == [True, True, False]


def test_a_sweep_that_was_under_way_when_the_id_was_stored_says_nothing() -> None:
    """It began after the creation, and did not know that the thing is ours to be read in detail."""
    clock, sky, reflector, found = world()
    sky.items[PID] = ObservedItem(physical_id=PID, properties={})
    shelf = cast("Shelf", reflector._store)
    shelf.objects = ()
    look(clock, reflector)
    shelf.objects = (found,)
    assert reflector.observe(found).presence is Presence.UNSEEN
    look(clock, reflector, after=1)
    assert reflector.observe(found).presence is Presence.PRESENT


def test_one_sighting_of_an_absence_is_a_doubt_and_a_second_one_after_the_gap_is_certain() -> None:
    clock, _, reflector, found = world()
    look(clock, reflector, after=VISIBILITY_S)
    assert reflector.observe(found).presence is Presence.DOUBTFUL
    look(clock, reflector, after=GAP_S / 2)
    assert reflector.observe(found).presence is Presence.DOUBTFUL
    look(clock, reflector, after=GAP_S / 2)
    assert reflector.observe(found).presence is Presence.ABSENT


def test_what_a_sweep_is_unsure_of_is_never_gone_however_often_it_is_missed() -> None:
    clock, sky, reflector, found = world()
    sky.unsure = {PID: "AccessDenied"}
    for _ in range(5):
        look(clock, reflector, after=VISIBILITY_S)
        observation = reflector.observe(found)
        assert (observation.presence, "AccessDenied" in observation.message) == (Presence.DOUBTFUL, True)
    sky.unsure = {}
    look(clock, reflector, after=GAP_S)
    assert reflector.observe(found).presence is Presence.DOUBTFUL, "the first sighting that says so"
    look(clock, reflector, after=GAP_S)
    assert reflector.observe(found).presence is Presence.ABSENT


def test_a_thing_that_was_just_made_is_not_gone_even_when_it_was_seen_before_and_often_missed_since() -> None:
    clock, sky, reflector, found = world()
    sky.items[PID] = ObservedItem(physical_id=PID, properties={})
    look(clock, reflector)
    assert reflector.observe(found).presence is Presence.PRESENT
    sky.items.clear()
    for _ in range(3):
        look(clock, reflector, after=GAP_S)
        assert reflector.observe(found).presence is Presence.DOUBTFUL
    look(clock, reflector, after=VISIBILITY_S)
    assert reflector.observe(found).presence is Presence.ABSENT


def test_what_shows_with_the_mark_of_a_new_thing_is_its_twin_until_it_is_gone_and_later_it_may_be_a_copy() -> None:
    clock, sky, reflector, found = world()
    mark = Owner(fid=found.fid, logical_id=found.logical_id, object_id=found.object_id)

    def shown(*ids: str) -> frozenset[PhysicalId]:
        sky.items = {
            PhysicalId(one): ObservedItem(physical_id=PhysicalId(one), properties={}, owner=mark) for one in ids
        }
        look(clock, reflector, after=VISIBILITY_S / 2)
        sweep = reflector.latest("p", HOME, A)
        assert sweep is not None
        return sweep.duplicates

    assert shown(PID, "p-2") == {"p-2"}
    assert shown(PID, "p-2", "p-3") == {"p-2"}, "the thing is not new any more"
    assert shown(PID, "p-3") == frozenset()
    assert shown(PID, "p-2") == frozenset()


def test_a_thing_that_came_back_between_two_sweeps_is_not_gone() -> None:
    clock, sky, reflector, found = world()
    look(clock, reflector)
    sky.items[PID] = ObservedItem(physical_id=PID, properties={})
    look(clock, reflector, after=GAP_S)
    sky.items.clear()
    look(clock, reflector, after=GAP_S)
    assert reflector.observe(found).presence is Presence.DOUBTFUL


def test_a_new_thing_may_stay_invisible_for_a_while() -> None:
    clock, _, reflector, found = world(state="Initialization")
    for _ in range(3):
        look(clock, reflector, after=GAP_S)
    assert reflector.observe(found).presence is Presence.DOUBTFUL
    look(clock, reflector, after=VISIBILITY_S)
    assert reflector.observe(found).presence is Presence.ABSENT


def test_a_tombstone_is_certain_at_once() -> None:
    clock, sky, reflector, found = world()
    sky.items[PID] = ObservedItem(physical_id=PID, properties={}, condition=Condition.GOING, message="terminated")
    look(clock, reflector)
    observation = reflector.observe(found)
    assert (observation.presence, observation.message) == (Presence.ABSENT, "terminated")


def test_types_of_one_source_and_all_who_ask_share_one_sweep() -> None:
    clock, sky, reflector, _ = world()
    for name in (A, B, A):
        reflector.ask("p", HOME, name, clock.now())
    due = reflector.collect(clock.now())
    assert len(due) == 1
    assert reflector.collect(clock.now()) == ()
    reflector.perform(due[0])
    assert sky.looks == 1
    assert reflector.next_wake() is None


def test_a_wish_for_later_is_not_done_before_its_time() -> None:
    clock, _, reflector, _ = world()
    reflector.ask("p", HOME, A, Instant(clock.now() + 10))
    assert reflector.collect(clock.now()) == ()
    assert reflector.next_wake() == clock.now() + 10


def test_a_sweep_that_failed_is_told_and_tried_again_with_growing_pauses() -> None:
    clock, sky, reflector, _ = world()
    sky.is_down = True
    asked = clock.now()
    look(clock, reflector)
    assert "no answer" in str(reflector.failure("p", HOME, A, asked))
    first = reflector.next_wake()
    assert first is not None
    assert first > clock.now()
    clock.set(first)
    for due in reflector.collect(clock.now()):
        reflector.perform(due)
    second = reflector.next_wake()
    assert second is not None
    assert second - clock.now() > first - asked
    sky.is_down = False
    clock.set(second)
    for due in reflector.collect(clock.now()):
        reflector.perform(due)
    assert reflector.failure("p", HOME, A, asked) is None


def test_a_failed_sweep_in_which_nothing_is_held_is_not_tried_again_by_itself() -> None:
    clock = VirtualClock()
    sky = Sky(clock)
    reflector = reflecting(Shelf(), {"p": sky}, clock)
    sky.is_down, asked = True, clock.now()
    reflector.ask_all("p", HOME, asked)
    for due in reflector.collect(clock.now()):
        reflector.perform(due)
    assert "no answer" in str(reflector.failure("p", HOME, A, asked))
    assert reflector.next_wake() is None
    sky.is_down = False
    clock.advance(3600.0)
    reflector.ask("p", HOME, A, clock.now())
    for due in reflector.collect(clock.now()):
        reflector.perform(due)
    assert reflector.is_seen("p", HOME, A, clock.now())


def test_a_refresh_tells_the_caller_why_it_failed() -> None:
    clock, sky, reflector, _ = world()
    sky.is_down = True
    with pytest.raises(ProviderError, match="no answer"):
        reflector.refresh("p", HOME, [A], clock.now())


def test_details_are_read_in_turns_and_each_has_its_turn() -> None:
    clock, sky = VirtualClock(), Sky(VirtualClock())
    many = crowd(clock)
    reflector = reflecting(Shelf(*many), {"p": sky}, clock)
    seen: list[PhysicalId] = []
    for _ in range(3):
        look(clock, reflector, after=30.0)
        now = clock.now()
        turn = [one for one, interest in sky.tracked[A].items() if interest.since == now]
        assert len(turn) == DETAILS_PER_SWEEP
        assert all(sky.tracked[A][one].since == many[0].touched_at for one in sky.tracked[A].keys() - set(turn))
        seen += turn
    assert set(seen) == set(sky.tracked[A])


def test_what_is_asked_for_is_read_in_detail_whether_or_not_it_has_its_turn() -> None:
    clock, sky = VirtualClock(), Sky(VirtualClock())
    reflector = reflecting(Shelf(*crowd(clock)), {"p": sky}, clock)
    asked = [PhysicalId("p-24"), PhysicalId("p-unknown")]
    clock.advance(30.0)
    reflector.want("p", HOME, A, asked)
    look(clock, reflector)
    shown = [sky.tracked[A][one] for one in asked]
    assert [(one.names, one.since) for one in shown] == [(TYPES[A].costly, clock.now())] * 2


def test_only_what_is_declared_is_read_in_detail_until_somebody_asks_for_all_of_it() -> None:
    clock = VirtualClock()
    sky = Sky(clock)
    declaring, other = crowd(clock)[:2]
    silent = replace(other, desired={})
    reflector = reflecting(Shelf(declaring, silent), {"p": sky}, clock)
    look(clock, reflector, after=30.0)
    assert [interest.names for interest in sky.tracked[A].values()] == [{"x"}, frozenset()]
    now = clock.now()
    assert reflector.is_seen("p", HOME, A, now)
    assert not reflector.is_seen("p", HOME, A, now, [PhysicalId("p-0")])
    reflector.refresh("p", HOME, [A], now, [PhysicalId("p-0")])
    assert reflector.is_seen("p", HOME, A, now, [PhysicalId("p-0")])
    assert sky.tracked[A][PhysicalId("p-0")].names == {"x", "y"}


class LostShelf(Shelf):
    """A store that cannot be read for so many times."""

    times = 1

    def tracked(self, partition: Partition, type: TypeName) -> tuple[ManagedObject, ...]:  # noqa: A002
        if self.times:
            self.times -= 1
            raise StoreUnavailableError("the disk cannot be read")
        return super().tracked(partition, type)


def test_a_sweep_for_which_the_store_cannot_be_read_is_tried_again() -> None:
    clock = VirtualClock()
    reflector = reflecting(LostShelf(), {"p": Sky(clock)}, clock)
    asked = clock.now()
    look(clock, reflector)
    assert "the disk cannot be read" in str(reflector.failure("p", HOME, A, asked))
    again = reflector.next_wake()
    assert again is not None
    clock.set(again)
    for due in reflector.collect(clock.now()):
        reflector.perform(due)
    assert reflector.is_seen("p", HOME, A, asked)


@pytest.mark.parametrize(("took", "rest"), [(0.1, 0.2), (1.0, 2.0), (60.0, 5.0)])
def test_after_a_sweep_its_source_rests_in_proportion_but_not_for_long(took: float, rest: float) -> None:
    clock = VirtualClock()
    sky = Sky(clock)
    sky.seconds = took
    reflector = reflecting(Shelf(), {"p": sky}, clock)
    look(clock, reflector, after=30.0)
    reflector.ask("p", HOME, A, clock.now())
    assert reflector.next_wake() == pytest.approx(clock.now() + rest)
    assert not reflector.collect(clock.now())
    clock.advance(rest)
    assert reflector.collect(clock.now())


def test_a_source_that_is_read_by_id_is_read_whole_at_first_and_every_hour() -> None:
    clock, sky, reflector, _ = world()
    sky.is_by_id = True
    for pause_s in (0.0, 30.0, 30.0, WHOLE_S, 30.0):
        clock.advance(pause_s)
        look(clock, reflector)
    assert sky.whole == [True, False, False, True, False]


def test_a_whole_sweep_on_demand_is_done_once_for_all_types_of_a_source() -> None:
    clock, sky, reflector, _ = world()
    sky.is_by_id = True
    look(clock, reflector)
    clock.advance(10.0)
    reflector.refresh("p", HOME, [A, B], clock.now(), is_whole=True)
    assert sky.whole == [True, True]


def test_the_notes_of_sweeps_are_about_things_that_are_settled_and_ready() -> None:
    clock, sky, reflector, found = world()
    sights = ReflectorSights(seen=reflector, requests=lambda: Requests(Shelf(), KeyedSecrets(new_keys())))  # type: ignore
    sky.items[PID] = ObservedItem(physical_id=PID, properties={}, message="it is off")
    reflector.refresh("p", HOME, [A], clock.now())
    assert sights.notes([found]) == {found.object_id: "it is off"}
    assert sights.notes([replace(found, state="Starting")]) == {}, "its phases tell of it"
    assert sights.notes([replace(found, type=TypeName("Gone::From::Its::Provider"))]) == {}
    sky.items[PID] = replace(sky.items[PID], condition=Condition.BROKEN)
    clock.advance(60)
    reflector.refresh("p", HOME, [A], clock.now())
    assert sights.notes([found]) == {}, "its plan tells of it"
