"""The walk of one object, as pure rules (P0 1, 29-34, 39 and the rules behind them)."""

from dataclasses import replace
from enum import StrEnum

import pytest

from tenuto.core.phases import progress
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.phases.progress import Progress
from tenuto.core.phases.verdicts import Complete, Fail, Sleep, Verdict
from tenuto.errors import BugError, IllegalTransitionError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import Instant, LogicalId, ObjectId, Partition, PhaseName, TypeName
from tenuto.model.phase_map import PhaseDefinition, PhaseStatus
from tenuto.model.resource import ManagedObject

T0 = Instant(1000.0)
RESOURCE = CATALOGUE["resource"]
NODE = CATALOGUE["cloud_node"]


def phase(name: str, *states: str, depends_on: tuple[str, ...] = (), timeout: float | None = None) -> PhaseDefinition:
    return PhaseDefinition(
        name=PhaseName(name),
        states=states,
        types=(TypeName("Cloud.Node"),),
        dependencies=tuple(PhaseName(other) for other in depends_on),
        timeout_s=timeout,
    )


def phase_set(*definitions: PhaseDefinition, lifecycle: Lifecycle = RESOURCE) -> PhaseSet:
    phases, errors = PhaseSet.build(definitions, {lifecycle.name: lifecycle})
    assert not errors
    return phases


def born(lifecycle: Lifecycle = RESOURCE, state: str = "Validation", target: str = "Started") -> ManagedObject:
    return ManagedObject(
        object_id=ObjectId("n1"),
        lifecycle=lifecycle.name,
        type=TypeName("Cloud.Node"),
        provider=None,
        partition=Partition(account="a", region="r"),
        fid=None,
        logical_id=LogicalId("n1"),
        state=state,
        target=target,
        created_at=T0,
        moved_at=T0,
        touched_at=T0,
    )


class Walker:
    """One object and its rules, so that a test reads as a story."""

    def __init__(self, *definitions: PhaseDefinition, lifecycle: Lifecycle = RESOURCE, **how: str) -> None:
        self.phases = phase_set(*definitions, lifecycle=lifecycle)
        self.lifecycle = lifecycle
        self.now = T0
        self.last = progress.begin_walk(born(lifecycle, **how), self.phases, lifecycle, T0, "test")

    @property
    def it(self) -> ManagedObject:
        return self.last.object

    def status(self, name: str) -> PhaseStatus:
        return self.it.phases[PhaseName(name)].status

    def run(self, name: str) -> None:
        self.last = progress.start_run(self.it, PhaseName(name), self.now)

    def judge(self, name: str, verdict: Verdict) -> Progress:
        self.last = progress.apply_verdict(
            self.it, PhaseName(name), verdict, self.phases, self.lifecycle, self.now, f"phase {name}"
        )
        return self.last

    def do(self, name: str, verdict: Verdict | None = None) -> Progress:
        self.run(name)
        return self.judge(name, verdict or Complete())

    def head_for(self, target: str) -> Progress:
        self.last = progress.retarget(self.it, target, self.phases, self.lifecycle, self.now, "user", "because")
        return self.last

    def visit(self, state: str) -> Progress:
        self.last = progress.revisit(self.it, state, self.phases, self.lifecycle, self.now, "user")
        return self.last


def moves(step: Progress) -> list[str]:
    return [move.after for move in step.moves]


class Letter(StrEnum):
    A = "A"
    B = "B"
    C = "C"


LETTERS = Lifecycle(
    name="letters",
    states=Letter,
    initial=frozenset({Letter.A}),
    rows={Letter.A: frozenset({Letter.B}), Letter.B: frozenset({Letter.C}), Letter.C: frozenset()},
    final=frozenset({Letter.C}),
    born=Letter.A,
    ready=Letter.B,
    gone=Letter.C,
    change_at=Letter.B,
    paths={Letter.B: (Letter.A, Letter.B), Letter.C: (Letter.A, Letter.B, Letter.C)},
)


def test_p0_01_without_phases_an_object_passes_through_every_state_to_its_target() -> None:
    walker = Walker(lifecycle=LETTERS, state="A", target="C")
    assert walker.it.state == "C"
    assert moves(walker.last) == ["B", "C"]


