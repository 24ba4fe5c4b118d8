"""Upkeep of an object at rest, as pure rules."""

from dataclasses import replace

import pytest

from tenuto.core.phases import progress
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.core.phases.verdicts import Complete, Fail, Sleep, Verdict
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.lifecycles.table import Lifecycle
from tenuto.model.ids import Instant, LogicalId, ObjectId, Partition, PhaseName, TypeName
from tenuto.model.phase_map import Heading, PhaseDefinition, PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject

KEEP, MAKE = PhaseName("Keep"), PhaseName("Make")
THING = TypeName("Acme::Thing")
T0 = Instant(1000.0)
TABLES = sorted(name for name, table in CATALOGUE.items() if table.paths)


def keep(*states: str, name: PhaseName = KEEP, every_s: float = 60.0) -> PhaseDefinition:
    return PhaseDefinition(name=name, states=states, types=(THING,), every_s=every_s)


def refusal(*definitions: PhaseDefinition) -> str:
    _, errors = PhaseSet.build(definitions, CATALOGUE)
    return " ".join(map(str, errors))


class Keeper:
    """One object of a table, its phases and the time."""

    def __init__(self, table: Lifecycle, *definitions: PhaseDefinition) -> None:
        self.table = table
        self.now = T0
        self.phases, errors = PhaseSet.build(definitions, CATALOGUE)
        assert not errors
        born = ManagedObject(
            object_id=ObjectId("n1"),
            lifecycle=table.name,
            type=THING,
            provider=None,
            partition=Partition(account="a", region="r"),
            fid=None,
            logical_id=LogicalId("n1"),
            state=table.born,
            target=table.ready,
            created_at=T0,
            moved_at=T0,
            touched_at=T0,
        )
        self.object = progress.begin_walk(born, self.phases, table, T0, "me").object

    @property
    def entry(self) -> PhaseEntry:
        return self.object.phases[KEEP]

    def start(self, phase: PhaseName = KEEP) -> None:
        self.now = max(self.now, self.object.phases[phase].wake_at or self.now)
        self.object = progress.start_run(self.object, phase, self.now).object

    def end(self, verdict: Verdict, phase: PhaseName = KEEP) -> None:
        step = progress.apply_verdict(self.object, phase, verdict, self.phases, self.table, self.now, "me")
        self.object = step.object

    def round(self, verdict: Verdict) -> None:
        self.start()
        self.end(verdict)

    def head_for(self, target: str) -> None:
        self.object = progress.retarget(self.object, target, self.phases, self.table, self.now, "me").object


@pytest.mark.parametrize("name", TABLES)
def test_an_object_of_every_table_is_kept_up_while_it_rests_and_is_settled_all_the_time(name: str) -> None:
    table = CATALOGUE[name]
    found = Keeper(table, keep(table.ready))
    for number in range(1, 4):
        assert (found.object.state, found.object.is_settled) == (table.ready, True)
        assert (found.entry.status, found.entry.wake_at) == (PhaseStatus.SLEEPING, found.now + 60)
        found.start()
        assert found.object.is_settled
        found.end(Complete())
        assert found.entry.runs == number
    found.head_for(table.gone)
    assert (found.object.state, found.entry.status) == (table.gone, PhaseStatus.CANCELED)


def test_upkeep_begins_when_the_object_has_come_to_rest_and_not_on_the_way() -> None:
    table = CATALOGUE["network"]
    making = PhaseDefinition(name=MAKE, states=("initial",), types=(THING,))
    found = Keeper(table, keep("created"), making)
    assert KEEP not in found.object.phases
    found.start(MAKE)
    found.end(Complete(), MAKE)
    assert found.entry.status is PhaseStatus.SLEEPING


def test_a_round_that_is_still_under_way_sleeps_for_its_own_delay() -> None:
    found = Keeper(CATALOGUE["network"], keep("created"))
    found.round(Sleep(seconds=5.0))
    assert found.entry.wake_at == found.now + 5
    found.round(Complete())
    assert found.entry.wake_at == found.now + 60


def test_a_failure_without_an_edge_is_counted_and_tried_again_without_data_until_a_round_is_good() -> None:
    found = Keeper(CATALOGUE["resource"], keep("Started"))
    found.start()
    found.object = replace(found.object, phases={KEEP: replace(found.entry, data={"handle": 1})})
    found.end(Fail(message="no route"))
    assert (found.entry.failures, found.entry.message, found.entry.data) == (1, "no route", {})
    assert (found.object.is_settled, found.object.is_phase_failed, found.object.message) == (True, False, "")
    found.round(Fail(message="no route"))
    assert found.entry.failures == 2
    found.round(Complete())
    assert (found.entry.failures, found.entry.message) == (0, "")


