"""Plans for a name that is spelled in another way, and for a name that is pointed elsewhere."""

from dataclasses import replace

import pytest
from planning_world import DISK, World, built, composition, declare

from tenuto.core.planning.planner import plan
from tenuto.model.composition import Composition
from tenuto.model.ids import Json, PhysicalId
from tenuto.model.naming import Names
from tenuto.model.plan import Operation
from tenuto.model.verb import Verb

KNOWN = Names(pointed_at={"nick/a": "at:k1", "nick/b": "at:k2"}, is_lenient=True)


def disk(**properties: Json) -> Composition:
    return composition(declare("disk", DISK, **properties))


def made_with(shown: dict[str, Json] | None = None, **properties: Json) -> World:
    """A disk that was declared like this, and is shown like that."""
    world = built(disk(**properties))
    [found] = world.live()
    assert found.physical_id is not None
    world.real[PhysicalId(found.physical_id)] = {**properties, **(shown or {})}
    world.names = KNOWN
    return world


def planned(world: World, wanted: Composition) -> Operation | None:
    """The one operation of the plan, if there is any."""
    operations = world.plan(wanted).plan.operations
    assert len(operations) <= 1
    return operations[0] if operations else None


@pytest.mark.parametrize("spelling", ["k1", "at:k1", "nick/a", "nick/unknown", "nick/b"])
@pytest.mark.parametrize("commanded", [True, False])
def test_what_was_made_with_a_name_is_never_made_again_for_what_is_shown_of_it(spelling: str, commanded: bool) -> None:
    """`nick/b` was pointed elsewhere since; nothing is known of `nick/unknown`."""
    world = made_with({"Key": "at:k1"}, Key=spelling)
    assert world.plan(disk(Key=spelling), commanded=commanded).plan.is_empty


@pytest.mark.parametrize("spelling", ["k1", "at:k1"])
def test_a_name_that_always_means_the_same_is_no_change_in_another_spelling(spelling: str) -> None:
    world = made_with({"Key": "at:k1"}, Key="at:k1" if spelling == "k1" else "k1")
    assert planned(world, disk(Key=spelling)) is None


@pytest.mark.parametrize(
    ("spelling", "told"),
    [
        ("nick/a", "update; Key says the same by another name"),
        ("nick/unknown", "update; Key is taken to say the same: the provider does not tell"),
    ],
)
def test_a_pointer_is_recorded_in_place_and_is_no_difference_when_it_is_pointed_elsewhere(
    spelling: str, told: str
) -> None:
    world = made_with({"Key": "at:k1"}, Key="at:k1")
    wanted = disk(Key=spelling)
    operation = planned(world, wanted)
    assert operation is not None
    assert operation.verb is Verb.MODIFY
    assert told in operation.reason
    assert [(one.path, one.forces_replacement) for one in operation.changes] == [("Key", False)]
    world.execute(world.plan(wanted).plan, wanted)
    world.real[PhysicalId(str(operation.physical_id))] = {"Key": "at:k1"}
    world.names = Names(pointed_at={spelling: "at:k2"}, is_lenient=True)
    assert planned(world, wanted) is None


@pytest.mark.parametrize("spelling", ["k2", "at:k2", "nick/b"])
def test_a_name_of_something_else_is_a_replacement(spelling: str) -> None:
    operation = planned(made_with({"Key": "at:k1"}, Key="at:k1"), disk(Key=spelling))
    assert operation is not None
    assert operation.verb is Verb.REPLACE
    assert [(one.path, one.before, one.after) for one in operation.changes] == [("Key", "at:k1", spelling)]


@pytest.mark.parametrize(
    ("spelling", "verb"), [("at:k1", None), ("nick/a", Verb.MODIFY), ("nick/b", Verb.REPLACE), ("k2", Verb.REPLACE)]
)
def test_what_is_never_shown_is_compared_with_what_was_declared(spelling: str, verb: Verb | None) -> None:
    world = made_with(Hidden=[{"Key": "k1", "Size": 10}])
    operation = planned(world, disk(Hidden=[{"Key": spelling, "Size": "10"}]))
    assert (operation.verb if operation else None) is verb


def test_a_new_spelling_beside_a_real_difference_is_a_replacement() -> None:
    world = made_with(Hidden=[{"Key": "k1", "Size": 10}])
    operation = planned(world, disk(Hidden=[{"Key": "nick/unknown", "Size": 20}]))
    assert operation is not None
    assert operation.verb is Verb.REPLACE


@pytest.mark.parametrize(
    ("spelling", "is_changed"),
    [("k1", False), ("at:k1", False), ("nick/a", False), ("nick/unknown", False), ("nick/b", True), ("k2", True)],
)
def test_what_can_be_changed_in_place_follows_what_its_name_stands_for_now(spelling: str, is_changed: bool) -> None:
    world = made_with({"Seal": "at:k1"}, Seal=spelling)
    operation = planned(world, disk(Seal=spelling))
    assert (operation is not None) is is_changed
    assert operation is None or operation.verb is Verb.MODIFY


@pytest.mark.parametrize(("shown", "is_changed"), [("nick/a", False), ("nick/unknown", True), ("nick/b", True)])
def test_a_pointer_that_was_set_from_outside_in_place_of_a_key_is_drift_unless_it_is_that_key(
    shown: str, is_changed: bool
) -> None:
    world = made_with({"Seal": shown}, Seal="at:k1")
    assert (planned(world, disk(Seal="at:k1")) is not None) is is_changed


@pytest.mark.parametrize(("spelling", "is_changed"), [("nick/a", False), ("nick/unknown", True), ("nick/b", True)])
def test_a_new_name_in_place_is_sent_unless_it_is_known_to_mean_the_same(spelling: str, is_changed: bool) -> None:
    world = made_with({"Seal": "at:k1"}, Seal="k1")
    assert (planned(world, disk(Seal=spelling)) is not None) is is_changed


def test_what_a_pointer_stands_for_is_compared_again_although_nothing_else_has_changed() -> None:
    world = made_with({"Seal": "at:k1"}, Seal="nick/a")
    wanted = disk(Seal="nick/a")
    first = world.plan(wanted)
    assert first.plan.is_empty
    world.names = Names(pointed_at={"nick/a": "at:k2"}, is_lenient=True)
    later = plan(replace(world.snapshot(wanted), memory=first.memory), world.ids)
    assert [change.path for change in later.plan.operations[0].changes] == ["Seal"]


def test_a_zone_that_is_said_by_its_id_instead_of_its_name_is_the_same_zone() -> None:
    world = made_with({"ZoneId": "z1"}, Zone="a")
    assert planned(world, disk(ZoneId="z1")) is None
    moved = planned(world, disk(ZoneId="z2"))
    assert moved is not None
    assert moved.verb is Verb.REPLACE


def test_a_zone_that_is_not_said_any_more_at_all_was_taken_out() -> None:
    world = made_with({"ZoneId": "z1"}, Zone="a")
    operation = planned(world, disk())
    assert operation is not None
    assert [(one.path, one.has_after) for one in operation.changes] == [("Zone", False)]
