"""Plans for a property that an update takes out of the composition: back to the provider's default, or told to stay."""

from dataclasses import replace

import pytest
from planning_world import DISK, World, built, composition, declare

from tenuto.model.composition import Composition
from tenuto.model.ids import Json, PhysicalId
from tenuto.model.verb import Verb


def disk(**properties: Json) -> Composition:
    return composition(declare("disk", DISK, **properties))


def made_with(**properties: Json) -> World:
    world = built(disk(**properties))
    [found] = world.live()
    world.real[PhysicalId(str(found.physical_id))] = dict(properties)
    return world


def test_a_property_that_is_taken_out_goes_back_to_the_known_default_and_is_held_there() -> None:
    world = made_with(Speed=500, Label="a")
    wanted = disk(Label="a")
    [operation] = world.plan(wanted).plan.operations
    assert operation.verb is Verb.MODIFY
    assert [(one.path, one.before, one.after, one.stays) for one in operation.changes] == [("Speed", 500, 100, False)]
    world.execute(world.plan(wanted).plan, wanted)
    [found] = world.live()
    world.real[PhysicalId(str(found.physical_id))] = {"Speed": 100, "Label": "a"}
    assert world.plan(wanted).plan.is_empty
    world.real[PhysicalId(str(found.physical_id))] = {"Speed": 900, "Label": "a"}
    [again] = world.plan(wanted).plan.operations
    assert [(one.path, one.after) for one in again.changes] == [("Speed", 100)]


def test_a_property_that_is_absent_by_default_is_taken_away_and_held_so() -> None:
    world = made_with(Note="a", Speed=500)
    wanted = disk(Speed=500)
    [operation] = world.plan(wanted).plan.operations
    assert [(one.path, one.before, one.has_after, one.stays) for one in operation.changes] == [
        ("Note", "a", False, False)
    ]
    world.execute(world.plan(wanted).plan, wanted)
    [found] = world.live()
    assert found.desired["Note"] is None
    real = PhysicalId(str(found.physical_id))
    world.real[real] = {"Speed": 500}
    assert world.plan(wanted).plan.is_empty
    world.real[real] = {"Speed": 500, "Note": "b"}
    [again] = world.plan(wanted).plan.operations
    assert [(one.path, one.before, one.after) for one in again.changes] == [("Note", "b", None)]
    assert world.plan(disk(Speed=500, Note="b")).plan.operations == ()


@pytest.mark.parametrize("ignored", ["Note", "*", "Note.Within"])
def test_a_property_that_is_taken_out_and_ignored_stays_as_it_is(ignored: str) -> None:
    world = made_with(Note="a", Speed=500)
    declared = declare("disk", DISK, Speed=500)
    wanted = composition(replace(declared, metadata={"Tenuto": {"ignore": [ignored]}}))
    [operation] = world.plan(wanted).plan.operations
    assert [(one.path, one.stays) for one in operation.changes] == [("Note", True)]
    world.execute(world.plan(wanted).plan, wanted)
    [found] = world.live()
    world.real[PhysicalId(str(found.physical_id))] = {"Speed": 500, "Note": "b"}
    assert world.plan(wanted).plan.is_empty


def test_a_property_that_was_never_declared_is_left_alone_whatever_its_default_is() -> None:
    world = made_with(Label="a")
    [found] = world.live()
    world.real[PhysicalId(str(found.physical_id))] = {"Speed": 900, "Label": "a"}
    assert world.plan(disk(Label="a")).plan.is_empty


def test_the_plan_says_of_a_property_without_a_known_default_that_it_stays() -> None:
    world = made_with(Speed=500, Label="a")
    [operation] = world.plan(disk(Speed=500)).plan.operations
    assert [(one.path, one.has_after, one.stays) for one in operation.changes] == [("Label", False, True)]


def test_a_property_that_is_never_read_back_stays_too_and_replaces_nothing() -> None:
    world = made_with(Hidden="of a backup", Speed=500)
    wanted = disk(Speed=500)
    [operation] = world.plan(wanted).plan.operations
    assert operation.verb is Verb.MODIFY
    assert [(one.path, one.before, one.has_after, one.stays) for one in operation.changes] == [
        ("Hidden", "of a backup", False, True)
    ]
    world.execute(world.plan(wanted).plan, wanted)
    assert "Hidden" not in world.live()[0].desired
    assert world.plan(wanted).plan.is_empty
