"""The duties of every store for a commit: all of it or nothing, on the rows that are stored now, and only the rows that
it names."""

from collections.abc import Iterable
from dataclasses import replace

from tenuto.errors import BugError, ConflictError
from tenuto.model.command import Command
from tenuto.model.ids import Instant, LogicalId, ObjectId, PhysicalId
from tenuto.model.phase_map import PhaseStatus
from tenuto.model.process import IntentStage
from tenuto.ports.store import Store
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    SaveComposition,
    SaveJob,
    SaveObject,
    SavePlan,
    SaveProcess,
    StoreChange,
)
from tenuto_testing.store_bench import born, raises, saved, unchanged
from tenuto_testing.store_samples import (
    DB,
    OTHER_PHASE,
    PHASE,
    WEB,
    a_composition,
    a_job,
    a_move,
    a_plan,
    a_process,
    an_attempt,
    an_entry,
    an_event,
    an_intent,
    an_object,
    an_op,
    entries,
)


def what_was_stored_is_read_back_equal(store: Store) -> None:
    process = a_process(
        alias="web",
        lookups={"ami": "ami-1"},
        sealed={"Password": "x"},
        adopting={LogicalId("Net"): PhysicalId("net-1")},
        last_job=a_job(is_throttled=True),
        is_enforced=False,
        enforcement_until=Instant(900.0),
        unenforced_at=Instant(800.0),
        suspended_at=Instant(700.0),
        intent=an_intent(IntentStage.SERVED, command=Command.UPDATE, given_at=Instant(150.0), by="bob"),
        causes=("AccessDenied", "ExpiredToken"),
    )
    item = an_object(
        desired={"Tags": [{"Key": "a", "Value": 1}], "Size": 1.5, "Absent": None, "On": True},
        attributes={"Arn": "arn:x"},
        depends_on=(LogicalId("Net"), LogicalId("Box")),
        kept=("Tags", "Settings.Size"),
        phases=entries(
            an_entry(data={"token": "t"}, act=an_attempt()),
            an_entry(PhaseStatus.SLEEPING, OTHER_PHASE, wake_at=Instant(3.0), is_upkeep=True, failures=2),
        ),
    )
    store.commit([born(process), CreateObject(object=item, actor="tester")])
    assert store.process(WEB) == process
    assert store.object(item.object_id) == item
    assert store.objects(WEB) == (item,)


def a_commit_with_a_wrong_change_writes_nothing_of_it(store: Store) -> None:
    store.commit([born(a_process(alias="web")), CreateObject(object=an_object(), actor="tester")])
    for wrong in _wrong_changes():
        with unchanged(store):
            raises(
                (ConflictError, BugError),
                store,
                [
                    SaveProcess(process=a_process(alias="web", last_message="torn"), expected_generation=1),
                    CreateObject(object=an_object("obj-2"), actor="tester"),
                    SaveJob(job=a_job("job-torn")),
                    SavePlan(plan=a_plan("plan-torn")),
                    SaveComposition(composition=a_composition("torn")),
                    Append(events=(an_event(),), ops=(an_op("obj-1"),)),
                    wrong,
                ],
            )
        assert store.plan(a_plan("plan-torn").plan_id) is None
        assert store.composition("torn") is None
    store.commit([CreateObject(object=an_object("obj-2"), actor="tester")])


def changes_of_one_commit_see_each_other(store: Store) -> None:
    item = an_object()
    moved = replace(item, state="Allocation")
    store.commit(
        [
            born(a_process()),
            CreateObject(object=item, actor="tester"),
            SaveObject(object=moved, expected_generation=1, moves=(a_move("Validation", "Allocation"),)),
        ]
    )
    found = store.object(item.object_id)
    assert found is not None
    assert (found.state, found.generation) == ("Allocation", 2)


def a_save_on_an_old_generation_conflicts(store: Store) -> None:
    store.commit([born(a_process()), CreateObject(object=an_object(), actor="tester")])
    store.commit([SaveObject(object=an_object(message="newer"), expected_generation=1)])
    store.commit([SaveProcess(process=a_process(last_message="newer"), expected_generation=1)])
    for stale in (
        SaveObject(object=an_object(message="older"), expected_generation=1),
        SaveObject(object=an_object(message="from the future"), expected_generation=3),
        SaveProcess(process=a_process(last_message="older"), expected_generation=1),
        SaveObject(object=an_object("unknown"), expected_generation=1),
        SaveProcess(process=a_process(DB), expected_generation=1),
    ):
        with unchanged(store):
            raises((ConflictError,), store, [stale])


