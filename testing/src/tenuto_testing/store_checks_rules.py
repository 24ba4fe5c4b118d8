"""The refusals of every store: moves past the lifecycles, and other values that must not be stored."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tenuto.errors import BugError, ConflictError, IllegalTransitionError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.command import ProcessState
from tenuto.model.ids import Fid, Instant, ObjectId
from tenuto.model.job import JobKind, JobStatus
from tenuto.model.phase_map import PhaseStatus
from tenuto.ports.store import Store
from tenuto.ports.store_changes import CreateObject, SaveJob, SaveObject, SaveProcess
from tenuto.ports.store_reads import EventQuery
from tenuto_testing.store_bench import born, moved, raises, saved, unchanged
from tenuto_testing.store_samples import (
    DB,
    PHASE,
    THERE,
    WEB,
    a_job,
    a_move,
    a_process,
    an_entry,
    an_object,
    entries,
)


def an_illegal_move_names_everything_and_changes_nothing(store: Store) -> None:
    """For each type, from each state that it can be born in."""
    store.commit([born(a_process())])
    for table in CATALOGUE.values():
        for state in sorted(table.initial):
            name = f"{table.name}-{state}"
            if table.name == "process":
                continue
            item = an_object(name, fid=None, lifecycle=table.name, state=state, target=state)
            store.commit([CreateObject(object=item, actor="tester")])
            for after in sorted(frozenset(table.states) - table.rows[state] - {state}):
                illegal = SaveObject(
                    object=replace(item, state=after), expected_generation=1, moves=(a_move(state, after),)
                )
                with unchanged(store):
                    error = raises((IllegalTransitionError,), store, [illegal])
                assert store.object(item.object_id) == item
                words = (table.name, name, state, after, *table.rows[state])
                assert all(word in str(error) for word in words), f"{error} lacks one of {words}"


def an_object_is_born_in_an_initial_state_only(store: Store) -> None:
    for table in CATALOGUE.values():
        for state in sorted(frozenset(table.states) - table.initial):
            with unchanged(store):
                if table.name == "process":
                    raises((IllegalTransitionError,), store, [born(a_process(state=ProcessState(state)))])
                else:
                    item = an_object(fid=None, lifecycle=table.name, state=state, target=state)
                    raises((IllegalTransitionError,), store, [CreateObject(object=item, actor="tester")])


def a_process_moves_along_its_lifecycle_only(store: Store) -> None:
    store.commit([born(a_process())])
    store.commit([moved(a_process(), "Running", "Suspended", 1), moved(a_process(), "Suspended", "Killing", 2)])
    with unchanged(store):
        raises((IllegalTransitionError,), store, [moved(a_process(), "Killing", "Running", 3)])
    store.commit([moved(a_process(), "Killing", "Gone", 3)])
    with unchanged(store):
        raises((IllegalTransitionError,), store, [moved(a_process(), "Gone", "Running", 4)])


def moves_lead_from_the_stored_state_to_the_given_one(store: Store) -> None:
    store.commit([born(a_process()), CreateObject(object=an_object(), actor="tester")])
    for state, moves in (
        ("Allocation", ()),
        ("Validation", (a_move("Validation", "Allocation"),)),
        ("Initialization", (a_move("Allocation", "Initialization"),)),
        ("Configuration", (a_move("Validation", "Allocation"), a_move("Initialization", "Configuration"))),
    ):
        with unchanged(store):
            raises((BugError,), store, [saved(state=state, moves=moves)])


def every_move_writes_one_event_and_the_same_state_none(store: Store) -> None:
    store.commit([born(a_process(alias="web")), CreateObject(object=an_object(), actor="maker", reason="plan")])
    moves = (
        a_move("Validation", "Allocation", 201.0),
        a_move("Allocation", "Allocation", 202.0),
        a_move("Allocation", "Terminated", 203.0, "Vanished"),
    )
    store.commit([saved(state="Terminated", moves=moves), moved(a_process(), "Running", "Suspended", 1)])
    told = [
        (event.number, event.type, event.at, event.subject, event.before, event.after, event.actor, event.reason)
        for event in store.events(EventQuery())
    ]
    assert told == [
        (1, "process.state", 100.0, "web", "nothing", "Running", "tester", ""),
        (2, "object.state", 100.0, "Lobj-1", "nothing", "Validation", "maker", "plan"),
        (3, "object.state", 201.0, "Lobj-1", "Validation", "Allocation", "tester", ""),
        (4, "object.state", 203.0, "Lobj-1", "Allocation", "Terminated", "tester", "Vanished"),
        (5, "process.state", 200.0, "web", "Running", "Suspended", "tester", ""),
    ], told
    assert {event.fid for event in store.events(EventQuery())} == {WEB}


def an_alias_belongs_to_one_live_process(store: Store) -> None:
    store.commit([born(a_process(alias="web")), born(a_process(DB))])
    with unchanged(store):
        error = raises((ConflictError,), store, [born(a_process(Fid("third"), alias="web"))])
        assert all(word in str(error) for word in ("web", WEB)), error
        raises((ConflictError,), store, [SaveProcess(process=a_process(DB, alias="web"), expected_generation=1)])
        raises((BugError,), store, [SaveProcess(process=a_process(DB, alias=""), expected_generation=1)])
    store.commit([SaveProcess(process=a_process(alias="site"), expected_generation=1)])
    store.commit([SaveProcess(process=a_process(DB, alias="web"), expected_generation=1)])
    gone = a_process(DB, alias="web", state=ProcessState.GONE, ended_at=Instant(300.0))
    store.commit([SaveProcess(process=gone, expected_generation=2, moves=(a_move("Running", "Gone"),))])
    store.commit([born(a_process(Fid("third"), alias="web"))])


def an_object_stays_what_it_was_created_as(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB)), CreateObject(object=an_object(), actor="tester")])
    others: Sequence[dict[str, Any]] = (
        {"lifecycle": "cloud_node"},
        {"type": "Other"},
        {"fid": DB},
        {"logical_id": "Other"},
        {"partition": THERE},
        {"incarnation": 2},
        {"created_at": 1.0},
    )
    for other in others:
        with unchanged(store):
            raises((BugError,), store, [SaveObject(object=an_object(**other), expected_generation=1)])
    with unchanged(store):
        raises((BugError,), store, [SaveProcess(process=a_process(partition=THERE), expected_generation=1)])


def ids_and_addresses_are_given_once(store: Store) -> None:
    store.commit([born(a_process()), CreateObject(object=an_object(), actor="tester")])
    with unchanged(store):
        raises((ConflictError,), store, [born(a_process())])
        raises((ConflictError,), store, [CreateObject(object=an_object(logical_id="New"), actor="tester")])
        same_address = an_object("obj-2", logical_id="Lobj-1")
        raises((ConflictError,), store, [CreateObject(object=same_address, actor="tester")])
    store.commit([CreateObject(object=replace(same_address, incarnation=2), actor="tester")])


def an_object_needs_its_process_and_a_known_lifecycle(store: Store) -> None:
    for item in (an_object(), an_object(fid=None, lifecycle="unheard"), an_object(fid=None, target="unheard")):
        with unchanged(store):
            raises((BugError,), store, [CreateObject(object=item, actor="tester")])


def a_message_needs_an_error_state_or_a_failed_phase(store: Store) -> None:
    """For types that have error states; the others carry progress."""
    blob = an_object(
        "blob-1", fid=None, lifecycle="blob", state="initial", target="created", phases=entries(an_entry())
    )
    store.commit([CreateObject(object=blob, actor="tester")])
    loud = replace(blob, message="no space left")
    with unchanged(store):
        raises((BugError,), store, [SaveObject(object=loud, expected_generation=1)])
        raises((BugError,), store, [CreateObject(object=replace(loud, object_id=ObjectId("blob-2")), actor="tester")])
    failed = replace(loud, phases=entries(an_entry(PhaseStatus.FAILED)))
    with unchanged(store):
        raises((BugError,), store, [SaveObject(object=failed, expected_generation=1)])
    store.commit([SaveObject(object=failed, expected_generation=1, entries=(PHASE,))])
    store.commit([SaveObject(object=replace(failed, message=""), expected_generation=2)])
    broken = replace(loud, state="error", phases=entries(an_entry(PhaseStatus.CANCELED)))
    store.commit(
        [SaveObject(object=broken, expected_generation=3, moves=(a_move("initial", "error"),), entries=(PHASE,))]
    )
    store.commit([CreateObject(object=an_object("res-1", fid=None, message="waits"), actor="tester")])


def one_job_of_a_process_runs_at_a_time(store: Store) -> None:
    running = a_job(status=JobStatus.RUNNING)
    store.commit([SaveJob(job=running)])
    second = a_job("job-2", status=JobStatus.RUNNING)
    raises((ConflictError,), store, [SaveJob(job=second)])
    assert store.job("job-2") is None
    store.commit([SaveJob(job=replace(second, kind=JobKind.DRY_RUN))])
    store.commit([SaveJob(job=a_job("job-3", fid=DB, status=JobStatus.RUNNING))])
    done = replace(running, status=JobStatus.SUCCEEDED, finished_at=Instant(250.0), message="done")
    store.commit([SaveJob(job=done), SaveJob(job=a_job("job-4", status=JobStatus.RUNNING))])
    assert store.job("job-1") == done


def a_job_stays_with_its_process(store: Store) -> None:
    store.commit([SaveJob(job=a_job())])
    raises((BugError,), store, [SaveJob(job=a_job(fid=DB))])
    assert store.job("job-1") == a_job()


def a_job_that_ended_has_an_end(store: Store) -> None:
    raises((BugError,), store, [SaveJob(job=a_job(finished_at=None))])
    raises((BugError,), store, [SaveJob(job=a_job(status=JobStatus.RUNNING, finished_at=Instant(1.0)))])
