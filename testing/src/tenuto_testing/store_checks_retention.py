"""The duties of every store for rows that are over: it removes those that may be removed, and no others."""

from dataclasses import replace
from typing import Any

from tenuto.errors import ConflictError
from tenuto.model.command import ProcessState
from tenuto.model.event import EventType
from tenuto.model.ids import Instant, JobId, ObjectId, PlanId
from tenuto.model.job import JobKind, JobStatus
from tenuto.model.process import IntentStage, ReleaseMode
from tenuto.model.retention import Expired, Remnant
from tenuto.ports.store import Store
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    SaveComposition,
    SaveDrifts,
    SaveFlips,
    SaveJob,
    SavePlan,
    SaveProcess,
)
from tenuto.ports.store_reads import EventQuery
from tenuto.ports.store_retention import RemoveExpired
from tenuto_testing.store_bench import add, born, ended, moved, raises, unchanged
from tenuto_testing.store_samples import (
    DB,
    WEB,
    a_command,
    a_composition,
    a_drift,
    a_flip,
    a_job,
    a_move,
    a_plan,
    a_process,
    an_entry,
    an_event,
    an_intent,
    an_object,
    an_op,
)

NOW = Instant(1000.0)


def nothing_is_expired_in_an_empty_store(store: Store) -> None:
    for kind in Remnant:
        assert store.expired(kind, None, 10) == Expired()
        assert (store.tallies()[kind].rows, store.tallies()[kind].removed_until) == (0, None)


def the_oldest_events_go_first_and_denied_ones_are_a_kind_of_their_own(store: Store) -> None:
    denied = EventType.COMMAND_DENIED
    store.commit([Append(events=(an_event(30.0), an_event(10.0), an_event(20.0), an_event(5.0, type=denied)))])
    assert store.expired(Remnant.EVENT, Instant(30.0), 1).until == 10.0
    found = store.expired(Remnant.EVENT, Instant(30.0), 10)
    assert (len(found.keys), found.until, found.own) == (2, 20.0, 0)
    _remove(store, Remnant.EVENT, Instant(30.0))
    assert [event.at for event in store.events(EventQuery())] == [30.0, 5.0]
    _remove(store, Remnant.DENIED)
    assert [event.at for event in store.events(EventQuery())] == [30.0]


def an_event_after_a_removal_has_a_number_that_was_never_given(store: Store) -> None:
    store.commit([Append(events=(an_event(1.0), an_event(2.0)))])
    _remove(store, Remnant.EVENT)
    assert store.last_event() == 0
    store.commit([Append(events=(an_event(3.0),))])
    assert store.last_event() == 3


def events_that_tell_of_removals_are_counted_apart(store: Store) -> None:
    store.commit([Append(events=(an_event(1.0), an_event(2.0, type=EventType.RETENTION)))])
    assert store.expired(Remnant.EVENT, None, 10).own == 1


def what_was_removed_is_added_up(store: Store) -> None:
    store.commit([Append(events=tuple(an_event(float(at)) for at in range(1, 6)))])
    _remove(store, Remnant.EVENT, Instant(3.0))
    _remove(store, Remnant.EVENT, Instant(4.0))
    found = store.tallies()[Remnant.EVENT]
    assert (found.rows, found.oldest, found.removed, found.removed_until) == (2, 4.0, 3, 3.0)
    assert store.removed_until()[Remnant.EVENT].removed_until == 3.0
    assert store.removed_until()[Remnant.OP].removed_until is None


def a_removal_of_other_rows_than_can_go_now_removes_none(store: Store) -> None:
    store.commit([Append(events=(an_event(1.0), an_event(2.0)))])
    found = store.expired(Remnant.EVENT, None, 10)
    _remove(store, Remnant.EVENT, Instant(2.0))
    with unchanged(store):
        change = RemoveExpired(kind=Remnant.EVENT, before=None, expired=found, at=NOW)
        raises((ConflictError,), store, [change])


def ops_go_from_every_process_that_they_were_for(store: Store) -> None:
    store.commit([born(a_process()), CreateObject(object=an_object(), actor="tester")])
    store.commit([Append(ops=(an_op("obj-1", at=1.0), an_op("obj-1", at=2.0)))])
    _remove(store, Remnant.OP, Instant(2.0))
    assert [op.at for op in store.history(WEB).ops] == [2.0]


