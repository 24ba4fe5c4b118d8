"""Answers that every store must give: processes and objects, their order, and the notes on them."""

from dataclasses import replace
from typing import Any

from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.drift import DriftKind
from tenuto.model.ids import Fid, Instant, LogicalId, ObjectId, Partition, PhysicalId, TypeName
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import Process
from tenuto.model.rate import Api, Bucket
from tenuto.ports.store import Store
from tenuto.ports.store_changes import (
    CreateObject,
    SaveDrifts,
    SaveFlips,
    SaveProcess,
    SaveRates,
)
from tenuto.ports.store_reads import PhaseQuery, Ready
from tenuto_testing.store_bench import add, born, ended, moved
from tenuto_testing.store_samples import (
    DB,
    HERE,
    OTHER_PHASE,
    PHASE,
    THERE,
    WEB,
    a_drift,
    a_flip,
    a_job,
    a_process,
    an_entry,
    an_object,
    entries,
)

NOW = Instant(500.0)


def a_process_is_found_by_fid_and_by_alias(store: Store) -> None:
    store.commit([born(a_process(alias="web"))])
    assert store.process(WEB) == store.process("web") == a_process(alias="web")
    assert store.process("nobody") is None
    assert store.process("") is None


def an_alias_means_the_live_process_then_the_one_gone_last(store: Store) -> None:
    first, second, third = Fid("first"), Fid("second"), Fid("third")
    store.commit([born(a_process(first, alias="web"))])
    store.commit([moved(a_process(first, alias="web"), "Running", "Gone", ended_at=Instant(400.0))])
    store.commit([born(a_process(second, alias="web"))])
    store.commit([moved(a_process(second, alias="web"), "Running", "Gone", ended_at=Instant(300.0))])
    assert _fid(store.process("web")) == first
    store.commit([born(a_process(third, alias="web"))])
    assert _fid(store.process("web")) == third
    assert _fid(store.process(second)) == second


def processes_come_by_creation_time_and_gone_ones_on_demand(store: Store) -> None:
    for fid, created in (("c", 3.0), ("a", 2.0), ("b", 2.0), ("d", 1.0)):
        store.commit([born(a_process(Fid(fid), created_at=created))])
    store.commit([moved(a_process(Fid("a"), created_at=2.0), "Running", "Gone", ended_at=Instant(9.0))])
    assert [process.fid for process in store.processes()] == ["d", "b", "c"]
    assert [process.fid for process in store.processes(live=False)] == ["d", "a", "b", "c"]


def several_processes_are_read_together_and_those_that_are_not_there_are_left_out(store: Store) -> None:
    for fid in ("c", "a", "b"):
        store.commit([born(a_process(Fid(fid)))])
    store.commit([moved(a_process(Fid("b")), "Running", "Gone", ended_at=Instant(9.0))])
    found = store.processes_of([Fid("a"), Fid("b"), Fid("strange"), Fid("a")])
    assert found == {Fid("a"): store.process("a"), Fid("b"): store.process("b")}
    assert store.processes_of([]) == {}


def processes_come_in_pages_by_fid_also_those_that_are_gone(store: Store) -> None:
    for fid in ("c", "a", "b"):
        store.commit([born(a_process(Fid(fid)))])
    store.commit([moved(a_process(Fid("b")), "Running", "Gone", ended_at=Instant(9.0))])
    assert [process.fid for process in store.process_page("", 2)] == ["a", "b"]
    assert [process.fid for process in store.process_page("b", 2)] == ["c"]
    assert store.process_page("c", 2) == ()


def things_that_live_objects_of_several_processes_claim_are_found(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB))])
    shared = {"physical_id": PhysicalId("thing-2")}
    add(store, "o1", physical_id=PhysicalId("thing-1"))
    add(store, "o3", fid=DB, created_at=Instant(300.0), **shared)
    add(store, "o2", created_at=Instant(200.0), **shared)
    add(store, "o4", fid=DB, partition=THERE, physical_id=PhysicalId("thing-1"))
    add(store, "o5", fid=DB, physical_id=PhysicalId("thing-1"))
    assert _ids(store.claimed_twice(10)) == ["o1", "o5", "o2", "o3"]
    assert _ids(store.claimed_twice(1)) == ["o1", "o5"]
    store.commit([ended(an_object("o5", fid=DB, physical_id=PhysicalId("thing-1")))])
    assert _ids(store.claimed_twice(10)) == ["o2", "o3"]


