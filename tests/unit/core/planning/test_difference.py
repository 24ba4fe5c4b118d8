"""Which incarnation is to stand at an address: the one that matches, before a new one is made."""

from dataclasses import replace

import pytest
from planning_world import World, built, composition, declare

from tenuto.core.planning.comparing.delta import compare
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.delta import DeltaKind, Difference
from tenuto.model.ids import Instant, ObjectId, PhaseName, PhysicalId
from tenuto.model.observation import Observation, Presence
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import StepKind
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import Verb
from tenuto_testing.store_samples import an_entry, entries

OLD = composition(declare("a", Fixed="1"))
NEW = composition(declare("a", Fixed="2"))
OTHER = composition(declare("a", Fixed="3"))
FAILED = entries(an_entry(PhaseStatus.FAILED, PhaseName("create")))


def the_only(world: World) -> ManagedObject:
    (found,) = world.live()
    return found


def half_replaced() -> tuple[World, ManagedObject, ManagedObject]:
    """A world with an original that stands, and a successor whose creation has failed."""
    world = built(OLD)
    original = the_only(world)
    successor = replace(
        original,
        object_id=ObjectId("successor"),
        incarnation=2,
        state=ResourceState.VALIDATION,
        physical_id=None,
        desired={"Fixed": "2"},
        desired_digest="of two",
        phases=FAILED,
        created_at=Instant(original.created_at + 1),
    )
    world.objects[successor.object_id] = successor
    return world, original, successor


def at(world: World, wanted: object) -> Difference:
    """The difference of the declaration; those of surplus come after it."""
    return compare(world.snapshot(wanted)).delta.differences[0]  # type: ignore[arg-type]


def test_the_original_stands_again_when_it_is_declared_again() -> None:
    world, original, successor = half_replaced()
    assert at(world, OLD).object_id == original.object_id
    assert at(world, OLD).kind is DeltaKind.SAME
    made = world.plan(OLD).plan
    assert [(step.kind, step.object_id) for step in made.steps] == [(StepKind.REMOVE, successor.object_id)]


def test_what_matches_neither_incarnation_is_made_anew() -> None:
    world, *_ = half_replaced()
    made = world.plan(OTHER).plan
    assert Verb.REPLACE in {operation.verb for operation in made.operations}


def test_an_original_that_is_gone_does_not_stand_again() -> None:
    world, original, _ = half_replaced()
    world.real.clear()
    assert at(world, OLD).object_id != original.object_id


def leaving(**changes: object) -> tuple[World, ManagedObject]:
    """A world whose only thing is being deleted."""
    world = built(OLD)
    asleep = entries(an_entry(PhaseStatus.SLEEPING, wake_at=Instant(2000.0)))
    on_its_way = {"state": ResourceState.DECONFIGURATION, "target": ResourceState.TERMINATED, "phases": asleep}
    found = replace(the_only(world), **(on_its_way | changes))  # type: ignore[arg-type]
    world.objects[found.object_id] = found
    return world, found


def test_a_deletion_that_is_taken_back_is_turned_and_not_made_again() -> None:
    world, found = leaving()
    difference = at(world, OLD)
    assert (difference.object_id, difference.message) == (found.object_id, "its deletion was cancelled")
    assert [step.kind for step in world.plan(OLD).plan.steps] == [StepKind.CHANGE]


def test_a_deletion_that_is_being_carried_out_is_waited_for() -> None:
    world, _ = leaving(phases=entries(an_entry(PhaseStatus.RUNNING)))
    assert at(world, OLD).kind is DeltaKind.UNCLEAR
    assert world.plan(OLD).plan.is_empty


def test_a_release_that_is_taken_back_is_called_a_release() -> None:
    world, _ = leaving(state=ResourceState.RELEASE, target=ResourceState.RELEASED)
    assert at(world, OLD).message == "its release was cancelled"


@pytest.mark.parametrize("wanted", [NEW, OTHER])
def test_what_leaves_and_is_declared_otherwise_is_made_anew(wanted: object) -> None:
    world, _ = leaving()
    assert at(world, wanted).kind is DeltaKind.MISSING


def test_what_leaves_and_is_not_there_any_more_is_made_anew() -> None:
    world, found = leaving()
    assert found.physical_id is not None
    del world.real[PhysicalId(found.physical_id)]
    assert at(world, OLD).kind is DeltaKind.MISSING


@pytest.mark.parametrize("presence", [Presence.DOUBTFUL, Presence.UNSEEN])
def test_what_leaves_and_may_be_hidden_is_waited_for_and_not_made_again(presence: Presence) -> None:
    world, found = leaving()
    snapshot = world.snapshot(OLD)
    hidden = {found.object_id: Observation(presence=presence, message="not visible yet")}
    difference = compare(replace(snapshot, observations=hidden)).delta.differences[0]
    assert (difference.object_id, difference.kind) == (found.object_id, DeltaKind.UNCLEAR)
    told = f"no sweep shows {found.physical_id}: until one does, Tenuto cannot cancel its deletion"
    assert difference.message == told
    anew = compare(replace(world.snapshot(NEW), observations=hidden)).delta.differences[0]
    assert anew.kind is DeltaKind.MISSING, "what can never be as declared is not waited for"
