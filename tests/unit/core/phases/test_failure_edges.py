"""Objects of tables with edges of failures: failing, cleaning up, waiting for a person, and headings of phases."""

import pytest
from test_progress import T0, Walker

from tenuto.core.phases import progress
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.phases.verdicts import Complete, Fail
from tenuto.core.planning.plan_progress import is_busy
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.ids import PhaseName, TypeName
from tenuto.model.phase_map import Heading, PhaseDefinition, PhaseStatus

INSTANCE, NETWORK, ARTIFACT, OPERATION = (
    CATALOGUE[name] for name in ("instance", "network", "artifact", "agent_operation")
)
NODE = TypeName("Cloud.Node")
BAD = Fail(message="no disk")


def phase(name: str, *states: str, heading: Heading | None = None) -> PhaseDefinition:
    return PhaseDefinition(name=PhaseName(name), states=states, types=(NODE,), heading=heading)


def instance(*phases: PhaseDefinition) -> Walker:
    return Walker(*phases, lifecycle=INSTANCE, state="initial", target="created")


def test_a_failure_takes_its_edge_in_the_same_step_and_keeps_its_words() -> None:
    walker = instance(phase("Make", "creating"), phase("Clean", "creating-error"))
    step = walker.do("Make", BAD)
    assert [move.after for move in step.moves] == ["creating-error"]
    assert (walker.it.state, walker.it.target, walker.it.message) == ("creating-error", "error", "Make: no disk")
    assert (walker.status("Make"), walker.status("Clean")) == (PhaseStatus.FAILED, PhaseStatus.WAITING)
    assert not walker.it.is_settled


def test_the_clean_up_leads_on_to_error_where_the_failure_waits_for_a_person() -> None:
    walker = instance(phase("Make", "creating"), phase("Clean", "creating-error"))
    walker.do("Make", BAD)
    walker.do("Clean", Complete())
    assert (walker.it.state, walker.it.is_settled, walker.it.is_phase_failed) == ("error", True, True)
    assert walker.it.message == "Make: no disk"


def test_without_a_clean_up_a_failure_leads_straight_to_error() -> None:
    walker = instance(phase("Make", "creating"))
    assert [move.after for move in walker.do("Make", BAD).moves] == ["creating-error", "error"]


def test_a_clean_up_that_fails_leads_to_error_too_and_both_causes_are_kept() -> None:
    walker = instance(phase("Make", "creating"), phase("Clean", "creating-error"))
    walker.do("Make", BAD)
    walker.do("Clean", Fail(message="stuck"))
    assert (walker.it.state, walker.it.message) == ("error", "Make: no disk; then Clean: stuck")


def test_a_clean_up_is_blocked_until_the_other_runs_have_returned() -> None:
    walker = instance(phase("Make", "creating"), phase("Watch", "creating"), phase("Clean", "creating-error"))
    walker.run("Watch")
    walker.do("Make", BAD)
    assert (walker.it.state, walker.status("Watch")) == ("creating-error", PhaseStatus.CANCELING)
    assert walker.status("Clean") is PhaseStatus.BLOCKED
    assert is_busy(walker.it)
    walker.judge("Watch", Complete())
    assert (walker.it.state, walker.status("Clean")) == ("creating-error", PhaseStatus.WAITING)
    walker.do("Clean")
    assert walker.it.state == "error"


def test_a_restart_in_the_middle_of_a_failure_frees_the_clean_up() -> None:
    walker = instance(phase("Make", "creating"), phase("Watch", "creating"), phase("Clean", "creating-error"))
    walker.run("Watch")
    walker.do("Make", BAD)
    walker.last = progress.recover(walker.it, walker.phases, INSTANCE, T0, "engine")
    assert (walker.it.state, walker.status("Clean")) == ("creating-error", PhaseStatus.WAITING)


def test_a_retry_of_what_is_in_error_acknowledges_the_failure_and_starts_nothing() -> None:
    walker = instance(phase("Make", "creating"))
    walker.do("Make", BAD)
    walker.last = progress.retry(walker.it, None)
    assert (walker.it.state, walker.it.is_phase_failed, walker.it.message) == ("error", False, "Make: no disk")
    assert walker.status("Make") is PhaseStatus.CANCELED