def objects_are_the_live_incarnations_and_the_latest_final_one_of_each_address(store: Store) -> None:
    store.commit([born(a_process())])
    for name, address, incarnation, is_live in (
        ("n3", "Net", 3, False),
        ("n1", "Net", 1, False),
        ("n4", "Net", 4, True),
        ("n2", "Net", 2, True),
        ("a1", "Abc", 1, False),
        ("a2", "Abc", 2, False),
        ("z1", "Zed", 1, True),
    ):
        item = an_object(name, logical_id=address, incarnation=incarnation)
        store.commit([CreateObject(object=item, actor="tester")])
        if not is_live:
            store.commit([ended(item)])
    assert [item.object_id for item in store.objects(WEB)] == ["a2", "n2", "n3", "n4", "z1"]
    assert store.objects(DB) == ()
    assert store.object(ObjectId("n1")) is not None
    assert store.object(ObjectId("nothing")) is None


def selected_objects_come_once_in_the_order_asked_for(store: Store) -> None:
    for name in ("o1", "o2", "o3"):
        add(store, name, an_entry(), logical_id=name, fid=None)
    wanted = [ObjectId(name) for name in ("o3", "nothing", "o1", "o3")]
    assert _ids(store.selected(wanted)) == ["o3", "o1"]
    assert store.selected([]) == ()


def ready_tells_phases_with_something_to_do_now_or_when(store: Store) -> None:
    store.commit([born(a_process())])
    sleeping = PhaseStatus.SLEEPING
    add(store, "o1", an_entry())
    add(store, "o2", an_entry(sleeping, wake_at=NOW), an_entry(sleeping, OTHER_PHASE, wake_at=NOW + 7))
    add(store, "o3", an_entry(sleeping, wake_at=NOW + 1), an_entry(sleeping, OTHER_PHASE, wake_at=NOW + 3))
    add(store, "o4", an_entry(PhaseStatus.COMPLETED), an_entry(PhaseStatus.BLOCKED, OTHER_PHASE))
    add(store, "o5", an_entry(sleeping), partition=THERE)
    add(store, "o6", an_entry(PhaseStatus.RUNNING), partition=Partition(account="a", region="quiet"))
    assert store.ready(NOW) == (
        Ready(phase=OTHER_PHASE, partition=HERE, waiting=0, wake_at=Instant(NOW + 3)),
        Ready(phase=PHASE, partition=HERE, waiting=2, wake_at=None),
        Ready(phase=PHASE, partition=THERE, waiting=1, wake_at=None),
    ), store.ready(NOW)


def objects_of_a_suspended_or_gone_process_are_not_worked_on(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB))])
    add(store, "o1", an_entry())
    add(store, "o2", an_entry(), fid=DB)
    add(store, "o3", an_entry(), fid=None)
    assert _ids(store.waiting(PHASE, HERE, NOW, 10)) == ["o1", "o2", "o3"]
    store.commit([moved(a_process(), "Running", "Suspended")])
    store.commit([moved(a_process(DB), "Running", "Gone", ended_at=Instant(9.0))])
    assert _ids(store.waiting(PHASE, HERE, NOW, 10)) == ["o3"]
    assert [ready.waiting for ready in store.ready(NOW)] == [1]
    store.commit([moved(a_process(), "Suspended", "Killing", generation=2)])
    assert _ids(store.waiting(PHASE, HERE, NOW, 10)) == ["o1", "o3"]


def those_that_wait_longest_come_first_and_no_more_than_the_limit(store: Store) -> None:
    store.commit([born(a_process())])
    add(store, "b", an_entry(), moved_at=300.0)
    add(store, "a", an_entry(), moved_at=300.0)
    add(store, "c", an_entry(PhaseStatus.SLEEPING, wake_at=250.0), moved_at=100.0)
    add(store, "d", an_entry(PhaseStatus.SLEEPING, wake_at=450.0), moved_at=100.0)
    add(store, "e", an_entry(PhaseStatus.SLEEPING, wake_at=NOW + 0.5), moved_at=1.0)
    add(store, "f", an_entry(PhaseStatus.WAITING), moved_at=1.0, partition=THERE)
    assert _ids(store.waiting(PHASE, HERE, NOW, 10)) == ["c", "a", "b", "d"]
    assert _ids(store.waiting(PHASE, HERE, NOW, 2)) == ["c", "a"]
    assert store.waiting(PHASE, HERE, NOW, 0) == ()
    assert store.waiting(OTHER_PHASE, HERE, NOW, 10) == ()


