"""What carries our marks and is not known, and how that is told."""

from dataclasses import replace

import pytest

from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto.core.planning.marked import by_address, held_message, in_the_way_message, judge, marked_items
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.marked import MarkedThing, Unknown
from tenuto.model.observation import Condition, ObservedItem, Owner, Sweep
from tenuto.model.resource import ManagedObject

HOME = Partition(account="1", region="here")
KIND = TypeName("T::A")
MARK = Owner(fid=Fid("f"), logical_id=LogicalId("a"), object_id=ObjectId("o"))
AT = Instant(1000.0)


def item(name: str, owner: Owner | None = MARK, condition: Condition = Condition.READY) -> ObservedItem:
    return ObservedItem(physical_id=PhysicalId(name), properties={}, owner=owner, condition=condition)


def sweep(*items: ObservedItem, at: float = AT) -> Sweep:
    found = {one.physical_id: one for one in items}
    return Sweep(partition=HOME, type=KIND, started_at=Instant(at), items=found)


def stored(state: str, moved_at: float = 0.0) -> ManagedObject:
    return ManagedObject(
        object_id=MARK.object_id,
        lifecycle="resource",
        type=KIND,
        provider="p",
        partition=HOME,
        fid=MARK.fid,
        logical_id=MARK.logical_id,
        state=state,
        target="Started",
        created_at=Instant(0.0),
        moved_at=Instant(moved_at),
        touched_at=Instant(0.0),
    )


def judged(found: ManagedObject | None, at: float = AT) -> list[Unknown]:
    known = {found.object_id: found} if found is not None else {}
    return [one.why for one in judge(sweep(at=at), "p", [item("x")], known, {}).values()]


def thing(name: str = "x", owner: Owner = MARK, first_seen: float = AT) -> MarkedThing:
    return MarkedThing(
        provider="p",
        partition=HOME,
        type=KIND,
        physical_id=PhysicalId(name),
        owner=owner,
        why=Unknown.NO_OBJECT,
        first_seen=Instant(first_seen),
    )


def test_only_what_carries_marks_and_is_not_recorded_and_stays_is_looked_into() -> None:
    seen = sweep(item("x"), item("recorded"), item("bare", None), item("going", condition=Condition.GOING))
    assert [one.physical_id for one in marked_items(seen, {PhysicalId("recorded")})] == ["x"]


def test_a_mark_of_no_stored_object_is_not_known() -> None:
    assert judged(None) == [Unknown.NO_OBJECT]


@pytest.mark.parametrize("state", ["Validation", "Allocation", "Started", "Deallocation", "Release", "Released"])
def test_a_mark_of_a_stored_object_is_known(state: str) -> None:
    assert judged(stored(state)) == []


@pytest.mark.parametrize(("after_s", "told"), [(VISIBILITY_S - 1, []), (VISIBILITY_S, [Unknown.ENDED])])
def test_a_mark_of_a_terminated_object_is_told_once_no_list_can_be_out_of_date(
    after_s: float, told: list[Unknown]
) -> None:
    assert judged(stored("Terminated", moved_at=AT - after_s)) == told


def test_the_first_sight_is_kept_while_the_marks_are_the_same() -> None:
    before = {PhysicalId("x"): thing(first_seen=5.0)}
    [same] = judge(sweep(), "p", [item("x")], {}, before).values()
    assert same.first_seen == 5.0
    other = replace(MARK, object_id=ObjectId("new"))
    [changed] = judge(sweep(), "p", [item("x", other)], {}, before).values()
    assert changed.first_seen == AT


def test_things_are_found_by_the_address_of_one_process() -> None:
    elsewhere = thing("z", replace(MARK, fid=Fid("g")))
    assert by_address([thing("x"), thing("y"), elsewhere], Fid("f")) == {"a": (thing("x"), thing("y"))}


def test_the_message_of_a_hold_has_both_ids_and_both_commands() -> None:
    message = held_message("web", LogicalId("a"), [thing("x"), thing("y")], PhysicalId("old"))
    for text in ("T::A x and 1 more in 1/here", "object o", "knows old there", "--adopt x'", "--delete x'"):
        assert text in message
    assert "knows none there" in held_message("web", LogicalId("a"), [thing()], None)


def test_the_message_of_a_kill_is_empty_without_things() -> None:
    assert in_the_way_message("web", []) == ""
    assert "T::A x carries the marks of this process (a, object o)" in in_the_way_message("web", [thing()])
