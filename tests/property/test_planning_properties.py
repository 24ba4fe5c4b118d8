"""What must be true of every plan, whatever the compositions and whatever happened to the world."""

from hypothesis import given
from hypothesis import strategies as st
from planning_world import ALL_TYPES, CountingIds, World, compositions

from tenuto.core.planning.planner import plan
from tenuto.core.reports.audit import audit_objects, audit_plan
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.composition import Composition
from tenuto.model.plan import Step, StepKind, Verb


def built(wanted: Composition) -> World:
    world = World()
    world.execute(world.plan(wanted).plan, wanted)
    return world


@given(compositions())
def test_a_first_build_creates_every_resource_once_and_then_there_is_nothing_to_do(wanted: Composition) -> None:
    world = World()
    first = world.plan(wanted)
    assert [operation.verb for operation in first.plan.operations] == [Verb.CREATE] * len(wanted.resources)
    world.execute(first.plan, wanted)
    again = world.plan(wanted)
    assert again.is_converged
    assert again.plan.unchanged == len(wanted.resources)


@given(compositions(), compositions())
def test_planning_after_a_complete_update_is_empty(old: Composition, new: Composition) -> None:
    world = built(old)
    world.execute(world.plan(new).plan, new)
    assert world.plan(new).is_converged
    assert {found.logical_id for found in world.live()} == {one.logical_id for one in new.resources}
    assert audit_objects(None, world.objects.values(), CATALOGUE) == ()


@given(compositions(), compositions())
def test_every_plan_passes_the_audit(old: Composition, new: Composition) -> None:
    world = built(old)
    assert audit_plan(world.plan(new).plan, world.objects.values()) == ()


@given(compositions(), compositions())
def test_the_same_snapshot_gives_the_same_plan(old: Composition, new: Composition) -> None:
    snapshot = built(old).snapshot(new)
    assert plan(snapshot, CountingIds()) == plan(snapshot, CountingIds())


@given(compositions())
def test_a_kill_deletes_everything_and_exactly_that(wanted: Composition) -> None:
    world = built(wanted)
    kill = world.plan(None)
    assert {operation.logical_id for operation in kill.plan.operations} == {one.logical_id for one in wanted.resources}
    world.execute(kill.plan, None)
    assert not list(world.live())
    assert not world.real


@given(compositions(), compositions())
def test_there_are_never_two_makes_for_one_address(old: Composition, new: Composition) -> None:
    made = built(old).plan(new).plan
    makes = [step.logical_id for step in made.steps if step.kind is StepKind.MAKE]
    assert len(makes) == len(set(makes))


@given(compositions(), st.data())
def test_drift_of_any_kind_is_undone(wanted: Composition, data: st.DataObject) -> None:
    world = built(wanted)
    for physical_id in sorted(world.real):
        fate = data.draw(st.sampled_from(["keep", "vanish", "change"]))
        if fate == "vanish":
            del world.real[physical_id]
        elif fate == "change":
            world.real[physical_id] |= {"Tags": ["stranger"]}
    before = dict(world.real)
    made = world.plan(wanted, commanded=True).plan
    world.execute(made, wanted)
    assert world.plan(wanted).is_converged
    touched = {operation.logical_id for operation in made.operations}
    for found in world.live():
        if found.logical_id not in touched:
            assert world.real[found.physical_id] == before[found.physical_id]


@given(compositions(), compositions())
def test_a_type_wave_ends_before_a_type_that_depends_on_it_begins(old: Composition, new: Composition) -> None:
    """But for the last changes: what empties a property that something else takes the place of comes after all else."""
    world = built(old)
    made = world.plan(new).plan
    waves = {wave.number: wave for wave in made.waves}
    types = {one.logical_id: one.type for one in new.resources}

    def is_last(step: Step) -> bool:
        emptied = ALL_TYPES[step.type].cleared_last - {key for key, value in step.properties.items() if value}
        return step.kind is StepKind.CHANGE and any(world.objects[step.object_id].desired.get(key) for key in emptied)

    makes = [step for step in made.steps if step.kind in (StepKind.MAKE, StepKind.CHANGE) and not is_last(step)]
    numbers = {step.type: step.wave for step in makes}
    for declaration in new.resources:
        for need in declaration.depends_on:
            first, then = numbers.get(types[need]), numbers.get(declaration.type)
            if first is None or then is None or first == then:
                continue
            assert first in waves[then].after or first < then
