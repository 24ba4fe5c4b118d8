"""What must be true of every plan, whatever the compositions and whatever happened to the world."""

from hypothesis import given
from hypothesis import strategies as st
from planning_world import ALL_TYPES, CountingIds, World, compositions

from tenuto.core.planning.planner import plan
from tenuto.core.reports.audit import audit_objects, audit_plan
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.composition import Composition
from tenuto.model.ids import ObjectId
from tenuto.model.plan import Plan, Step, StepKind
from tenuto.model.verb import Verb


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
    """But for the last changes: what empties a property that something else takes the place of comes after all else.
    And but for early removals: what they wait for is made before, so that a type may have two waves.
    """
    world = built(old)
    made = world.plan(new).plan
    waves = {wave.number: wave for wave in made.waves}
    types = {one.logical_id: one.type for one in new.resources}

    def is_last(step: Step) -> bool:
        emptied = ALL_TYPES[step.type].cleared_last - {key for key, value in step.properties.items() if value}
        return step.kind is StepKind.CHANGE and any(world.objects[step.object_id].desired.get(key) for key in emptied)

    makes = [step for step in made.steps if step.kind in (StepKind.MAKE, StepKind.CHANGE) and not is_last(step)]
    removals = [step.wave for step in made.steps if step.kind is StepKind.REMOVE]
    if any(step.wave > wave for step in makes for wave in removals):
        return
    numbers = {step.type: step.wave for step in makes}
    for declaration in new.resources:
        for need in declaration.depends_on:
            first, then = numbers.get(types[need]), numbers.get(declaration.type)
            if first is None or then is None or first == then:
                continue
            assert first in waves[then].after or first < then


@given(compositions(), compositions())
def test_what_stands_never_goes_before_what_its_successor_needs_is_there(old: Composition, new: Composition) -> None:
    """Unless that waits for a removal itself. A creation that fails would leave a hole for nothing."""
    world = built(old)
    made = world.plan(new).plan
    before, waiting = earlier_steps(made), waiting_for_removals(world, made)
    makes = {step.object_id: step for step in made.steps if step.kind in (StepKind.MAKE, StepKind.CHANGE)}
    for make in (step for step in makes.values() if step.kind is StepKind.MAKE):
        for removal in made.steps:
            if removal.kind is StepKind.REMOVE and removal.logical_id == make.logical_id:
                assert (makes.keys() & set(make.after)) - waiting <= before[removal.object_id]


def waiting_for_removals(world: World, made: Plan) -> set[ObjectId]:
    """The objects whose steps need a name that another one gives up, or come after one that does."""
    removed = [step for step in made.steps if step.kind is StepKind.REMOVE]
    # Types may share their names, so what stood at an address before is of no other name for being of another type.
    names = {(one, world.objects[step.object_id].desired.get("Name")) for step in removed for one in _holders(step)}
    found = {step.object_id for step in removed}
    for _ in made.steps:
        for step in made.steps:
            has_name = step.kind is StepKind.MAKE and "Name" in step.properties
            needed = {(one, step.properties["Name"]) for one in _holders(step)} if has_name else set()
            if needed & names or found & set(step.after):
                found.add(step.object_id)
    return found


def _holders(step: Step) -> tuple[str, str]:
    return step.type, step.logical_id


def earlier_steps(made: Plan) -> dict[ObjectId, set[ObjectId]]:
    """For each step the steps that are done before it begins, by their objects."""
    waves = {wave.number: wave for wave in made.waves}
    members: dict[int, set[ObjectId]] = {}
    for step in made.steps:
        members.setdefault(step.wave, set()).add(step.object_id)
    found = {
        step.object_id: set(step.after).union(*(members[number] for number in waves[step.wave].after))
        for step in made.steps
    }
    for _ in found:
        found = {one: others.union(*(found.get(other, ()) for other in others)) for one, others in found.items()}
    return found
