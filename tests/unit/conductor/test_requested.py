"""Commits that are made while a request is answered carry its id, and no others do."""

import threading
from dataclasses import replace

from tenuto.conductor.stores.requested import requested, stamped
from tenuto.kit.current_request import CurrentRequest
from tenuto.ports.store_changes import Append, SaveJob, SaveObject
from tenuto.ports.store_reads import EventQuery
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.store_bench import born
from tenuto_testing.store_samples import a_command, a_job, a_move, a_process, an_event, an_object

ASKED = "7e57ab1e"


def test_what_is_committed_within_is_of_the_request_and_what_comes_after_is_not() -> None:
    current = CurrentRequest()
    store = requested(MemoryStore(), current)
    with current.of(ASKED):
        store.commit([born(a_process()), Append(events=(an_event(),))])
    store.commit([Append(events=(an_event(),))])
    assert [one.request for one in store.events(EventQuery())] == [ASKED, ASKED, ""]


def test_a_thread_that_no_request_began_has_none() -> None:
    current = CurrentRequest()
    seen: list[str] = []
    with current.of(ASKED):
        other = threading.Thread(target=lambda: seen.append(current.request))
        other.start()
        other.join()
    assert seen == [""]


def test_what_names_a_request_keeps_it() -> None:
    given = Append(events=(replace(an_event(), request="0ddba11a"),), commands=(a_command(),))
    after = stamped(given, ASKED)
    assert isinstance(after, Append)
    assert [one.request for one in (*after.events, *after.commands)] == ["0ddba11a", ASKED]
    job = stamped(SaveJob(job=replace(a_job(), request="0ddba11a")), ASKED)
    assert isinstance(job, SaveJob)
    assert job.job.request == "0ddba11a"


def test_an_object_of_no_process_keeps_the_request_and_one_of_a_process_does_not() -> None:
    moves = (a_move("Validation", "Allocation"),)
    for fid, request in ((None, ASKED), (a_process().fid, "")):
        after = stamped(SaveObject(object=an_object(fid=fid), expected_generation=1, moves=moves), ASKED)
        assert isinstance(after, SaveObject)
        assert (after.object.request, after.moves[0].request) == (request, ASKED)
