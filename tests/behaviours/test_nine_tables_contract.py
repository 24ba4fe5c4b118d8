"""Behaviours of the nine tables by their numbers (docs/reference/local-behaviours.md), on a whole Conductor."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from local_world import LocalWorld, shop
from toy_provider import NINE, ToyWorld, tables_with_failures, toy
from web_world import composed

from tenuto.compositions.documents.document import to_document
from tenuto.core.phases import progress
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.errors import BugError, ConflictError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, LogicalId, ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_changes import CreateObject, SaveObject
from tenuto.ports.store_reads import EventQuery
from tenuto.service.intake.composition import Submission
from tenuto_testing.store_samples import an_object
from tenuto_testing.world import World

IT = LogicalId("It")
OTHER = LogicalId("Other")


def submission(*tables: str) -> Submission:
    """A resource of each table: the first is `It`, the second `Other`."""
    names = (IT, OTHER)
    return Submission(
        document=to_document(composed(*(toy(table, name=name) for table, name in zip(tables, names, strict=False)))),
        secrets={},
    )


def run(world: ToyWorld, *tables: str) -> None:
    world.system.commands.run(submission(*tables), alias="toys")
    world.settle()


def the(world: World, name: str, alias: str = "toys") -> ManagedObject:
    return next(one for one in world.store.objects(world.fid(alias)) if one.logical_id == name)


def moves_of(world: World, found: ManagedObject) -> list[Event]:
    query = EventQuery(fid=found.fid, types=(EventType.OBJECT_STATE,))
    return [one for one in world.store.events(query) if one.subject == found.logical_id]


@given(st.sampled_from(sorted(CATALOGUE)), st.floats(min_value=200, max_value=1e9))
def test_behaviour_2_a_target_that_is_reached_already_writes_nothing(name: str, now: float) -> None:
    table = CATALOGUE[name]
    resting = an_object(lifecycle=name, state=table.ready, target=table.ready)
    none, _ = PhaseSet.build([], CATALOGUE)
    walked = progress.retarget(resting, str(table.ready), none, table, Instant(now), "ann", "again")
    assert (walked.is_change, walked.moves, walked.object) == (False, (), resting)


def test_behaviour_4_an_object_of_no_table_can_neither_be_born_nor_moved() -> None:
    world = ToyWorld()
    run(world, "network")
    lost = replace(the(world, IT), lifecycle="cupboard", state="delete-wait", target="deleted")
    with pytest.raises(BugError, match="cannot become"):
        world.store.commit([SaveObject(object=lost, expected_generation=lost.generation)])
    with pytest.raises(BugError, match="names the lifecycle cupboard, which does not exist"):
        world.store.commit([CreateObject(object=replace(lost, object_id=ObjectId("lost")), actor="ann")])
    assert the(world, IT).state == "created"


@pytest.mark.parametrize("table", NINE)
def test_behaviour_6_of_two_writers_one_moves_the_object_and_the_other_is_told(table: str) -> None:
    world = ToyWorld()
    run(world, table)
    read = the(world, IT)
    lifecycle, (none, _) = CATALOGUE[table], PhaseSet.build([], CATALOGUE)

    def moved_by(writer: str) -> SaveObject:
        walked = progress.retarget(read, str(lifecycle.gone), none, lifecycle, world.clock.now(), writer, "kill")
        assert walked.moves
        return SaveObject(object=walked.object, expected_generation=read.generation, moves=walked.moves)

    world.store.commit([moved_by("ann")])
    first, told = the(world, IT), moves_of(world, read)
    with pytest.raises(ConflictError):
        world.store.commit([moved_by("ben")])
    assert (the(world, IT), moves_of(world, read)) == (first, told)
    assert told[-1].actor == "ann"


@pytest.mark.parametrize("table", tables_with_failures())
def test_behaviour_7_each_move_is_one_event_with_its_time_author_and_reason(table: str) -> None:
    world = ToyWorld()
    world.toys.refused["make", IT] = "there is no disk"
    run(world, table)
    failed = the(world, IT)
    moves = moves_of(world, failed)
    assert [(one.before, one.after) for one in moves] == [
        *pairwise([*dict.fromkeys(one.before for one in moves), failed.state])
    ]
    assert (moves[-1].after, moves[-1].at) == (failed.state, failed.moved_at)
    assert all(one.actor for one in moves)
    assert any("there is no disk" in one.reason for one in moves)
    assert "there is no disk" in failed.message


@pytest.mark.parametrize("table", tables_with_failures())
def test_behaviour_8_a_message_needs_a_failure_and_goes_with_it(table: str) -> None:
    world = ToyWorld()
    run(world, table)
    well = replace(the(world, IT), message="there is no disk")
    with pytest.raises(BugError, match="cannot carry the message 'there is no disk'"):
        world.store.commit([SaveObject(object=well, expected_generation=well.generation)])
    world = ToyWorld()
    world.toys.refused["make", IT] = "there is no disk"
    run(world, table)
    assert the(world, IT).message
    world.system.commands.kill("toys")
    world.settle()
    assert (the(world, IT).state, the(world, IT).message) == (CATALOGUE[table].gone, "")


def test_behaviour_9_and_10_two_failures_lead_over_the_error_of_the_step_to_error_and_both_are_told() -> None:
    world = ToyWorld()
    world.toys.refused["make", IT] = "there is no disk"
    world.toys.refused["clean", IT] = "the bridge is busy"
    run(world, "instance")
    failed = the(world, IT)
    assert failed.state == "error"
    assert [one.after for one in moves_of(world, failed)][-2:] == ["initial-error", "error"]
    first, second = failed.message.find("there is no disk"), failed.message.find("the bridge is busy")
    assert 0 <= first < second, failed.message


@pytest.mark.parametrize("table", ["instance", "network"])
def test_behaviour_11_a_deletion_that_fails_keeps_no_other_from_going(table: str) -> None:
    world = ToyWorld()
    run(world, table, table)
    world.toys.refused["delete", IT] = "it is in use"
    world.system.commands.kill("toys")
    world.settle()
    assert (the(world, IT).state, the(world, OTHER).state) == ("error", "deleted")


def test_behaviour_28_a_machine_passes_its_states_in_order() -> None:
    world = LocalWorld()
    world.run(*shop())
    web = world.the("Web")
    states = [one.after for one in moves_of(world, web)]
    assert states[-3:] == ["preflight", "creating", "created"]
    assert moves_of(world, web)[-3].before == "initial"
    world.system.commands.kill("shop")
    world.settled()
    assert [one.after for one in moves_of(world, web)][-2:] == ["delete-wait", "deleted"]