def test_a_failure_that_touched_nothing_is_counted_and_tried_again_also_where_the_table_has_an_edge() -> None:
    found = Keeper(CATALOGUE["instance"], keep("created"))
    found.round(Fail(message="no route", keeps_state=True))
    assert (found.object.state, found.entry.status, found.entry.failures) == ("created", PhaseStatus.SLEEPING, 1)
    assert (found.object.is_settled, found.object.message) == (True, "")


@pytest.mark.parametrize(
    "name", sorted(name for name, table in CATALOGUE.items() if table.paths and table.ready in table.failure)
)
def test_a_failure_takes_the_edge_where_the_table_has_one(name: str) -> None:
    table = CATALOGUE[name]
    found = Keeper(table, keep(table.ready))
    found.round(Fail(message="gone bad"))
    assert (found.object.state, found.object.target) == (table.failed, table.failed)
    assert found.object.message == "Keep: gone bad"
    assert (found.object.is_phase_failed, found.entry.status) == (True, PhaseStatus.FAILED)


def test_a_time_limit_is_that_of_one_round() -> None:
    found = Keeper(CATALOGUE["resource"], replace(keep("Started"), timeout_s=10.0))
    for _ in range(3):
        found.round(Complete())
    found.round(Sleep(seconds=30.0))
    assert found.entry.failures == 0
    found.round(Sleep(seconds=30.0))
    assert found.entry.failures == 1


def test_an_object_that_leaves_in_a_round_waits_for_its_return() -> None:
    table = CATALOGUE["network"]
    found = Keeper(table, keep("created"))
    found.start()
    found.head_for(table.gone)
    assert (found.object.state, found.entry.status, found.object.is_settled) == (
        "created",
        PhaseStatus.CANCELING,
        False,
    )
    found.end(Complete())
    assert found.object.state == table.gone


def test_a_change_in_the_ready_state_cancels_the_upkeep_and_is_followed_by_it() -> None:
    table = CATALOGUE["namespace"]
    changing = PhaseDefinition(name=MAKE, states=("created",), types=(THING,), heading=Heading.READY)
    found = Keeper(table, keep("created"), changing)
    found.start(MAKE)
    found.end(Complete(), MAKE)
    found.start()
    found.object = progress.revisit(found.object, "created", found.phases, table, found.now, "me").object
    assert (found.object.is_settled, found.object.phases[MAKE].status) == (False, PhaseStatus.COMPLETED)
    found.end(Complete())
    assert (found.entry.status, found.object.phases[MAKE].status) == (PhaseStatus.CANCELED, PhaseStatus.WAITING)
    found.start(MAKE)
    found.end(Complete(), MAKE)
    assert (found.object.is_settled, found.entry.status) == (True, PhaseStatus.SLEEPING)


def test_a_retry_has_failing_upkeep_run_now_and_leaves_other_upkeep_alone() -> None:
    found = Keeper(CATALOGUE["resource"], keep("Started"), keep("Started", name=PhaseName("Other")))
    assert not progress.retry(found.object, None).is_change
    found.round(Fail(message="no route"))
    step = progress.retry(found.object, None)
    assert (step.entries, step.object.phases[KEEP].status) == ((KEEP,), PhaseStatus.WAITING)


def test_a_run_that_was_lost_with_its_conductor_is_repeated() -> None:
    found = Keeper(CATALOGUE["network"], keep("created"))
    found.start()
    found.object = progress.recover(found.object, found.phases, found.table, found.now, "me").object
    assert (found.entry.status, found.entry.is_upkeep, found.object.is_settled) == (PhaseStatus.WAITING, True, True)


def test_upkeep_that_was_loaded_later_is_taken_up_by_an_object_at_rest_and_once() -> None:
    found = Keeper(CATALOGUE["network"])
    phases, _ = PhaseSet.build([keep("created")], CATALOGUE)
    step = progress.take_up(found.object, phases, T0)
    assert step.entries == (KEEP,)
    assert not progress.take_up(step.object, phases, T0).is_change


def test_upkeep_that_can_never_run_or_that_would_hide_a_failure_is_refused() -> None:
    assert "no object rests in creating" in refusal(keep("creating"))
    assert "leave at least 1 s" in refusal(keep("created", every_s=0.5))
    assert "leave the heading out" in refusal(replace(keep("created"), heading=Heading.READY))
    assert "where its failure leads" in refusal(keep("created", "error"))
    other = PhaseDefinition(name=MAKE, states=("created",), types=(THING,), heading=Heading.READY)
    assert "do not wait for each other" in refusal(other, replace(keep("created"), dependencies=(MAKE,)))
    assert "never completes" in refusal(keep("created"), replace(other, dependencies=(KEEP,)))
    assert not refusal(keep("error"))