def a_running_job_and_the_last_one_of_a_live_process_stay_with_the_plan_of_the_running_one(store: Store) -> None:
    last = a_job("last", started_at=Instant(3.0), plan_id=PlanId("plan-last"))
    running = a_job("running", status=JobStatus.RUNNING, started_at=Instant(4.0), plan_id=PlanId("plan-running"))
    process = a_process(last_job=last, job_id=JobId("running"), intent=an_intent(IntentStage.DONE))
    store.commit([born(process), *(SavePlan(plan=a_plan(f"plan-{name}")) for name in ("old", "last", "running"))])
    old = a_job("old", started_at=Instant(2.0), plan_id=PlanId("plan-old"))
    store.commit([SaveJob(job=job) for job in (old, last, running)])
    assert store.expired(Remnant.JOB, None, 10).keys == ("old",)
    assert store.expired(Remnant.PLAN, None, 10).keys == ("plan-old", "plan-last")
    assert store.plan(PlanId("plan-old")) is not None
    _remove(store, Remnant.JOB)
    _remove(store, Remnant.PLAN)
    assert store.plan(PlanId("plan-old")) is None
    assert [job.job_id for job in store.history(WEB).jobs] == ["last", "running"]
    assert store.plan(PlanId("plan-running")) is not None


def what_was_approved_for_a_command_that_is_not_done_stays(store: Store) -> None:
    process = a_process(intent=an_intent(IntentStage.SERVED), updated_at=Instant(50.0), unconverged_at=Instant(60.0))
    store.commit([born(process), born(a_process(DB, intent=an_intent(IntentStage.DONE)))])
    for fid in (WEB, DB):
        for name, at, kind in (("early", 40.0, JobKind.COMMAND), ("mine", 55.0, JobKind.COMMAND)):
            plan = a_plan(f"plan-{name}-{fid}", fid)
            job = a_job(f"{name}-{fid}", fid, kind=kind, started_at=Instant(at), plan_id=plan.plan_id)
            store.commit([SavePlan(plan=plan), SaveJob(job=job)])
        store.commit([Append(commands=(a_command(at=Instant(40.0), fid=fid), a_command(at=Instant(50.0), fid=fid)))])
    assert store.expired(Remnant.JOB, None, 10).keys == (f"early-{WEB}", f"early-{DB}", f"mine-{DB}")
    assert f"plan-mine-{WEB}" not in store.expired(Remnant.PLAN, None, 10).keys
    _remove(store, Remnant.COMMAND)
    assert [command.at for command in store.history(WEB).commands] == [50.0]
    assert store.history(DB).commands == ()


def dry_runs_are_a_kind_of_their_own(store: Store) -> None:
    store.commit([SaveJob(job=a_job("dry", kind=JobKind.DRY_RUN)), SaveJob(job=a_job("wet"))])
    assert store.expired(Remnant.DRY_RUN, None, 10).keys == ("dry",)
    assert store.expired(Remnant.JOB, None, 10).keys == ("wet",)


def a_plan_that_a_live_object_names_stays(store: Store) -> None:
    store.commit([born(a_process()), *(SavePlan(plan=a_plan(name)) for name in ("of-live", "of-gone", "of-none"))])
    add(store, "live", plan_id=PlanId("of-live"))
    add(store, "gone", plan_id=PlanId("of-gone"))
    _end(store, "gone", plan_id=PlanId("of-gone"))
    assert store.expired(Remnant.PLAN, None, 10).keys == ("of-gone", "of-none")


def final_objects_go_and_an_address_begins_anew(store: Store) -> None:
    store.commit([born(a_process())])
    add(store, "live", logical_id="Net", incarnation=2, created_at=Instant(10.0))
    add(store, "over", an_entry(), logical_id="Net")
    _end(store, "over", logical_id="Net", moved_at=Instant(20.0))
    assert store.expired(Remnant.OBJECT, Instant(20.0), 10) == Expired()
    _remove(store, Remnant.OBJECT, Instant(21.0))
    assert [item.object_id for item in store.objects(WEB)] == ["live"]
    assert store.object(an_object("over").object_id) is None
    add(store, "again", logical_id="Net")
    found = store.object(an_object("again").object_id)
    assert found is not None
    assert not found.phases


