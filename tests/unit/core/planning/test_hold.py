"""Plans that are held because of data: nothing of it goes unless a person could see that before."""

from dataclasses import replace

import pytest
from planning_world import DISK, World, built, composition, declare

from tenuto.core.planning.hold import destroyed
from tenuto.core.planning.planner import plan
from tenuto.model.command import Command
from tenuto.model.composition import Composition
from tenuto.model.ids import LogicalId, ObjectId, PhysicalId
from tenuto.model.observation import Condition, Observation, ObservedItem, Presence
from tenuto.model.verb import Verb

DATA = LogicalId("data")


def stored(key: str = "k1", **others: str) -> Composition:
    """A disk among things without data, many enough that one replacement is no mass."""
    disk = declare("data", DISK, Key=key, **others)
    return composition(disk, *(declare(name, Fixed="1") for name in "abcdefgh"))


def drifted(name: LogicalId = DATA, **shown: str) -> World:
    """A world in which one thing was made otherwise behind our back, so that only another one is as declared."""
    world = built(stored())
    world.real[thing_at(world, name)] = shown or {"Key": "k9"}
    return world


def thing_at(world: World, name: LogicalId = DATA) -> PhysicalId:
    [found] = [one for one in world.live() if one.logical_id == name]
    assert found.physical_id is not None
    return found.physical_id


def test_drift_that_forces_the_replacement_of_one_thing_with_data_is_held_and_names_it() -> None:
    world = drifted()
    planning = world.plan(stored(), commanded=False)
    assert [one.verb for one in planning.plan.operations] == [Verb.REPLACE]
    assert planning.held.startswith(f"the plan would replace data (T::Disk {thing_at(world)}: forced by Key). ")
    assert "no command asked for it" in planning.held
    assert "'tenuto resume web' approves it" in planning.held


def test_drift_that_replaces_one_thing_without_data_is_healed() -> None:
    world = drifted(LogicalId("a"), Fixed="9")
    planning = world.plan(stored(), commanded=False)
    assert [one.verb for one in planning.plan.operations] == [Verb.REPLACE]
    assert not planning.held


def test_drift_of_a_thing_with_data_that_can_be_corrected_in_place_is_healed() -> None:
    world = built(stored(Soft="1"))
    world.real[thing_at(world)] = {"Key": "k1", "Soft": "9"}
    planning = world.plan(stored(Soft="1"), commanded=False)
    assert [one.verb for one in planning.plan.operations] == [Verb.MODIFY]
    assert not planning.held


def test_a_thing_with_data_that_vanished_is_made_again_since_nothing_is_lost_by_that() -> None:
    world = built(stored())
    world.real.pop(thing_at(world))
    planning = world.plan(stored(), commanded=False)
    assert [one.verb for one in planning.plan.operations] == [Verb.CREATE]
    assert not planning.held


def test_a_deletion_of_a_thing_with_data_without_a_command_is_held() -> None:
    world = built(stored())
    planning = world.plan(composition(*stored().resources[1:]), commanded=False)
    assert f"delete data (T::Disk {thing_at(world)}: not declared any more)" in planning.held


def test_a_thing_with_data_that_the_provider_gave_up_on_is_not_replaced_by_itself() -> None:
    world = built(stored())
    snapshot = world.snapshot(stored(), commanded=False)
    [found] = [one for one in world.live() if one.logical_id == DATA]
    broken = ObservedItem(physical_id=thing_at(world), properties={}, condition=Condition.BROKEN, message="it failed")
    seen = {**snapshot.observations, found.object_id: Observation(presence=Presence.PRESENT, item=broken)}
    held = plan(replace(snapshot, observations=seen), world.ids).held
    assert "replace data" in held
    assert "broken: it failed" in held


def test_a_retained_thing_is_held_like_any_other_since_an_empty_one_takes_its_place() -> None:
    kept = composition(declare("data", DISK, Key="k1", policy="Retain"), *stored().resources[1:])
    world = built(kept)
    world.real[thing_at(world)] = {"Key": "k9"}
    assert "replace data" in world.plan(kept, commanded=False).held


def test_the_first_plan_of_a_command_is_what_its_dry_run_shows_and_is_never_held() -> None:
    for command in (Command.UPDATE, Command.RESUME):
        assert not drifted().plan(stored(), commanded=True, next_command=command).held
    assert not built(stored()).plan(stored("k2"), commanded=True, next_command=Command.UPDATE).held


def test_a_kill_deletes_whatever_there_is() -> None:
    assert not built(stored()).plan(None, commanded=True).held


def test_what_a_later_plan_of_a_command_finds_beside_what_was_shown_is_held() -> None:
    planning = drifted().plan(stored(), commanded=True, next_command=None)
    assert "replace data" in planning.held
    assert "the command that it is for did not show this" in planning.held


def test_a_later_plan_of_a_command_goes_on_with_what_was_shown() -> None:
    world = built(stored())
    wanted = stored("k2")
    first = world.plan(wanted, commanded=True, next_command=Command.UPDATE)
    world.shown = destroyed(first.plan)
    assert world.shown == {(DATA, thing_at(world))}
    assert not world.plan(wanted, commanded=True, next_command=None).held


def test_what_was_shown_by_a_command_allows_nothing_once_that_command_is_over() -> None:
    world = drifted()
    world.shown = frozenset({(DATA, thing_at(world))})
    assert world.plan(stored(), commanded=False).held


def test_another_thing_at_the_same_address_was_not_shown() -> None:
    world = drifted()
    world.shown = frozenset({(DATA, PhysicalId("an older one"))})
    assert world.plan(stored(), commanded=True, next_command=None).held


def test_what_never_was_made_holds_nothing() -> None:
    world = drifted()
    [object_id] = [key for key, found in world.objects.items() if found.logical_id == DATA]
    made = world.plan(stored(), commanded=False).plan
    nameless = replace(made, operations=tuple(replace(one, physical_id=None) for one in made.operations))
    assert destroyed(nameless) == frozenset()
    assert destroyed(made) == {(DATA, world.objects[ObjectId(object_id)].physical_id)}


@pytest.mark.parametrize("count", [3, 5])
def test_a_message_names_three_things_and_counts_the_others(count: int) -> None:
    wanted = composition(*(declare(f"d{number}", DISK, Key="k1") for number in range(count)))
    world = built(wanted)
    for number in range(count):
        world.real[thing_at(world, LogicalId(f"d{number}"))] = {"Key": "k9"}
    held = world.plan(wanted, commanded=False).held
    assert held.count("forced by Key") == 3
    assert ("2 more like that" in held) is (count == 5)


def test_a_thing_with_data_whose_address_is_of_another_type_now_is_judged_by_what_it_is() -> None:
    world = built(stored())
    wanted = composition(declare("data", "T::A"), *stored().resources[1:])
    assert "replace data" in world.plan(wanted, commanded=False).held