def test_p0_29_a_phase_of_two_states_has_one_entry_that_starts_fresh_in_the_second() -> None:
    walker = Walker(phase("P", "Allocation", "Configuration"))
    walker.run("P")
    entry = walker.it.phases[PhaseName("P")]
    walker.last = replace(
        walker.last, object=replace(walker.it, phases={entry.phase: replace(entry, data={"OperationId": "a"})})
    )
    step = walker.judge("P", Complete())
    fresh = walker.it.phases[PhaseName("P")]
    assert moves(step) == ["Initialization", "Configuration"]
    assert (fresh.state, fresh.status, fresh.data, fresh.runs) == ("Configuration", PhaseStatus.WAITING, {}, 0)
    assert walker.do("P").object.state == "Started"


def test_which_phases_apply_is_decided_on_entry_and_does_not_change_in_the_middle_of_a_state() -> None:
    walker = Walker(phase("P", "Allocation"))
    walker.phases = phase_set(phase("P", "Allocation"), phase("Late", "Allocation"))
    assert walker.do("P").object.state == "Started"


def test_p0_30_a_new_target_cancels_what_sleeps_waits_is_blocked_or_failed_at_once() -> None:
    walker = Walker(
        phase("Failed", "Allocation"),
        phase("Blocked", "Allocation", depends_on=("Failed",)),
        phase("Sleeping", "Allocation"),
        phase("Waiting", "Allocation"),
    )
    walker.do("Failed", Fail(message="no"))
    walker.do("Sleeping", Sleep())
    step = walker.head_for("Terminated")
    assert moves(step) == ["Deconfiguration", "Deallocation", "Terminated"]
    assert {entry.status for entry in walker.it.phases.values()} == {PhaseStatus.CANCELED}
    assert set(step.entries) == {"Failed", "Blocked", "Sleeping", "Waiting"}


@pytest.mark.parametrize("verdict", [Complete(), Fail(message="no"), Sleep()])
def test_p0_31_an_object_in_a_run_leaves_when_the_run_returns_whatever_it_says(verdict: Verdict) -> None:
    walker = Walker(phase("P", "Allocation"))
    walker.run("P")
    assert moves(walker.head_for("Terminated")) == []
    assert walker.status("P") is PhaseStatus.CANCELING
    step = walker.judge("P", verdict)
    assert walker.status("P") is PhaseStatus.CANCELED
    assert moves(step) == ["Deconfiguration", "Deallocation", "Terminated"]
    assert not walker.it.is_phase_failed


def test_p0_31_an_object_in_two_runs_leaves_when_both_have_returned() -> None:
    walker = Walker(phase("P", "Allocation"), phase("Q", "Allocation"))
    walker.run("P")
    walker.run("Q")
    walker.head_for("Terminated")
    assert walker.judge("P", Complete()).object.state == "Allocation"
    assert walker.judge("Q", Complete()).object.state == "Terminated"


def test_p0_33_a_failed_object_is_no_longer_failed_once_it_heads_for_another_target() -> None:
    walker = Walker(phase("P", "Allocation"), phase("Delete", "Deallocation"))
    walker.do("P", Fail(message="no"))
    assert walker.it.is_phase_failed
    assert walker.it.message == "P: no"
    walker.head_for("Terminated")
    assert not walker.it.is_phase_failed
    assert walker.it.message == ""
    assert walker.status("Delete") is PhaseStatus.WAITING


def test_p0_34_the_same_target_again_changes_nothing() -> None:
    walker = Walker(phase("P", "Allocation"))
    walker.run("P")
    before = walker.it
    step = walker.head_for("Started")
    assert not step.is_change
    assert step.object is before


def test_a_target_that_turns_back_while_a_run_lasts_begins_the_half_done_state_again() -> None:
    walker = Walker(phase("P", "Allocation"))
    walker.run("P")
    walker.head_for("Terminated")
    walker.head_for("Started")
    step = walker.judge("P", Complete())
    assert moves(step) == []
    assert (walker.it.state, walker.status("P")) == ("Allocation", PhaseStatus.WAITING)


