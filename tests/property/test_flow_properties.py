"""The passes of a plan: each hands on a whole value, and the next one needs nothing else."""

from hypothesis import given
from planning_world import CountingIds, World, compositions

from tenuto.core.planning.comparing.delta import compare
from tenuto.core.planning.operations import decide_operations
from tenuto.core.planning.steps import build_steps
from tenuto.core.planning.waves import build_waves
from tenuto.model.composition import Composition
from tenuto.model.delta import DeltaKind
from tenuto.model.ids import ObjectId
from tenuto.model.plan import Step


def after(old: Composition) -> World:
    world = World()
    world.execute(world.plan(old).plan, old)
    return world


def objects_of(steps: tuple[Step, ...]) -> set[ObjectId]:
    return {step.object_id for step in steps}


@given(compositions(), compositions())
def test_every_difference_is_decided_waits_or_is_none(old: Composition, new: Composition) -> None:
    snapshot = after(old).snapshot(new)
    compared = compare(snapshot)
    decided = decide_operations(snapshot, compared, CountingIds())
    about = {one.difference.logical_id for one in decided.decisions} | {wait.logical_id for wait in decided.waits}
    same = {one.logical_id for one in compared.delta.differences if one.kind is DeltaKind.SAME}
    assert about | same == {one.logical_id for one in compared.delta.differences}


@given(compositions(), compositions())
def test_every_decision_has_its_steps_and_every_step_its_wave(old: Composition, new: Composition) -> None:
    snapshot = after(old).snapshot(new)
    compared = compare(snapshot)
    decided = decide_operations(snapshot, compared, CountingIds())
    steps = build_steps(snapshot, compared, decided)
    assert {operation.object_id for operation in decided.operations} <= objects_of(steps)
    assert all(step.wave < 0 for step in steps)
    placed, waves = build_waves(steps, snapshot, compared.early)
    assert objects_of(placed) == objects_of(steps)
    assert {step.wave for step in placed} == {wave.number for wave in waves}


@given(compositions(), compositions())
def test_a_pass_that_is_repeated_gives_the_same_value(old: Composition, new: Composition) -> None:
    snapshot = after(old).snapshot(new)
    first, second = compare(snapshot), compare(snapshot)
    assert first.delta == second.delta
    decided = decide_operations(snapshot, first, CountingIds())
    assert decided == decide_operations(snapshot, second, CountingIds())
    assert build_steps(snapshot, first, decided) == build_steps(snapshot, first, decided)


@given(compositions())
def test_a_kill_goes_through_the_same_passes(old: Composition) -> None:
    snapshot = after(old).snapshot(None)
    compared = compare(snapshot)
    decided = decide_operations(snapshot, compared, CountingIds())
    steps = build_steps(snapshot, compared, decided)
    assert [step.object_id for step in steps] == [one.operation.object_id for one in decided.decisions]