def an_object_that_was_removed_keeps_its_name_while_its_birth_is_told(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB))])
    add(store, "live", logical_id="Net")
    add(store, "over", logical_id="Left")
    _end(store, "over", logical_id="Left")
    names = {ObjectId("live"): "Net", ObjectId("over"): "Left"}
    assert store.names(WEB, tuple(names)) == names
    _remove(store, Remnant.OBJECT)
    assert store.names(WEB, (*names, ObjectId("nothing"))) == names
    assert store.names(DB, tuple(names)) == {}
    _remove(store, Remnant.EVENT)
    assert store.names(WEB, tuple(names)) == {ObjectId("live"): "Net"}


def final_objects_stay_while_a_job_of_their_process_runs(store: Store) -> None:
    store.commit([born(a_process(job_id=JobId("running")))])
    add(store, "over")
    _end(store, "over")
    assert store.expired(Remnant.OBJECT, None, 10) == Expired()


def what_was_released_with_its_tags_stays_known(store: Store) -> None:
    store.commit([born(a_process(releasing=ReleaseMode.KEEP_TAGS)), born(a_process(DB, releasing=ReleaseMode.UNTAG))])
    for name, fid in (("tagged", WEB), ("untagged", DB)):
        add(store, name, fid=fid, target="Released")
        _end(store, name, fid=fid, state="Released", target="Released")
    add(store, "deleted")
    _end(store, "deleted")
    _remove(store, Remnant.OBJECT)
    assert [item.object_id for item in store.objects(WEB)] == ["tagged"]
    assert store.objects(DB) == ()


def a_process_goes_after_everything_of_its_own(store: Store) -> None:
    web = a_process(alias="web")
    store.commit([born(web), born(a_process(DB))])
    add(store, "over")
    _end(store, "over")
    store.commit([SavePlan(plan=a_plan()), SaveJob(job=a_job()), Append(commands=(a_command(),))])
    store.commit([Append(ops=(an_op("over", at=1.0),)), SaveDrifts(fid=WEB, saved=(a_drift(),))])
    store.commit([SaveFlips(fid=WEB, saved=(a_flip(),)), moved(web, "Running", "Killing")])
    store.commit([moved(web, "Killing", "Gone", 2)])
    own = (Remnant.EVENT, Remnant.OP, Remnant.COMMAND, Remnant.JOB, Remnant.PLAN, Remnant.OBJECT)
    for kind in own:
        assert store.expired(Remnant.PROCESS, None, 10) == Expired(), kind
        _remove(store, kind)
    _remove(store, Remnant.PROCESS)
    assert [process.fid for process in store.processes(live=False)] == [DB]
    assert store.process("web") is None
    assert (store.drifts(WEB), store.flips(WEB)) == ((), ())
    store.commit([born(web)])


def a_process_that_ended_later_stays_longer(store: Store) -> None:
    over = replace(a_process(state=ProcessState.GONE), ended_at=Instant(500.0))
    moves = (a_move("Running", "Killing"), a_move("Killing", "Gone"))
    store.commit([born(a_process()), SaveProcess(process=over, expected_generation=1, moves=moves)])
    _remove(store, Remnant.EVENT)
    assert store.expired(Remnant.PROCESS, Instant(500.0), 10) == Expired()
    assert store.expired(Remnant.PROCESS, Instant(501.0), 10).keys == (WEB,)


def compositions_go_that_no_process_has(store: Store) -> None:
    store.commit([SaveComposition(composition=a_composition(name)) for name in ("c0ffee", "decaf")])
    store.commit([born(a_process())])
    found = store.expired(Remnant.COMPOSITION, None, 10)
    assert found.keys == ("decaf",)
    store.commit([born(a_process(DB, composition_digest="decaf"))])
    change = RemoveExpired(kind=Remnant.COMPOSITION, before=None, expired=found, at=NOW)
    raises((ConflictError,), store, [change])
    assert store.composition("decaf") is not None


def _remove(store: Store, kind: Remnant, before: Instant | None = None) -> None:
    found = store.expired(kind, before, 100)
    assert found.keys, f"no {kind} can be removed"
    store.commit([RemoveExpired(kind=kind, before=before, expired=found, at=NOW)])


def _end(store: Store, name: str, *, state: str = "Terminated", **changes: Any) -> None:
    store.commit([ended(an_object(name, **{"target": state, **changes}), state)])