def test_a_cancelled_deletion_leads_back_through_configuration() -> None:
    walker = Walker(phase("Configure", "Configuration"), phase("Delete", "Deallocation"))
    walker.do("Configure")
    walker.head_for("Terminated")
    walker.do("Delete", Sleep())
    assert moves(walker.head_for("Started")) == ["Configuration"]
    assert walker.status("Configure") is PhaseStatus.WAITING


def test_a_state_that_the_new_target_needs_too_is_begun_again() -> None:
    """A node that is being deallocated shall be terminated: the phases of Deallocation must know the new target."""
    walker = Walker(phase("Delete", "Deallocation"), lifecycle=NODE)
    walker.head_for("Deallocated")
    walker.do("Delete", Sleep())
    assert moves(walker.head_for("Terminated")) == []
    assert (walker.it.state, walker.status("Delete")) == ("Deallocation", PhaseStatus.WAITING)
    assert walker.do("Delete").object.state == "Terminated"


def test_a_deallocated_node_walks_up_again_with_fresh_entries() -> None:
    walker = Walker(phase("Create", "Allocation"), lifecycle=NODE)
    walker.do("Create")
    walker.head_for("Deallocated")
    assert walker.it.state == "Deallocated"
    assert moves(walker.head_for("Started")) == ["Validation", "Allocation"]
    assert walker.status("Create") is PhaseStatus.WAITING


def test_an_update_in_place_goes_through_configuration_and_back_to_started() -> None:
    walker = Walker(phase("Configure", "Configuration"))
    walker.do("Configure")
    assert moves(walker.visit("Configuration")) == ["Configuration"]
    assert moves(walker.do("Configure")) == ["Installation", "Started"]


def test_an_update_during_the_update_begins_the_state_again_without_a_move() -> None:
    walker = Walker(phase("Configure", "Configuration"))
    walker.do("Configure", Fail(message="wrong value"))
    assert moves(walker.visit("Configuration")) == []
    assert walker.status("Configure") is PhaseStatus.WAITING


@pytest.mark.parametrize("state", ["Configuration", "Installation"])
def test_an_update_while_a_run_lasts_waits_for_it_and_then_begins_with_configuration(state: str) -> None:
    walker = Walker(phase("Configure", "Configuration"), phase("Install", "Installation"))
    if state == "Installation":
        walker.do("Configure")
    running = "Install" if state == "Installation" else "Configure"
    walker.run(running)
    walker.visit("Configuration")
    assert walker.status(running) is PhaseStatus.CANCELING
    walker.judge(running, Complete())
    assert (walker.it.state, walker.status("Configure")) == ("Configuration", PhaseStatus.WAITING)


def test_an_update_before_configuration_stays_on_its_way_and_tries_again_what_failed() -> None:
    walker = Walker(phase("Create", "Allocation"), phase("Other", "Allocation"))
    walker.do("Create", Fail(message="wrong value"))
    walker.run("Other")
    walker.visit("Configuration")
    assert walker.status("Create") is PhaseStatus.WAITING
    assert walker.status("Other") is PhaseStatus.RUNNING


def test_an_update_of_an_object_that_is_on_its_way_down_is_refused() -> None:
    walker = Walker(phase("Delete", "Deallocation"))
    walker.head_for("Terminated")
    with pytest.raises(BugError, match="not on the way to Terminated"):
        walker.visit("Configuration")


def test_a_vanished_object_goes_straight_to_terminated() -> None:
    walker = Walker(phase("Install", "Installation"), phase("Delete", "Deallocation"))
    step = progress.vanish(walker.it, walker.phases, RESOURCE, T0, "plan")
    assert (moves(step), step.moves[0].reason) == (["Terminated"], "Vanished")
    assert step.object.is_settled
    assert step.object.phases[PhaseName("Install")].status is PhaseStatus.CANCELED
    assert not progress.vanish(step.object, walker.phases, RESOURCE, T0, "plan").is_change


def test_an_object_that_vanishes_during_a_run_is_taken_down_when_the_run_returns() -> None:
    """The run may just have made the thing again."""
    walker = Walker(phase("Install", "Installation"), phase("Delete", "Deallocation"))
    walker.run("Install")
    walker.last = progress.vanish(walker.it, walker.phases, RESOURCE, T0, "plan")
    assert moves(walker.last) == []
    walker.judge("Install", Complete())
    assert walker.status("Delete") is PhaseStatus.WAITING


