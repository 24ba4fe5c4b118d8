"""Where a stored plan stands is read off the objects alone.

A change counts once a later sweep shows it.
"""

from dataclasses import replace
from typing import Any

import pytest

from tenuto.core.planning.plan_progress import StepStatus, advance, status_of, unproven_changes, unproven_message
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.delta import Change
from tenuto.model.ids import Instant, LogicalId, ObjectId, PlanId
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Operation, Plan, Planning, Step, StepKind, Wave
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import Verb
from tenuto_testing.store_samples import HERE, WEB, a_step, an_entry, an_object, entries

OURS, OLDER = PlanId("plan-2"), PlanId("plan-1")


def a_plan_of(*steps: Step, waves: tuple[Wave, ...] = (Wave(number=0, types=(an_object().type,)),)) -> Plan:
    return Plan(
        plan_id=OURS, fid=WEB, partition=HERE, command="enforce", observed_at=Instant(1.0), steps=steps, waves=waves
    )


def the_object(name: str = "Net", plan_id: PlanId = OURS, **changes: Any) -> ManagedObject:
    return an_object(f"obj-{name}", logical_id=LogicalId(name), plan_id=plan_id, **changes)


def by_id(*objects: ManagedObject) -> dict[ObjectId, ManagedObject]:
    return {found.object_id: found for found in objects}


@pytest.mark.parametrize("kind", list(StepKind))
def test_what_another_plan_moves_waits_to_be_begun(kind: StepKind) -> None:
    step = a_step(kind)
    found = the_object(plan_id=OLDER, state=ResourceState.DEALLOCATION, target=ResourceState.TERMINATED)
    assert status_of(step, a_plan_of(step), found) is StepStatus.OPEN


def test_a_deletion_that_ended_before_it_was_turned_back_is_lost_and_not_begun() -> None:
    step = a_step(StepKind.CHANGE)
    gone = the_object(plan_id=OLDER, state=ResourceState.TERMINATED, target=ResourceState.TERMINATED)
    where = advance(a_plan_of(step), by_id(gone))
    assert where.begin == ()
    assert where.lost == (gone,)


@pytest.mark.parametrize("kind", [StepKind.REMOVE, StepKind.FORGET])
def test_what_ended_by_itself_needs_no_removal(kind: StepKind) -> None:
    step = a_step(kind)
    gone = the_object(plan_id=OLDER, state=ResourceState.TERMINATED, target=ResourceState.TERMINATED)
    assert advance(a_plan_of(step), by_id(gone)).is_finished


@pytest.mark.parametrize(
    ("kind", "state"),
    [(StepKind.RELEASE, ResourceState.TERMINATED), (StepKind.REMOVE, ResourceState.RELEASED)],
)
def test_what_ended_elsewhere_is_lost(kind: StepKind, state: ResourceState) -> None:
    step = a_step(kind)
    assert status_of(step, a_plan_of(step), the_object(state=state, target=state)) is StepStatus.LOST


def test_what_is_not_listed_any_more_is_made_or_else_is_over() -> None:
    made, removed = a_step(StepKind.MAKE), a_step(StepKind.REMOVE)
    assert status_of(made, a_plan_of(made), None) is StepStatus.OPEN
    assert status_of(removed, a_plan_of(removed), None) is StepStatus.DONE


def test_a_wave_waits_for_the_waves_before_it() -> None:
    first, second = a_step(StepKind.REMOVE, "Old"), a_step(StepKind.MAKE, "New", wave=1)
    type_name = first.type
    plan = a_plan_of(
        first, second, waves=(Wave(number=0, types=(type_name,)), Wave(number=1, types=(type_name,), after=(0,)))
    )
    old = the_object("Old", plan_id=OLDER, state=ResourceState.STARTED, target=ResourceState.STARTED)
    assert advance(plan, by_id(old)).begin == (first,)
    gone = the_object("Old", state=ResourceState.TERMINATED, target=ResourceState.TERMINATED)
    assert advance(plan, by_id(gone)).begin == (second,)


