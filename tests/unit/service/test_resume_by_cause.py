"""What one cause suspended is resumed at once: exactly those that the asker may resume, and that take it."""

from dataclasses import replace

import pytest
from front import Front, submission

from tenuto.errors import NotFoundError
from tenuto.model.command import Command, ProcessState
from tenuto.model.event import EventType
from tenuto.model.process import IntentStage, Process
from tenuto.model.resource import Move
from tenuto.ports.store_changes import SaveProcess
from tenuto.ports.store_reads import EventQuery
from tenuto.service.commands.causes import Asker, CauseView
from tenuto.service.commands.causes_view import causes_document
from tenuto.service.views.process_view import resume_by_cause
from tenuto_testing.store_samples import a_job, an_intent


def suspended(front: Front, alias: str, *causes: str, command: str = "run", **changes: object) -> Process:
    """A process that failures suspended."""
    front.clock.advance(1.0)
    before = front.commands.run(submission(), alias=alias)
    state = ProcessState.SUSPENDED
    after = replace(
        before,
        state=state,
        causes=causes,
        intent=an_intent(IntentStage.DONE, command=Command(command), by=before.intent.by),
        last_job=a_job(fid=before.fid, command=command, status="HALTED"),
        **changes,  # type: ignore[arg-type]
    )
    move = Move(before=before.state, after=state, at=front.clock.now(), actor="conductor", reason="failed")
    front.store.commit([SaveProcess(process=after, expected_generation=before.generation, moves=(move,))])
    return after


@pytest.fixture
def front() -> Front:
    front = Front()
    suspended(front, "one", "AccessDenied")
    suspended(front, "two", "AccessDenied", "BucketNotEmpty")
    suspended(front, "other", "ExpiredToken")
    suspended(front, "killed", "AccessDenied", command="kill")
    suspended(front, "locked", "AccessDenied", is_locked=True)
    return front


def chosen(view: CauseView) -> list[str | None]:
    return [process.alias for process in view.processes]


def left_out(view: CauseView) -> dict[str | None, str]:
    return {one.process.alias: one.why for one in view.left_out}


def states(front: Front) -> dict[str | None, str]:
    return {process.alias: process.state.value for process in front.store.processes()}


def test_the_list_names_what_would_be_resumed_and_why_others_are_left_out(front: Front) -> None:
    before = front.store.processes()
    view = front.commands.causes.suspended_by(["AccessDenied"])
    assert chosen(view) == ["one", "two"]
    assert left_out(view).keys() == {"killed", "locked"}
    assert "'tenuto kill killed' goes on" in left_out(view)["killed"]
    assert "'tenuto property locked lock --set off'" in left_out(view)["locked"]
    assert front.store.processes() == before
    assert front.store.events(EventQuery(types=(EventType.COMMAND_REFUSED,))) == ()


def test_all_that_the_cause_suspended_is_resumed_and_nothing_else(front: Front) -> None:
    view = front.commands.causes.resume(["AccessDenied"], asker=Asker(name="ann"))
    assert chosen(view) == ["one", "two"]
    assert states(front) == {
        "one": "Running",
        "two": "Running",
        "other": "Suspended",
        "killed": "Suspended",
        "locked": "Suspended",
    }
    for process in view.processes:
        assert (process.intent.waiting, process.intent.by, process.causes) == (Command.RESUME, "ann", ())
        [_, given] = front.store.history(process.fid).commands
        assert (given.command, given.actor) == (Command.RESUME, "ann")


def test_several_causes_may_be_named(front: Front) -> None:
    assert chosen(front.commands.causes.resume(["ExpiredToken", "BucketNotEmpty"])) == ["two", "other"]


def test_only_what_was_shown_is_resumed(front: Front) -> None:
    shown = [process.fid for process in front.commands.causes.suspended_by(["AccessDenied"]).processes]
    suspended(front, "late", "AccessDenied")
    view = front.commands.causes.resume(["AccessDenied"], only=shown)
    assert chosen(view) == ["one", "two"]
    assert "after the list was made" in left_out(view)["late"]
    assert states(front)["late"] == "Suspended"


def test_a_process_that_a_user_suspends_while_the_others_are_resumed_stays_suspended(front: Front) -> None:
    def interrupt(process: Process) -> str:
        if process.alias == "locked" and states(front)["two"] == "Suspended":
            front.commands.resume("two")
            front.commands.suspend("two")
        return ""

    view = front.commands.causes.resume(["AccessDenied"], asker=Asker(refusal=interrupt))
    assert chosen(view) == ["one"]
    assert "stays so" in left_out(view)["two"]
    assert states(front)["two"] == "Suspended"


def test_what_the_asker_may_not_resume_is_left_out_and_named_only_where_they_may_see_it(front: Front) -> None:
    asker = Asker(
        name="ann",
        sees=lambda process: process.alias != "killed",
        refusal=lambda process: "" if process.alias == "two" else "no grant of the policy allows it",
    )
    view = front.commands.causes.resume(["AccessDenied"], asker=asker)
    assert chosen(view) == ["two"]
    assert left_out(view) == dict.fromkeys(("one", "locked"), "no grant of the policy allows it")
    assert view.hidden == 1
    assert states(front)["one"] == "Suspended"


def test_a_process_that_a_user_suspended_has_no_cause(front: Front) -> None:
    front.commands.resume("one")
    front.commands.suspend("one")
    assert "one" not in chosen(front.commands.causes.suspended_by(["AccessDenied"]))


def test_a_cause_that_suspended_nothing_is_told_with_those_that_did(front: Front) -> None:
    with pytest.raises(NotFoundError, match=r"suspended by Accessdenied.*AccessDenied \(4\).*ExpiredToken \(1\)"):
        front.commands.causes.resume(["Accessdenied"])
    with pytest.raises(NotFoundError, match="No process is suspended by a failure"):
        Front().commands.causes.suspended_by(["AccessDenied"])


def test_the_command_that_resumes_is_named_for_a_process(front: Front) -> None:
    found = {process.alias: resume_by_cause(process) for process in front.store.processes()}
    assert found["one"] == "tenuto resume --cause AccessDenied"
    assert found["two"] == "tenuto resume --cause AccessDenied --cause BucketNotEmpty"
    assert found["killed"] == ""


def test_the_document_says_whether_it_was_done(front: Front) -> None:
    view = front.commands.causes.suspended_by(["ExpiredToken"])
    document = causes_document(view, is_done=False)
    assert (document["causes"], document["resumed"], document["hidden"]) == (["ExpiredToken"], False, 0)
    assert [one["alias"] for one in document["processes"]] == ["other"]