def interrupted_are_the_objects_with_a_running_or_canceling_entry(store: Store) -> None:
    store.commit([born(a_process())])
    add(store, "b", an_entry(PhaseStatus.RUNNING), an_entry(PhaseStatus.CANCELING, OTHER_PHASE))
    add(store, "a", an_entry(PhaseStatus.CANCELING))
    add(store, "c", an_entry(), an_entry(PhaseStatus.COMPLETED, OTHER_PHASE))
    store.commit([moved(a_process(), "Running", "Suspended")])
    assert _ids(store.interrupted()) == ["a", "b"]


def tracked_are_the_live_objects_that_the_provider_knows(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB))])
    known: dict[str, Any] = {"physical_id": PhysicalId("net-1")}
    add(store, "o2", **known)
    add(store, "o1", **known, fid=DB)
    add(store, "o3")
    add(store, "o4", **known, partition=THERE)
    add(store, "o5", **known, type="Simulated::Other")
    add(store, "o6", **known)
    store.commit([ended(an_object("o6", **known))])
    assert _ids(store.tracked(HERE, an_object().type)) == ["o1", "o2"]
    other, absent = TypeName("Simulated::Other"), TypeName("Simulated::Absent")
    mine, kind = an_object().provider or "", an_object().type
    assert store.tracked_ids(mine, HERE, [kind, absent]) == {kind: {"net-1"}, absent: frozenset()}
    assert store.tracked_ids(mine, HERE, [other]) == {other: {"net-1"}}
    assert store.tracked_ids("another", HERE, [other]) == {other: frozenset()}
    assert _ids(store.standing_for(HERE, {PhysicalId("net-1"), PhysicalId("net-2")})) == ["o1", "o2", "o5"]
    assert store.standing_for(HERE, {PhysicalId("net-2")}) == store.standing_for(HERE, ()) == ()


def phases_come_in_the_order_of_their_names(store: Store) -> None:
    phases = entries(an_entry(phase=PHASE), an_entry(phase=OTHER_PHASE))
    assert list(phases) == [PHASE, OTHER_PHASE]
    store.commit([CreateObject(object=an_object(fid=None, phases=phases), actor="tester")])
    found = store.object(ObjectId("obj-1"))
    assert found is not None
    assert list(found.phases) == [OTHER_PHASE, PHASE]


def the_last_word_about_every_bucket_of_the_rate_ledger_is_kept(store: Store) -> None:
    first, other = Api(partition=HERE, name="ec2:CreateVpc"), Api(partition=THERE, name="ec2:CreateVpc")
    assert store.rates() == {}
    store.commit([SaveRates(buckets={first: Bucket(level=4.5, at=NOW), other: Bucket(level=-1.0, at=NOW, pace=0.5)})])
    store.commit([SaveRates(buckets={first: Bucket(level=1.25, at=Instant(501.0))})])
    assert store.rates() == {
        first: Bucket(level=1.25, at=Instant(501.0)),
        other: Bucket(level=-1.0, at=NOW, pace=0.5),
    }


def _ids(items: Any) -> list[str]:
    return [item.object_id for item in items]


def _fid(process: Process | None) -> Fid | None:
    return None if process is None else process.fid


def flips_are_kept_by_address_and_path_until_they_are_removed(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB))])
    first, second = a_flip("Net", "Tags"), a_flip("Net", "Label", held_at=Instant(300.0))
    store.commit([SaveFlips(fid=WEB, saved=(first, second, a_flip("Abc")))])
    assert store.flips(WEB) == (a_flip("Abc"), second, first)
    assert store.flips(DB) == ()
    again = a_flip("Net", "Tags", times=(Instant(200.0), Instant(300.0)), count=2)
    store.commit([SaveFlips(fid=WEB, saved=(again,), removed=(second.key, (LogicalId("Net"), "Nothing")))])
    assert store.flips(WEB) == (a_flip("Abc"), again)


def drifts_are_kept_by_address_until_they_are_removed(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB))])
    first, second = a_drift("Net"), a_drift("Abc", kind=DriftKind.VANISHED, physical_id=None, paths=())
    store.commit([SaveDrifts(fid=WEB, saved=(first, second))])
    assert store.drifts(WEB) == (second, first)
    assert store.drifts(DB) == ()
    again = a_drift("Net", digest="decaf", found_at=Instant(300.0))
    store.commit([SaveDrifts(fid=WEB, saved=(again,), removed=(second.logical_id, LogicalId("Nothing")))])
    assert store.drifts(WEB) == (again,)


