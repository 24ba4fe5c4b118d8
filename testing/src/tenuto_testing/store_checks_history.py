"""Answers that every store must give about the past: the history of a process, and events."""

from dataclasses import replace

from tenuto.model.command import Command
from tenuto.model.event import EventType
from tenuto.model.ids import Fid, Instant
from tenuto.model.job import JobKind, JobStatus
from tenuto.model.process import CommandRecord
from tenuto.ports.store import Store
from tenuto.ports.store_changes import (
    Append,
    CreateObject,
    CreateProcess,
    SaveJob,
    SaveObject,
)
from tenuto.ports.store_reads import EventQuery
from tenuto_testing.store_bench import add, born, moved
from tenuto_testing.store_samples import (
    DB,
    WEB,
    a_command,
    a_job,
    a_move,
    a_process,
    an_event,
    an_intent,
    an_object,
    an_op,
)


def history_is_oldest_first_and_keeps_the_newest(store: Store) -> None:
    store.commit([born(a_process()), born(a_process(DB))])
    add(store, "o1")
    add(store, "o2", fid=DB)
    commands = tuple(
        CommandRecord(fid=WEB, command=Command.UPDATE, at=Instant(at), actor="me", detail=str(at))
        for at in (30.0, 10.0, 20.0)
    )
    ops = (an_op("o1", at=30.0), an_op("o2", "o1", at=10.0), an_op("o2", at=20.0), an_op("o9", at=1.0), an_op(at=2.0))
    store.commit([Append(commands=commands, ops=ops)])
    for name, at in (("j3", 30.0), ("j1", 10.0), ("j2", 10.0)):
        store.commit([SaveJob(job=a_job(name, started_at=Instant(at)))])
    whole = store.history(WEB)
    assert [command.at for command in whole.commands] == [10.0, 20.0, 30.0]
    assert [job.job_id for job in whole.jobs] == ["j1", "j2", "j3"]
    assert whole.ops == (ops[1], ops[0])
    assert store.history(DB).ops == (ops[1], ops[2])
    newest = store.history(WEB, limit=1)
    assert (newest.commands[0].at, newest.jobs[0].job_id, newest.ops) == (30.0, "j3", (ops[0],))
    window = store.history(WEB, start=Instant(10.0), end=Instant(20.0))
    assert ([command.at for command in window.commands], len(window.jobs), len(window.ops)) == ([10.0, 20.0], 2, 1)
    assert store.history(Fid("nobody")).jobs == ()


def history_of_one_instant_has_a_fixed_order(store: Store) -> None:
    """Commands as they were given, jobs by their end: the random id of a job says nothing about its place."""
    store.commit([born(a_process())])
    for detail in ("first", "second", "third"):
        store.commit([Append(commands=(a_command(detail=detail),))])
    store.commit([SaveJob(job=a_job("b", status=JobStatus.RUNNING, is_throttled=True))])
    for name, end in (("c", 201.0), ("a", 203.0), ("d", 202.0)):
        store.commit([SaveJob(job=a_job(name, finished_at=Instant(end)))])
    found = store.history(WEB)
    assert [command.detail for command in found.commands] == ["first", "second", "third"]
    assert [job.job_id for job in found.jobs] == ["c", "d", "a", "b"]
    assert [job.job_id for job in store.history(WEB, limit=2).jobs] == ["a", "b"]


def history_names_who_asked(store: Store) -> None:
    """Commands, jobs, dry runs, moves and events each keep their actor, and so does the process."""
    store.commit([CreateProcess(process=a_process(intent=an_intent(by="eve")), actor="eve")])
    store.commit([moved(a_process(intent=an_intent(by="bob")), "Running", "Suspended")])
    store.commit([Append(commands=(a_command(actor="bob"),), events=(an_event(actor="cat"),))])
    jobs = (a_job("j1", actor="dan"), a_job("j2", actor="fay", kind=JobKind.DRY_RUN, started_at=Instant(300.0)))
    store.commit([SaveJob(job=job) for job in jobs])
    store.commit([SaveJob(job=replace(jobs[0], actor="gus"))])
    process, found = store.process(WEB), store.history(WEB)
    assert process is not None
    assert process.intent.by == "bob"
    assert [command.actor for command in found.commands] == ["bob"]
    assert [job.actor for job in found.jobs] == ["gus", "fay"]
    assert [event.actor for event in store.events(EventQuery(fid=WEB))] == ["eve", "tester", "cat"]


def a_move_names_who_asked_and_what_moved_the_object(store: Store) -> None:
    item = an_object(fid=None)
    store.commit([CreateObject(object=item, actor="ann", by="plan p-1")])
    move = replace(a_move("Validation", "Allocation"), actor="bob", by="phase create")
    store.commit([SaveObject(object=replace(item, state="Allocation"), expected_generation=1, moves=(move,))])
    told = [(event.actor, event.data) for event in store.events(EventQuery())]
    assert told == [("ann", {"by": "plan p-1"}), ("bob", {"by": "phase create"})]


def history_outlives_the_process(store: Store) -> None:
    store.commit([born(a_process(alias="web")), SaveJob(job=a_job())])
    store.commit([moved(a_process(alias="web"), "Running", "Gone", ended_at=Instant(300.0))])
    assert store.history(WEB).jobs == (a_job(),)
    assert [event.after for event in store.events(EventQuery(fid=WEB))] == ["Running", "Gone"]


def events_are_numbered_and_chosen(store: Store) -> None:
    given = (
        an_event(10.0, data={"a": [1]}),
        an_event(20.0, DB, type=EventType.JOB_FINISHED),
        an_event(30.0, None, type=EventType.CONDUCTOR),
        an_event(40.0, number=99),
    )
    store.commit([Append(events=given[:2])])
    store.commit([Append(events=given[2:])])
    numbered = tuple(replace(event, number=number) for number, event in enumerate(given, start=1))
    assert store.events(EventQuery()) == numbered
    for query, numbers in (
        (EventQuery(fid=WEB), [1, 4]),
        (EventQuery(fid=DB), [2]),
        (EventQuery(types=("job.finished", "conductor")), [2, 3]),
        (EventQuery(fid=WEB, types=("conductor",)), []),
        (EventQuery(start=Instant(20.0), end=Instant(30.0)), [2, 3]),
        (EventQuery(after=2), [3, 4]),
        (EventQuery(fid=WEB, after=1), [4]),
        (EventQuery(before=3), [1, 2]),
        (EventQuery(before=4, limit=2), [2, 3]),
        (EventQuery(fid=WEB, before=4), [1]),
        (EventQuery(limit=3), [2, 3, 4]),
        (EventQuery(limit=0), []),
    ):
        assert [event.number for event in store.events(query)] == numbers, query