def old_news_is_a_conflict_even_when_its_move_is_illegal(store: Store) -> None:
    store.commit([born(a_process()), CreateObject(object=an_object(), actor="tester")])
    illegal = SaveObject(
        object=an_object(state="Started"), expected_generation=7, moves=(a_move("Validation", "Started"),)
    )
    raises((ConflictError,), store, [illegal])


def the_stored_generation_is_the_expected_one_plus_one(store: Store) -> None:
    store.commit([born(a_process()), CreateObject(object=an_object(), actor="tester")])
    store.commit(
        [
            SaveObject(object=an_object(generation=77), expected_generation=1),
            SaveProcess(process=a_process(generation=77), expected_generation=1),
        ]
    )
    process, item = store.process(WEB), store.object(ObjectId("obj-1"))
    assert process is not None
    assert item is not None
    assert (process.generation, item.generation) == (2, 2)


def only_what_a_save_names_is_written(store: Store) -> None:
    fresh = an_object(desired={"a": 1}, attributes={"b": 2}, phases=entries(an_entry(), an_entry(phase=OTHER_PHASE)))
    store.commit([born(a_process()), CreateObject(object=fresh, actor="tester")])
    changed = replace(
        fresh,
        message="under way",
        desired={"a": 9},
        attributes={},
        phases=entries(an_entry(PhaseStatus.RUNNING), an_entry(PhaseStatus.FAILED, OTHER_PHASE)),
    )
    store.commit([SaveObject(object=changed, expected_generation=1, entries=(PHASE,))])
    found = store.object(fresh.object_id)
    assert found is not None
    assert (found.message, found.desired, found.attributes) == ("under way", {"a": 1}, {"b": 2})
    assert {name: entry.status for name, entry in found.phases.items()} == {
        PHASE: PhaseStatus.RUNNING,
        OTHER_PHASE: PhaseStatus.WAITING,
    }
    store.commit([SaveObject(object=changed, expected_generation=2, documents=True)])
    found = store.object(fresh.object_id)
    assert found is not None
    assert (found.desired, found.attributes) == ({"a": 9}, {})


def an_entry_that_is_named_and_not_given_is_removed(store: Store) -> None:
    fresh = an_object(phases=entries(an_entry(), an_entry(phase=OTHER_PHASE)))
    store.commit([born(a_process()), CreateObject(object=fresh, actor="tester")])
    store.commit([SaveObject(object=replace(fresh, phases={}), expected_generation=1, entries=(PHASE,))])
    found = store.object(fresh.object_id)
    assert found is not None
    assert list(found.phases) == [OTHER_PHASE]


def a_plan_never_changes(store: Store) -> None:
    store.commit([SavePlan(plan=a_plan())])
    store.commit([SavePlan(plan=a_plan())])
    raises((BugError,), store, [SavePlan(plan=replace(a_plan(), unchanged=9))])
    assert store.plan(a_plan().plan_id) == a_plan()


def a_composition_is_stored_once_by_digest(store: Store) -> None:
    store.commit([SaveComposition(composition=a_composition())])
    store.commit([SaveComposition(composition=a_composition())])
    assert store.composition("c0ffee") == a_composition()
    assert store.composition("decaf") is None


def a_value_that_json_cannot_hold_is_refused(store: Store) -> None:
    for value in (object(), b"bytes", float("nan"), {1: "a"}, [float("inf")]):
        with unchanged(store):
            item = an_object(fid=None, desired={"bad": value})
            raises((BugError,), store, [CreateObject(object=item, actor="tester")])


def an_empty_commit_is_fine_and_close_is_fine_twice(store: Store) -> None:
    store.commit([])
    store.close()
    store.close()


def _wrong_changes() -> Iterable[StoreChange]:
    yield saved(state="Started", moves=(a_move("Validation", "Started"),))
    yield SaveObject(object=an_object(), expected_generation=9)
    yield born(a_process(DB, alias="web"))
    yield SaveJob(job=a_job(finished_at=None))
    yield CreateObject(object=an_object("obj-3", desired={"bad": object()}), actor="tester")