def resources_are_counted_by_state_while_they_are_not_gone(store: Store) -> None:
    assert store.resource_states() == {}
    store.commit([born(a_process())])
    for name in ("a", "b"):
        store.commit([CreateObject(object=an_object(name), actor="tester")])
    state = min(CATALOGUE["node"].initial)
    node = an_object("n", fid=None, lifecycle="node", state=state, target=state)
    store.commit([CreateObject(object=node, actor="tester")])
    assert store.resource_states() == {"Validation": 2}


def what_is_noted_of_a_process_is_read_until_the_process_is_written(store: Store) -> None:
    store.commit([born(a_process())])
    found = store.process(WEB)
    assert found is not None
    looked = replace(found, last_job=a_job(started_at=Instant(400.0)))
    store.note(looked)
    assert store.process(WEB) == looked
    assert store.processes() == (looked,)
    store.commit([SaveProcess(process=replace(looked, alias="shop"), expected_generation=found.generation)])
    written = store.process(WEB)
    assert written is not None
    assert (written.alias, written.last_job) == ("shop", looked.last_job)
    store.note(looked)
    assert store.process(WEB) == written, "a note of an earlier generation is none"


def objects_in_a_phase_come_a_page_at_a_time_and_their_reasons_are_counted(store: Store) -> None:
    store.commit([born(a_process(WEB)), born(a_process(DB))])
    given: tuple[tuple[str, Fid, float, dict[str, Any]], ...] = (
        ("waits", WEB, 10.0, {}),
        ("late", WEB, 30.0, {"status": PhaseStatus.FAILED, "code": "Busy", "message": "in use by b"}),
        ("early", WEB, 20.0, {"status": PhaseStatus.FAILED, "code": "Busy", "message": "in use by a"}),
        ("other", DB, 20.0, {"status": PhaseStatus.FAILED, "message": "no room"}),
        ("done", DB, 5.0, {"status": PhaseStatus.COMPLETED}),
    )
    for name, fid, at, changes in given:
        entry = replace(an_entry(), started_at=Instant(at), **changes)
        add(store, name, entry, fid=fid, logical_id=LogicalId(name), moved_at=Instant(at))

    def found(**query: Any) -> list[str]:
        return [one.logical_id for one in store.in_phase(PhaseQuery(phase=PHASE, **query))]

    assert found() == ["early", "other", "late", "waits"]
    assert found(limit=2) == ["early", "other"]
    second = store.in_phase(PhaseQuery(phase=PHASE))[1]
    assert found(after=(False, second.moved_at, second.object_id)) == ["late", "waits"]
    assert found(status="Failed") == ["early", "other", "late"]
    assert found(only=("Failed:Busy",)) == ["early", "late"]
    assert found(only=()) == []
    assert found(without=("Failed:Busy", "Failed:no room")) == ["waits"]
    assert store.in_phase(PhaseQuery(phase=OTHER_PHASE)) == ()
    told = [(one.key, one.fid, one.count, one.message, one.since) for one in store.reasons_in_phase(PHASE, 10)]
    assert told == [
        ("Failed:Busy", WEB, 2, "in use by a", 20.0),
        ("Failed:no room", DB, 1, "no room", 20.0),
        ("Waiting:", WEB, 1, "", 10.0),
    ]
    assert len(store.reasons_in_phase(PHASE, 2)) == 2


def objects_in_a_phase_are_looked_for_in_named_processes_and_among_objects_of_none(store: Store) -> None:
    store.commit([born(a_process(WEB)), born(a_process(DB))])
    for name, fid in (("web", WEB), ("db", DB), ("alone", None)):
        add(store, name, replace(an_entry(), started_at=Instant(1.0)), fid=fid, logical_id=LogicalId(name))

    def found(*fids: Fid) -> tuple[list[str], int]:
        objects = store.in_phase(PhaseQuery(phase=PHASE, fids=fids))
        reasons = store.reasons_in_phase(PHASE, 10, fids)
        return sorted(one.logical_id for one in objects), sum(one.count for one in reasons)

    assert found(WEB) == (["alone", "web"], 2)
    assert found(WEB, DB) == (["alone", "db", "web"], 3)
    assert found() == (["alone"], 1)
