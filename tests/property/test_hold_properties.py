"""Data goes only when a person could see that before, for any drift and any declaration."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from planning_world import ALL_TYPES, DISK, World, built, compositions

from tenuto.core.planning.hold import destroyed
from tenuto.model.command import Command
from tenuto.model.composition import Composition
from tenuto.model.plan import Plan


@st.composite
def stored(draw: st.DrawFn) -> Composition:
    """Any composition, of which some things bear data."""
    wanted = draw(compositions())
    return replace(
        wanted,
        resources=tuple(
            replace(one, type=DISK, properties={**one.properties, "Key": draw(st.sampled_from(["k1", "k2"]))})
            if draw(st.booleans())
            else one
            for one in wanted.resources
        ),
    )


def drifted(world: World, draw: st.DataObject) -> None:
    """Some things were changed from outside, for good or in place, or taken away."""
    for physical_id in sorted(world.real):
        match draw.draw(st.sampled_from(["as it is", "changed", "of another key", "gone"])):
            case "changed":
                world.real[physical_id] |= {"Fixed": "9", "Soft": "9"}
            case "of another key":
                world.real[physical_id] |= {"Key": "k9"}
            case "gone":
                world.real.pop(physical_id)


def loses_data(made: Plan, world: World) -> bool:
    """Whether a plan replaces or deletes anything that bears data."""
    things = {(found.logical_id, found.physical_id): found for found in world.live()}
    return any(ALL_TYPES[things[thing].type].bears_data for thing in destroyed(made) if thing in things)


@given(stored(), stored(), st.data())
def test_nothing_that_bears_data_goes_in_a_plan_without_a_command(
    before: Composition, after: Composition, data: st.DataObject
) -> None:
    world = built(before)
    drifted(world, data)
    planning = world.plan(after, commanded=False)
    assert planning.held or not loses_data(planning.plan, world)


@given(stored(), stored(), st.data())
def test_a_command_is_never_held_and_what_it_showed_can_be_gone_on_with(
    before: Composition, after: Composition, data: st.DataObject
) -> None:
    world = built(before)
    drifted(world, data)
    first = world.plan(after, commanded=True, next_command=Command.UPDATE)
    assert not first.held
    later = world.plan(after, commanded=True, next_command=None)
    assert bool(later.held) is loses_data(later.plan, world)
    world.shown = destroyed(first.plan)
    assert not world.plan(after, commanded=True, next_command=None).held


@given(stored(), st.data())
def test_what_drifts_after_a_command_showed_its_plan_is_no_part_of_it(before: Composition, data: st.DataObject) -> None:
    world = built(before)
    world.shown = destroyed(world.plan(before, commanded=True, next_command=Command.UPDATE).plan)
    assert not world.shown
    drifted(world, data)
    planning = world.plan(before, commanded=True, next_command=None)
    assert bool(planning.held) is loses_data(planning.plan, world)
