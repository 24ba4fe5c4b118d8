"""A change counts once a later sweep shows it."""

from dataclasses import replace

from tenuto.core.planning.proof import unproven_changes, unproven_message
from tenuto.model.delta import Change
from tenuto.model.ids import Instant, LogicalId, ObjectId, PlanId
from tenuto.model.plan import Operation, Plan, Planning, StepKind, Verb
from tenuto_testing.store_samples import HERE, WEB, a_step, an_object


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
    """What was made anew is another object, and a removal is proven by absence."""
    later = Planning(plan=a_plan(a_change_of("Label")))
    assert unproven_changes(a_plan(a_change_of("Label"), kind=StepKind.MAKE), later) == ()


def test_the_message_names_each_thing_with_its_paths() -> None:
    found = [a_change_of("Label", "Size"), a_change_of("Tags", name="Other")]
    told = "the provider accepted the change of Net (Label, Size), Other (Tags) and does not show it"
    assert unproven_message(found) == told
    assert unproven_message([]) == ""