def test_after_a_failure_nothing_new_begins() -> None:
    failed_step, other = a_step(StepKind.MAKE, "Net"), a_step(StepKind.MAKE, "Sub")
    failed = the_object("Net", phases=entries(an_entry(PhaseStatus.FAILED)))
    where = advance(a_plan_of(failed_step, other), by_id(failed))
    assert where.begin == ()
    assert where.failed == (failed,)


def test_an_older_failure_that_the_plan_is_yet_to_turn_elsewhere_is_no_failure_of_the_plan() -> None:
    step = a_step(StepKind.REMOVE)
    failed = the_object(plan_id=OLDER, phases=entries(an_entry(PhaseStatus.FAILED)))
    where = advance(a_plan_of(step), by_id(failed))
    assert where.failed == ()
    assert where.begin == (step,)


def test_what_rests_in_its_state_of_failures_beside_a_plan_holds_up_only_what_comes_after_it() -> None:
    phases = entries(an_entry(PhaseStatus.FAILED, state="error"))
    broken = the_object("Other", plan_id=OLDER, lifecycle="instance", state="error", target="error", phases=phases)
    free, bound = a_step(StepKind.MAKE, "Net"), a_step(StepKind.MAKE, "Sub", after=(broken.object_id,))
    where = advance(a_plan_of(free, bound), by_id(broken))
    assert (where.begin, where.failed) == ((free,), ())
    where = advance(a_plan_of(bound), by_id(broken))
    assert (where.begin, where.failed) == ((), (broken,)), "nothing else can go on: the process is suspended"


def a_change_of(*paths: str, name: str = "Net") -> Operation:
    return Operation(
        verb=Verb.MODIFY,
        type=an_object().type,
        logical_id=LogicalId(name),
        object_id=ObjectId(f"obj-{name}"),
        changes=tuple(Change(path=path, before="theirs", after="ours") for path in paths),
    )


def a_plan(*operations: Operation, kind: StepKind = StepKind.CHANGE) -> Plan:
    steps = tuple(a_step(kind, operation.logical_id) for operation in operations)
    empty = Plan(plan_id=PlanId("p"), fid=WEB, partition=HERE, command="enforce", observed_at=Instant(1.0))
    return replace(empty, operations=operations, steps=steps)


def test_a_change_that_the_next_sweep_asks_for_again_is_unproven() -> None:
    ignored, proven = a_change_of("Label"), a_change_of("Label", name="Other")
    later = Planning(plan=a_plan(a_change_of("Label", "Size")))
    assert unproven_changes(a_plan(ignored, proven), later) == (ignored,)


def test_another_path_of_the_same_thing_is_new_drift_and_no_lack_of_proof() -> None:
    later = Planning(plan=a_plan(a_change_of("Size")))
    assert unproven_changes(a_plan(a_change_of("Label")), later) == ()


def test_drift_that_is_left_alone_is_no_proof_either() -> None:
    """With enforcement off the next plan is empty, and the difference stands beside it."""
    ignored = a_change_of("Label")
    later = Planning(plan=a_plan(), drift=(ignored,))
    assert unproven_changes(a_plan(ignored), later) == (ignored,)


def test_only_a_change_in_place_must_be_proven() -> None:
    """A thing that was made anew is another object, and a removal is proven by absence."""
    later = Planning(plan=a_plan(a_change_of("Label")))
    assert unproven_changes(a_plan(a_change_of("Label"), kind=StepKind.MAKE), later) == ()


def test_the_message_names_each_thing_with_its_paths() -> None:
    found = [a_change_of("Label", "Size"), a_change_of("Tags", name="Other")]
    told = "the provider accepted the change of Net (Label, Size), Other (Tags) and does not show it"
    assert unproven_message(found) == told
    assert unproven_message([]) == ""
