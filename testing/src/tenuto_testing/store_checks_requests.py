"""The answers of every store about an API request: all that it caused, by its id, and nothing of any other."""

from dataclasses import replace

from tenuto.model.ids import Fid
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, CreateObject, CreateProcess, SaveJob, SaveObject
from tenuto.ports.store_reads import EventQuery
from tenuto_testing.store_bench import born
from tenuto_testing.store_samples import DB, WEB, a_command, a_job, a_move, a_process, an_event, an_intent, an_object

ASKED, OTHER = "7e57ab1e", "0ddba11a"


def commands_jobs_and_events_of_a_request_are_found_by_its_id(store: Store) -> None:
    store.commit([born(a_process(WEB)), born(a_process(DB))])
    given = tuple(replace(a_command(fid=fid), request=ASKED) for fid in (WEB, DB))
    others = (replace(a_command(fid=WEB), request=OTHER), a_command(fid=WEB))
    job = replace(a_job(fid=WEB), request=ASKED)
    told = tuple(replace(an_event(fid=fid), request=request) for fid in (WEB, None) for request in (ASKED, OTHER, ""))
    store.commit([SaveJob(job=job), Append(commands=(*given, *others), events=told)])
    found = store.history_of_request(ASKED, 10)
    assert found.commands == given
    assert found.jobs == (job,)
    assert [one.fid for one in store.events(EventQuery(request=ASKED))] == [WEB, None]
    assert [one.fid for one in store.events(EventQuery(request=ASKED, fid=WEB))] == [WEB]
    assert len(store.history_of_request(ASKED, 1).commands) == 1
    assert [one.request for one in store.events(EventQuery(request=ASKED, limit=1))] == [ASKED]


def no_request_is_not_a_request(store: Store) -> None:
    store.commit([born(a_process(WEB)), Append(commands=(a_command(fid=WEB),), events=(an_event(fid=WEB),))])
    assert store.history_of_request("", 10).commands == ()
    assert len(store.events(EventQuery(fid=WEB))) == 2
    assert store.history_of_request("never-sent", 10).jobs == ()


def the_events_of_births_and_moves_carry_the_request(store: Store) -> None:
    item = an_object(fid=WEB)
    store.commit([CreateProcess(process=a_process(WEB), actor="ann", request=ASKED)])
    store.commit([CreateObject(object=item, actor="ann", request=ASKED)])
    move = replace(a_move(item.state, "Allocation"), request=OTHER)
    store.commit(
        [SaveObject(object=replace(item, state="Allocation"), expected_generation=item.generation, moves=(move,))]
    )
    assert [one.after for one in store.events(EventQuery(request=ASKED))] == ["Running", item.state]
    assert [one.after for one in store.events(EventQuery(request=OTHER))] == ["Allocation"]


def a_process_keeps_the_request_of_its_command_and_an_object_its_own(store: Store) -> None:
    asked = replace(a_process(Fid("asked")), intent=replace(an_intent(), request=ASKED))
    item = replace(an_object(fid=None), request=ASKED)
    store.commit([born(asked), CreateObject(object=item, actor="ann")])
    assert store.process("asked") == asked
    assert store.selected([item.object_id]) == (item,)
    later = replace(item, request=OTHER)
    store.commit([SaveObject(object=later, expected_generation=item.generation)])
    [stored] = store.selected([item.object_id])
    assert stored.request == OTHER
