"""The names of the processes of events, and how few of them are asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from front import Front, submission

from tenuto.model.command import ProcessState
from tenuto.model.event import Event
from tenuto.model.ids import Fid
from tenuto.model.resource import Move
from tenuto.ports.store_changes import SaveProcess
from tenuto.ports.store_reads import EventQuery
from tenuto.service.event_names import event_names


def test_the_store_is_asked_for_the_names_of_processes_that_are_gone_and_of_no_others() -> None:
    front = Front()
    live = [front.commands.run(submission(), alias=name).fid for name in ("one", "two")]
    front.commands.run(submission(), alias="three")
    killed = front.commands.kill("three")
    gone = replace(killed, state=ProcessState.GONE, ended_at=front.clock.now())
    move = Move(before="Killing", after="Gone", at=front.clock.now(), actor="test")
    front.store.commit([SaveProcess(process=gone, expected_generation=killed.generation, moves=(move,))])
    asked: list[Fid] = []
    names_of = front.services.queries.process_names

    def noted(events: Iterable[Event]) -> Mapping[Fid, str]:
        found = tuple(events)
        asked.extend(one.fid for one in found if one.fid)
        return names_of(found)

    front.services.queries.process_names = noted  # type: ignore[method-assign]
    events = front.store.events(EventQuery(limit=100))
    assert event_names(front.services, events) == {live[0]: "one", live[1]: "two", gone.fid: "three"}
    assert set(asked) == {gone.fid}