def test_what_is_in_error_is_deleted_by_the_phases_of_the_way_down() -> None:
    walker = instance(phase("Make", "creating"), phase("Delete", "delete-wait"))
    walker.do("Make", BAD)
    assert [move.after for move in walker.head_for("deleted").moves] == ["delete-wait"]
    walker.do("Delete", BAD)
    assert walker.it.state == "error"
    walker.head_for("deleted")
    walker.do("Delete")
    assert (walker.it.state, walker.it.is_phase_failed) == ("deleted", False)


def test_the_failure_of_a_change_that_touched_nothing_stays_in_the_phase_and_can_be_retried() -> None:
    walker = Walker(
        phase("Change", "created"),
        phase("Clean", "created-error"),
        lifecycle=INSTANCE,
        state="created",
        target="created",
    )
    walker.last = progress.revisit(walker.it, "created", walker.phases, INSTANCE, T0, "engine")
    step = walker.do("Change", Fail(message="no such interface", keeps_state=True))
    assert (step.moves, walker.it.state, walker.it.target) == ((), "created", "created")
    assert (walker.status("Change"), walker.it.message) == (PhaseStatus.FAILED, "Change: no such interface")
    assert not walker.it.is_settled
    walker.last = progress.retry(walker.it, None)
    assert walker.status("Change") is PhaseStatus.WAITING
    walker.do("Change")
    assert (walker.it.is_settled, walker.it.message) == (True, "")


def test_a_thing_is_torn_down_in_the_state_that_it_is_in_before_it_is_deleted() -> None:
    walker = Walker(
        phase("Make", "initial"),
        phase("Drop", "created", "error", heading=Heading.GONE),
        lifecycle=ARTIFACT,
        state="initial",
        target="created",
    )
    walker.do("Make")
    assert (walker.it.state, "Drop" in walker.it.phases) == ("created", False)
    walker.head_for("deleted")
    assert (walker.it.state, walker.status("Drop")) == ("created", PhaseStatus.WAITING)
    walker.do("Drop", BAD)
    assert walker.it.state == "error"
    walker.head_for("deleted")
    walker.do("Drop")
    assert walker.it.state == "deleted"


def test_a_change_of_a_thing_that_stays_ready_runs_the_phases_of_that_state_without_a_move() -> None:
    walker = Walker(phase("Change", "created"), lifecycle=NETWORK, state="initial", target="created")
    assert walker.it.is_settled
    assert walker.visit("created").moves == ()
    assert (walker.it.state, walker.it.is_settled, walker.status("Change")) == ("created", False, PhaseStatus.WAITING)
    walker.run("Change")
    walker.visit("created")
    assert walker.status("Change") is PhaseStatus.CANCELING
    walker.judge("Change", Complete())
    assert walker.status("Change") is PhaseStatus.WAITING
    walker.do("Change")
    assert walker.it.is_settled


def test_an_optional_state_is_left_out_where_no_phase_applies() -> None:
    bare = Walker(phase("Run", "executing"), lifecycle=OPERATION, state="initial", target="complete")
    assert [move.after for move in bare.last.moves] == ["queued", "executing"]
    full = Walker(phase("Fetch", "preflight"), lifecycle=OPERATION, state="initial", target="complete")
    assert [move.after for move in full.last.moves] == ["preflight"]


@pytest.mark.parametrize(
    ("definition", "problem"),
    [
        (phase("P", "created", "created-error"), "cleans up after it; give the clean-up a phase of its own"),
        (phase("P", "error"), "error is a target"),
        (phase("P", "error", heading=Heading.FAILED), "no object that heads for failed has work in error"),
        (phase("P", "created", heading=Heading.RELEASED), "no object that heads for released has work in created"),
        (phase("P", "deleted", heading=Heading.GONE), "no object that heads for gone has work in deleted"),
    ],
)
def test_a_phase_that_could_never_run_is_refused(definition: PhaseDefinition, problem: str) -> None:
    phases, errors = PhaseSet.build([definition], {"instance": INSTANCE})
    assert not phases.definitions
    assert problem in str(errors[0])
