"""A thing that a change in place has replaced is deleted by a change of its own, after everything else was changed."""

import planning_world as pure

from tenuto.kit.evolve import evolve
from tenuto.model.resource import REPLACED
from tenuto.model.verb import Verb

NET, SUB = pure.declare("net"), pure.declare("sub", "T::B", "net")
CHANGED = pure.declare("sub", "T::B", "net", Label="two")


def left_over() -> pure.World:
    """A world in which a change of `net` has replaced a thing."""
    world = pure.built(pure.composition(NET, SUB))
    for key, found in tuple(world.objects.items()):
        if found.logical_id == "net":
            world.objects[key] = evolve(found, attributes={**found.attributes, REPLACED: {"old-1": {}}})
    return world


def test_the_replaced_thing_goes_after_the_change_of_what_was_built_on_it() -> None:
    made = left_over().plan(pure.composition(NET, CHANGED)).plan
    waves = {step.logical_id: step.wave for step in made.steps}
    assert waves["sub"] < waves["net"]
    [one] = [one for one in made.operations if one.logical_id == "net"]
    assert (one.verb, one.reason) == (Verb.MODIFY, "left over from a replacement")
    [change] = one.changes
    assert (change.path, change.before, change.has_after) == ("Replaced", "old-1", False)


def test_it_is_no_drift_and_goes_without_enforcement_too() -> None:
    planning = left_over().plan(pure.composition(NET, SUB), commanded=False, is_enforced=False)
    assert [one.logical_id for one in planning.plan.operations] == ["net"]
    assert not planning.news.found
    assert not planning.waits
