"""A declaration that asks for nothing is remembered: what differs later is drift, and no wish of the update."""

from dataclasses import replace

from planning_world import DISK, World, built, composition, declare

from tenuto.core.planning.planner import plan
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, LogicalId, PhysicalId
from tenuto.model.plan import Planning
from tenuto.model.verb import WaitKind


def disk(**properties: Json) -> Composition:
    return composition(declare("disk", DISK, **properties))


def found_with(declared: Composition, **real: Json) -> World:
    """A world whose one thing was declared so, and has other values by now."""
    world = built(declared)
    [found] = world.live()
    world.real[PhysicalId(str(found.physical_id))] = dict(real)
    return world


def remembered(world: World, planning: Planning) -> None:
    world.objects |= {one.object_id: one for one in planning.redeclared}


def test_a_value_that_stands_already_is_declared_without_a_step_and_remembered() -> None:
    world = found_with(disk(Label="a"), Label="a", Speed=500)
    wanted = disk(Label="a", Speed=500)
    planning = world.plan(wanted)
    assert planning.plan.is_empty
    [one] = planning.redeclared
    assert one.desired["Speed"] == 500
    remembered(world, planning)
    again = world.plan(wanted)
    assert (again.plan.is_empty, again.redeclared) == (True, ())


def test_what_is_found_after_such_an_update_is_drift_and_left_alone_without_enforcement() -> None:
    world = found_with(disk(Label="a"), Label="a", Speed=500)
    wanted = disk(Label="a", Speed=500)
    remembered(world, world.plan(wanted))
    [found] = world.live()
    world.real[PhysicalId(str(found.physical_id))] = {"Label": "a", "Speed": 900}
    planning = world.plan(wanted, commanded=False, is_enforced=False)
    assert planning.plan.is_empty
    assert [wait.kind for wait in planning.waits] == [WaitKind.ENFORCEMENT]
    assert [(one.logical_id, one.paths) for one in planning.news.found] == [("disk", ("Speed",))]


def test_what_was_declared_so_goes_back_to_its_default_when_it_is_taken_out() -> None:
    world = found_with(disk(Label="a"), Label="a", Speed=500)
    remembered(world, world.plan(disk(Label="a", Speed=500)))
    [operation] = world.plan(disk(Label="a")).plan.operations
    assert [(one.path, one.before, one.after) for one in operation.changes] == [("Speed", 500, 100)]


def test_an_order_that_depends_on_alone_tells_is_remembered() -> None:
    plain = composition(declare("a"), declare("b"))
    world = built(plain)
    after = replace(declare("b"), depends_on=(LogicalId("a"),))
    planning = world.plan(composition(declare("a"), after))
    assert planning.plan.is_empty
    remembered(world, planning)
    ends = {step.logical_id: step for step in world.plan(None).plan.steps}
    assert ends[LogicalId("a")].after == (ends[LogicalId("b")].object_id,)


def test_a_sweep_that_may_be_older_than_our_change_proves_nothing() -> None:
    world = found_with(disk(Label="a"), Label="b")
    snapshot = world.snapshot(disk(Label="b"))
    stale = {key: replace(one, may_be_stale=True) for key, one in snapshot.observations.items()}
    assert plan(replace(snapshot, observations=stale), world.ids).redeclared == ()
    assert [one.desired["Label"] for one in plan(snapshot, world.ids).redeclared] == ["b"]
