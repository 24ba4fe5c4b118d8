"""Explanations name the state, the cause, and what comes next.

A phase whose plugin is not loaded is named, with what to do, for as long as an object waits in it.
"""

from dataclasses import replace

import pytest
from front import Front, entry, later, submission

from tenuto.core.reports.explain import Explanation, explain
from tenuto.core.reports.explain_phases import unloaded_message, unloaded_phases, way_without
from tenuto.core.reports.unconverged import Why, unconverged
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.command import ProcessState
from tenuto.model.ids import Instant, LogicalId, ObjectId, PhaseName
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.plan import Operation, Planning, Wait
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import Verb, WaitKind
from tenuto_testing.store_samples import OTHER_PHASE, PHASE, a_process, an_entry, an_object, entries


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


def test_a_sleeping_phase_tells_when_it_sweeps_again() -> None:
    front = Front()
    process = front.commands.run(submission())
    asleep = entry("aws.wait", "Sleeping", wake_at=later(front, 75), message="the gateway is pending")
    net = front.add_object(process, "Net", phases={asleep.phase: asleep})
    lines = explained(front, process, net).resources[LogicalId("Net")]
    assert "Phase aws.wait is tried again in 1 min 15 s: the gateway is pending." in lines
    suspended = replace(process, state=ProcessState.SUSPENDED)
    assert any("after 'resume'" in line for line in explained(front, suspended, net).resources[LogicalId("Net")])


def test_a_change_in_place_is_not_told_as_a_way_to_where_it_is() -> None:
    front = Front()
    process = front.commands.run(submission())
    asleep = entry("aws.wait", "Sleeping", state="Started", wake_at=later(front, 75))
    net = front.add_object(process, "Net", phases={asleep.phase: asleep})
    net = replace(net, state=ResourceState.STARTED)
    told = explained(front, process, net).resources[LogicalId("Net")]
    assert any(line.startswith("Started with phases to run (") for line in told)


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


def test_a_process_that_is_killed_says_nothing_about_declarations() -> None:
    front = Front()
    process = replace(front.commands.run(submission()), state=ProcessState.KILLING)
    net = front.add_object(process, "Net", target=ResourceState.TERMINATED)
    told = explain(process, None, [net], None, front.clock.now())
    assert "Not declared" not in " ".join(told.resources[net.logical_id])


WEB = a_process(alias="web")


def only(phase: PhaseName) -> bool:
    return phase == OTHER_PHASE


@pytest.mark.parametrize("status", PhaseStatus)
def test_a_phase_without_a_plugin_is_named_while_it_is_open(status: PhaseStatus) -> None:
    found = an_object(phases=entries(an_entry(status), an_entry(phase=OTHER_PHASE)))
    is_closed = status in (PhaseStatus.COMPLETED, PhaseStatus.CANCELED)
    assert unloaded_phases(found, only) == (() if is_closed else (PHASE,))


def test_what_is_in_its_state_of_failures_waits_for_a_person_and_misses_no_plugin() -> None:
    """The loss of a host is kept under the name of a phase that never runs."""
    lost = entries(an_entry(PhaseStatus.FAILED, state="error"))
    assert unloaded_phases(an_object(lifecycle="instance", state="error", target="error", phases=lost), only) == ()


def test_the_message_names_the_phase_and_says_what_to_do() -> None:
    assert (
        unloaded_message(PHASE) == "No plugin of the name create is loaded. Install it and give 'tenuto phases reload'"
    )


@pytest.mark.parametrize(
    ("target", "process", "way"),
    [
        ("Started", WEB, "'tenuto kill web' ends the process"),
        ("Terminated", WEB, "Without it, 'tenuto release web' leaves"),
        ("Terminated", replace(WEB, state=ProcessState.KILLING), "after 'tenuto suspend web', 'tenuto release web'"),
        ("Released", WEB, "'tenuto kill web' deletes the resource"),
    ],
)
def test_the_command_that_goes_on_without_the_plugin_depends_on_where_the_object_goes(
    target: str, process: Process, way: str
) -> None:
    assert way in way_without(process, an_object(target=target))


def test_a_process_waits_for_a_plugin_that_is_not_loaded() -> None:
    found = an_object(phases=entries(an_entry()))
    told = unconverged(WEB, [found], is_held=False, is_loaded=only)
    assert told is not None
    assert told.why is Why.NO_PLUGIN
    assert "No plugin of the name create is loaded" in told.message


def test_explain_tells_it_after_the_phase() -> None:
    found = an_object(phases=entries(an_entry()))
    lines = explain(WEB, None, [found], None, Instant(300.0), only).resources[found.logical_id]
    assert "Phase create waits for its plugin." in lines
    assert any("Install it and give 'tenuto phases reload'. Without it, 'tenuto kill web'" in line for line in lines)
