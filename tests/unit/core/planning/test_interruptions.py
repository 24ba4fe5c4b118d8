"""Changes in place that may interrupt what a resource serves: the plan marks them, and drift alone makes no mass of
them."""

from planning_world import World, built, composition, declare

from tenuto.model.command import Command
from tenuto.model.composition import Composition
from tenuto.model.delta import Change
from tenuto.model.plan import Operation
from tenuto.model.verb import Verb

NAMES = "abcdefgh"


def machines(size: str = "1", **others: str) -> Composition:
    return composition(*(declare(name, Size=size, Soft="1", **others) for name in NAMES))


def with_drift(names: str, **shown: str) -> World:
    """A world in which somebody changed some of the machines."""
    world = built(machines())
    for found in world.live():
        if found.logical_id in names and found.physical_id is not None:
            world.real[found.physical_id] = {"Size": "1", "Soft": "1", **shown}
    return world


def change_of(operation: Operation, path: str) -> Change:
    [found] = [one for one in operation.changes if one.path == path]
    return found


def test_a_plan_marks_the_property_that_may_interrupt_and_no_other() -> None:
    made = with_drift("a", Size="9", Soft="9").plan(machines(), commanded=True).plan
    [operation] = made.operations
    assert operation.verb is Verb.MODIFY
    assert operation.may_interrupt
    assert change_of(operation, "Size").may_interrupt
    assert not change_of(operation, "Soft").may_interrupt


def test_a_property_that_forces_a_replacement_interrupts_nothing_in_place() -> None:
    planning = built(machines(Fixed="1")).plan(machines(Fixed="2", size="2"), commanded=True)
    for operation in planning.plan.operations:
        assert operation.verb is Verb.REPLACE
        assert not operation.may_interrupt
        assert not change_of(operation, "Fixed").may_interrupt


def test_drift_of_one_machine_is_set_right_though_it_is_interrupted() -> None:
    planning = with_drift("a", Size="9").plan(machines(), commanded=False)
    assert [one.may_interrupt for one in planning.plan.operations] == [True]
    assert not planning.held


def test_drift_that_would_interrupt_many_at_once_waits_for_a_person() -> None:
    world = with_drift("abc", Size="9")
    held = world.plan(machines(), commanded=False).held
    assert held.startswith(
        "the plan would delete, replace or interrupt 3 of 8 resources, more than 20%, and no command"
    )
    assert not world.plan(machines(), commanded=True, next_command=Command.RESUME).held


def test_drift_of_many_that_nothing_interrupts_is_set_right() -> None:
    planning = with_drift(NAMES, Soft="9").plan(machines(), commanded=False)
    assert len(planning.plan.operations) == len(NAMES)
    assert not planning.held
