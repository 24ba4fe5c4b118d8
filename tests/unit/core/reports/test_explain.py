"""Explanations name the state, the cause, and what comes next."""

from dataclasses import replace

from front import Front, entry, later, submission

from tenuto.core.reports.explain import Explanation, explain
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.ids import LogicalId, ObjectId
from tenuto.model.plan import Operation, Planning, Verb, Wait, WaitKind
from tenuto.model.process import Process, ProcessState
from tenuto.model.resource import ManagedObject


def explained(front: Front, process: Process, *objects: ManagedObject, planning: Planning | None = None) -> Explanation:
    composition = front.store.composition(process.composition_digest)
    return explain(process, composition, objects, planning, front.clock.now())


def test_a_resource_that_was_never_made_says_what_it_depends_on() -> None:
    front = Front()
    told = explained(front, front.commands.run(submission()))
    assert list(told.resources) == ["Net", "Sub"]
    assert told.resources[LogicalId("Sub")] == (
        "Declared, and not made yet.",
        "It depends on Net, not ready yet.",
    )


def test_a_failed_phase_tells_its_message_code_and_request() -> None:
    front = Front()
    process = front.commands.run(submission())
    failed = entry("aws.create", "Failed", message="The quota is used up.", code="VpcLimitExceeded", request_id="r-1")
    net = front.add_object(process, "Net", phases={failed.phase: failed})
    lines = explained(front, process, net).resources[LogicalId("Net")]
    assert (
        "Phase aws.create failed: The quota is used up (VpcLimitExceeded, request r-1). "
        "Remove the cause, then 'retry' or 'resume'." in lines
    )


def test_a_sleeping_phase_tells_when_it_looks_again() -> None:
    front = Front()
    process = front.commands.run(submission())
    asleep = entry("aws.wait", "Sleeping", wake_at=later(front, 75), message="the gateway is pending")
    net = front.add_object(process, "Net", phases={asleep.phase: asleep})
    lines = explained(front, process, net).resources[LogicalId("Net")]
    assert "Phase aws.wait looks again in 1 min 15 s: the gateway is pending." in lines
    suspended = replace(process, state=ProcessState.SUSPENDED)
    assert any("after 'resume'" in line for line in explained(front, suspended, net).resources[LogicalId("Net")])


def test_phases_that_are_over_are_not_told() -> None:
    front = Front()
    process = front.commands.run(submission())
    phases = {"a": entry("a", "Completed"), "b": entry("b", "Canceled"), "c": entry("c", "Waiting", state="Allocation")}
    net = front.add_object(process, "Net", phases=phases)
    assert not any("Phase" in line for line in explained(front, process, net).resources[LogicalId("Net")])


def test_what_the_next_job_would_do_is_told_with_its_reason() -> None:
    front = Front()
    process = front.commands.run(submission())
    composition = front.store.composition(process.composition_digest)
    planning = front.conductor.preview(process, composition)
    told = explained(front, process, planning=planning)
    assert "The next job would do: 2 create." in told.process
    assert any(line.startswith("The next job would create it") for line in told.resources[LogicalId("Net")])


def test_a_wait_and_left_alone_drift_are_told_where_they_belong() -> None:
    front = Front()
    process = replace(front.commands.run(submission()), is_enforced=False)
    net = front.add_object(process, "Net")
    empty = front.conductor.preview(process, None)
    drift = Operation(
        verb=Verb.MODIFY, type=net.type, logical_id=net.logical_id, object_id=ObjectId("o"), reason="drift"
    )
    planning = replace(
        empty,
        drift=(drift,),
        waits=(
            Wait(kind=WaitKind.OBSERVATION, logical_id=net.logical_id, message="Seen too long ago."),
            Wait(kind=WaitKind.REFERENCE, logical_id=None, message="The export Vpc does not exist."),
        ),
    )
    told = explained(front, process, net, planning=planning)
    assert "The export Vpc does not exist." in told.process
    assert "Running, enforcement off: updates apply, drift is reported and left alone." in told.process
    assert "Seen too long ago." in told.resources[net.logical_id]
    assert any(line.startswith("Enforcement is off; with it on") for line in told.resources[net.logical_id])


def test_a_held_plan_says_so() -> None:
    front = Front()
    front.conductor.held = "it would delete 9 of 10 resources"
    process = front.commands.run(submission())
    planning = front.conductor.preview(process, None)
    assert "The plan is held: it would delete 9 of 10 resources" in explained(front, process, planning=planning).process


def test_what_is_no_longer_declared_says_so() -> None:
    front = Front()
    process = front.commands.run(submission())
    old = front.add_object(process, "Old", target=ResourceState.TERMINATED)
    lines = explained(front, process, old).resources[LogicalId("Old")]
    assert lines[0] == "Not declared by the composition (any more)."
    assert lines[1].startswith("Validation on the way to Terminated (no id yet, incarnation 1).")
