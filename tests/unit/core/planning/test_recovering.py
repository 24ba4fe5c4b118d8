"""A thing that the provider reports as broken after it had worked is not made anew where it may work again."""

from dataclasses import replace

import pytest
from planning_world import World, built, composition, declare

from tenuto.core.planning.comparing.delta import compare
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.composition import Composition
from tenuto.model.delta import DeltaKind, Difference
from tenuto.model.ids import PhaseName
from tenuto.model.observation import Condition, Observation, ObservedItem, Presence
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.resource import ManagedObject
from tenuto_testing.store_samples import an_entry, entries

OLD = composition(declare("a", Fixed="1", Free="1"))
NEW = composition(declare("a", Fixed="1", Free="2"))


def difference(world: World, found: ManagedObject, wanted: Composition, *, recovers: bool) -> Difference:
    """The difference of the only thing, which is shown as it was made, and broken."""
    snapshot = world.snapshot(wanted, commanded=True)
    assert found.physical_id is not None
    broken = ObservedItem(
        physical_id=found.physical_id,
        properties={"Fixed": "1", "Free": "1"},
        condition=Condition.BROKEN,
        message="no such image",
    )
    types = {**snapshot.types, found.type: replace(snapshot.types[found.type], recovers=recovers)}
    seen = {found.object_id: Observation(presence=Presence.PRESENT, item=broken)}
    return compare(replace(snapshot, types=types, observations=seen)).delta.differences[0]


def the_only(world: World) -> ManagedObject:
    (found,) = world.live()
    return found


def test_it_is_told_and_left() -> None:
    world = built(OLD)
    found = difference(world, the_only(world), OLD, recovers=True)
    assert found.kind is DeltaKind.UNCLEAR
    assert "the provider reports it as broken: no such image." in found.message
    assert difference(world, the_only(world), OLD, recovers=False).kind is DeltaKind.BROKEN


def test_an_update_changes_it_in_place() -> None:
    world = built(OLD)
    found = difference(world, the_only(world), NEW, recovers=True)
    assert found.kind is DeltaKind.CHANGED
    assert [(one.path, one.forces_replacement) for one in found.changes] == [("Free", False)]


@pytest.mark.parametrize(
    ("state", "kind"),
    [(ResourceState.CONFIGURATION, DeltaKind.CHANGED), (ResourceState.INITIALIZATION, DeltaKind.BROKEN)],
)
def test_what_failed_on_its_way_up_never_worked_and_is_made_anew(state: ResourceState, kind: DeltaKind) -> None:
    world = built(OLD)
    failed = entries(an_entry(PhaseStatus.FAILED, PhaseName("some"), state=state, attempt=2))
    found = replace(the_only(world), state=state, phases=failed)
    world.objects[found.object_id] = found
    assert difference(world, found, NEW, recovers=True).kind is kind