def test_a_deletion_that_runs_is_not_disturbed_when_its_object_is_seen_to_be_gone() -> None:
    walker = Walker(phase("Delete", "Deallocation"))
    walker.head_for("Terminated")
    walker.run("Delete")
    assert not progress.vanish(walker.it, walker.phases, RESOURCE, T0, "plan").is_change


def test_a_released_object_waits_for_its_run_and_is_untagged_before_it_is_released() -> None:
    walker = Walker(phase("Create", "Allocation"), phase("Untag", "Release"))
    walker.run("Create")
    walker.head_for("Released")
    assert walker.it.state == "Allocation"
    assert moves(walker.judge("Create", Complete())) == ["Release"]
    walker.run("Untag")
    assert moves(walker.judge("Untag", Complete())) == ["Released"]


def test_a_way_that_the_table_does_not_know_raises_and_changes_nothing() -> None:
    walker = Walker()
    with pytest.raises(BugError, match="the targets are Released, Started, Terminated"):
        walker.head_for("Deallocated")
    gone = progress.vanish(walker.it, walker.phases, RESOURCE, T0, "plan").object
    with pytest.raises(BugError, match="no way from Terminated to Started"):
        progress.retarget(gone, "Started", walker.phases, RESOURCE, T0, "user")
    with pytest.raises(IllegalTransitionError):
        progress.revisit(walker.it, "Allocation", walker.phases, RESOURCE, T0, "user")


def test_an_object_that_is_not_ready_cannot_be_collected() -> None:
    walker = Walker(phase("P", "Allocation"))
    walker.do("P", Sleep(seconds=10))
    with pytest.raises(BugError, match="collected by phase P with Sleeping"):
        walker.run("P")


def test_a_verdict_on_an_entry_that_is_not_in_flight_changes_nothing() -> None:
    walker = Walker(phase("P", "Allocation"))
    assert not walker.judge("P", Complete()).is_change


def test_a_phase_that_sleeps_past_its_timeout_fails_and_names_the_limit_and_its_last_words() -> None:
    walker = Walker(phase("P", "Allocation", timeout=60))
    walker.do("P", Sleep(seconds=45, message="booting"))
    walker.now = Instant(T0 + 45)
    walker.do("P", Sleep(seconds=45))
    entry = walker.it.phases[PhaseName("P")]
    assert entry.wake_at == T0 + 60, "it gets one last run at the limit"
    walker.now = Instant(T0 + 60)
    walker.do("P", Sleep())
    entry = walker.it.phases[PhaseName("P")]
    assert entry.status is PhaseStatus.FAILED
    assert entry.message == "phase P did not finish within its limit of 60 s; it last said: booting"
    assert entry.code == "PhaseTimeout"


def test_a_retry_restarts_the_clock_of_the_timeout() -> None:
    walker = Walker(phase("P", "Allocation", timeout=60))
    walker.run("P")
    walker.now = Instant(T0 + 100)
    walker.judge("P", Sleep())
    assert walker.status("P") is PhaseStatus.FAILED
    walker.last = progress.retry(walker.it, None)
    walker.do("P", Sleep())
    assert walker.status("P") is PhaseStatus.SLEEPING
    assert walker.it.phases[PhaseName("P")].attempt == 2


def test_what_a_step_must_write_is_named_and_nothing_else() -> None:
    walker = Walker(phase("P", "Allocation"), phase("Q", "Allocation"))
    walker.run("P")
    assert (walker.last.entries, walker.last.documents, walker.last.moves) == (("P",), False, ())


def test_recovery_keeps_wake_times_and_lets_departing_objects_leave() -> None:
    walker = Walker(phase("P", "Allocation"), phase("Q", "Allocation"))
    walker.do("Q", Sleep(seconds=99))
    walker.run("P")
    step = progress.recover(walker.it, walker.phases, RESOURCE, T0, "engine")
    assert step.entries == ("P",)
    assert step.object.phases[PhaseName("P")].status is PhaseStatus.WAITING
    assert step.object.phases[PhaseName("Q")].wake_at == T0 + 99
    walker.head_for("Terminated")
    step = progress.recover(walker.it, walker.phases, RESOURCE, T0, "engine")
    assert step.object.state == "Terminated"
