"""The board: ordered by what needs a person, read again only where something changed."""

from dataclasses import replace

import pytest
from front import NETWORK, Front, entry, submission

from tenuto.errors import UserError
from tenuto.lifecycles.resource import ResourceState
from tenuto.model.command import ProcessState
from tenuto.model.drift import Drift, DriftKind
from tenuto.model.ids import Instant, LogicalId, ObjectId
from tenuto.ports.store_changes import SaveDrifts, SaveProcess
from tenuto.service.queries.board import BoardQuery
from tenuto.service.queries.board_view import board_document


def names(front: Front, **query: object) -> list[str]:
    return [row.name for row in front.services.board.page(BoardQuery(**query)).rows]  # type: ignore[arg-type]


def converge(front: Front, alias: str) -> None:
    process = front.store.process(alias)
    assert process
    intent = replace(process.intent, stage="served")
    done = replace(process, converged_at=front.clock.now(), intent=intent)
    front.store.commit([SaveProcess(process=done, expected_generation=process.generation)])


@pytest.fixture
def front() -> Front:
    found = Front()
    for alias in ("calm", "failed", "busy"):
        found.commands.run(submission(), alias=alias)
    converge(found, "calm")
    process = found.store.process("failed")
    assert process
    found.add_object(process, "Net", phases={"resource.create": entry("resource.create", "Failed", message="no room")})
    return found


def test_what_needs_a_person_comes_first(front: Front) -> None:
    assert names(front) == ["failed", "busy", "calm"]
    assert names(front, whys=("as-declared",)) == ["calm"]
    assert names(front, sort="name") == ["busy", "calm", "failed"]
    assert names(front, text="AI") == ["failed"]


def test_counts_follow_what_is_committed(front: Front) -> None:
    def counts() -> tuple[int, int, int]:
        [row] = front.services.board.page(BoardQuery(text="calm")).rows
        return row.counts.total, row.counts.ready, row.counts.failed

    assert counts() == (0, 0, 0)
    process = front.store.process("calm")
    assert process
    front.add_object(process, "Net", target=ResourceState.VALIDATION)
    front.add_object(process, "Sub")
    assert counts() == (2, 1, 0)


def test_a_drift_that_stands_turns_a_calm_row(front: Front) -> None:
    process = front.store.process("calm")
    assert process
    assert front.services.board.why(process.fid) == "as-declared"
    drift = Drift(
        logical_id=LogicalId("Net"), object_id=ObjectId("o"), type=NETWORK, physical_id=None, kind=DriftKind.CHANGED,
        digest="d", found_at=Instant(1.0),
    )  # fmt: skip
    front.store.commit([SaveDrifts(fid=process.fid, saved=(drift,))])
    assert front.services.board.why(process.fid) == "drift"
    front.store.commit([SaveDrifts(fid=process.fid, removed=(LogicalId("Net"),))])
    assert front.services.board.why(process.fid) == "as-declared"


def test_a_pause_of_enforcement_and_a_suspension_are_told_since_their_command_and_not_a_later_one(
    front: Front,
) -> None:
    def since() -> Instant:
        [row] = front.services.board.page(BoardQuery(text="calm")).rows
        return row.since

    begun = front.clock.now()
    front.commands.set_property("calm", "enforcement", "off")
    for later in (("lock", "on"), ("lock", "off"), ("enforcement", "off")):
        front.clock.advance(60)
        front.commands.set_property("calm", *later)
        assert (names(front, whys=("not-enforced",)), since()) == (["calm"], begun)
    front.clock.advance(60)
    suspended = front.clock.now()
    front.commands.suspend("calm")
    for later in (("lock", "on"), ("lock", "off"), ("enforcement", "on")):
        front.clock.advance(60)
        front.commands.set_property("calm", *later)
        assert since() == suspended
    front.commands.resume("calm")
    assert since() == front.clock.now()


def test_pages_go_on_where_they_ended_while_rows_come_and_go(front: Front) -> None:
    first = front.services.board.page(BoardQuery(sort="name", limit=1))
    front.commands.run(submission(), alias="aaa")
    assert [row.name for row in first.rows] == ["busy"]
    second = front.services.board.page(BoardQuery(sort="name", limit=1, after=first.next))
    assert [row.name for row in second.rows] == ["calm"]
    last = front.services.board.page(BoardQuery(sort="name", limit=9, after=second.next))
    assert ([row.name for row in last.rows], last.next) == (["failed"], "")


@pytest.mark.parametrize("query", [{"sort": "colour"}, {"after": "bm8"}, {"after": "!"}, {"after": "WyJhIl0="}])
def test_a_wrong_question_is_refused(front: Front, query: dict[str, str]) -> None:
    with pytest.raises(UserError):
        names(front, **query)


def test_one_cause_of_several_processes_is_told_once(front: Front) -> None:
    for alias in ("one", "two"):
        process = front.commands.run(submission(), alias=alias)
        found = front.store.process(process.fid)
        assert found
        message = f"HALTED: {alias} is refused"
        front.store.commit(
            [
                SaveProcess(
                    process=replace(front.commands.suspend(alias), causes=("AccessDenied",), last_message=message),
                    expected_generation=found.generation + 1,
                )
            ]
        )
    document = board_document(front.services.board.page(BoardQuery()))
    by_code = {one["code"]: one for one in document["causes"]}
    assert by_code["AccessDenied"]["count"] == 2
    assert by_code["AccessDenied"]["command"] == "tenuto resume --cause AccessDenied"
    assert document["needs_you"] == 3


def test_a_process_that_is_gone_leaves_the_board(front: Front) -> None:
    process = front.store.process("calm")
    assert process
    assert "calm" in names(front)
    killed = front.commands.kill("calm")
    gone = replace(killed, state=ProcessState.GONE, ended_at=front.clock.now())
    from tenuto.model.resource import Move

    move = Move(before="Killing", after="Gone", at=front.clock.now(), actor="test")
    front.store.commit([SaveProcess(process=gone, expected_generation=killed.generation, moves=(move,))])
    assert "calm" not in names(front)
    assert front.services.board.why(process.fid) is None
