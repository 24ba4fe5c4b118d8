"""A command that changes a process shows its plan before its question, and what was shown is what is done."""

import sys
from collections.abc import Callable

import pytest
from desk import BKT, NET, SUB, WEB, Desk
from person import Person
from terminal import Ended

from tenuto.cli.terminal.exits import Exit
from tenuto.providers.simulated.faults import FaultKind

LABELLED = NET.replace("Label: main", "Label: other")
MOVED = NET.replace("10.0.0.0/16", "10.0.0.0/15")


@pytest.fixture
def ask(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Type a command at a terminal, and give these answers."""

    def asked(*words: str, answers: tuple[str | Callable[[], str], ...]) -> Ended:
        person = Person(answers)
        monkeypatch.setattr(sys, "stdin", person)
        ended = desk(*words)
        assert person.is_done, ended
        return ended

    return asked


def test_the_plan_stands_above_the_question_and_its_counts_in_it(desk: Desk, ask: Callable[..., Ended]) -> None:
    desk.runs(NET, SUB)
    ended = ask("update", "web", desk.template(LABELLED, SUB), answers=("n",))
    assert ended.code == Exit.DECLINED
    assert ended.err.index("~ modify Net") < ended.err.index("Update process web")
    assert 'Label: "main" → "other"' in ended.err
    assert "1 modify. [y/N]" in ended.err
    assert desk.real("Net").properties["Label"] == "main"


def test_the_plan_that_was_shown_is_the_plan_of_the_job(desk: Desk, ask: Callable[..., Ended]) -> None:
    desk.runs(NET, SUB)
    assert ask("update", "web", desk.template(LABELLED, SUB), answers=("y",)).code == Exit.DONE
    desk.settle()
    assert desk.real("Net").properties["Label"] == "other"
    history = desk.document("history", "web")
    assert [one["kind"] for one in history["jobs"]] == ["command", "command"], "the shown plan leaves no trace"
    assert "plan " in history["commands"][-1]["detail"]


def test_a_plan_that_moved_between_question_and_answer_is_shown_again(desk: Desk, ask: Callable[..., Ended]) -> None:
    desk.runs(NET, SUB)
    net = desk.real("Net").physical_id

    def drift() -> str:
        desk.world.cloud.tamper(net, "Label", "strange")
        desk.world.clock.advance(1.0)
        return "y"

    ended = ask("update", "web", desk.template(LABELLED, SUB), answers=(drift, "y"))
    assert ended.code == Exit.DONE, ended
    assert "The plan has changed since it was shown, and nothing was done:" in ended.err
    assert 'Label: "strange" → "other"' in ended.err
    desk.settle()
    assert desk.real("Net").properties["Label"] == "other"


def test_more_than_five_deletions_take_the_name(desk: Desk, ask: Callable[..., Ended]) -> None:
    many = [
        f"  N{number}: {{Type: Simulated::Network, Properties: {{CidrBlock: 10.{number}.0.0/16}}}}"
        for number in range(6)
    ]
    desk.runs(*many)
    ended = ask("kill", "web", answers=("y",))
    assert ended.code == Exit.DECLINED
    assert "6 DELETE. Type web to confirm" in ended.err
    assert "'y' is not web. Nothing was done." in ended.err
    assert desk.status()["state"] == "Running"
    assert ask("kill", "web", answers=("web",)).code == Exit.DONE
    desk.settle()
    assert desk.things() == {}


def test_what_holds_data_is_named_and_takes_the_name(desk: Desk, ask: Callable[..., Ended]) -> None:
    desk.runs(NET, BKT)
    ended = ask("update", "web", desk.template(NET), answers=("web",))
    assert "1 DELETE (data: Bkt). Type web to confirm" in ended.err
    desk.settle()
    assert desk.status()["resources"].keys() == {"Net"}


def test_nothing_to_do_is_said_without_a_question(desk: Desk, ask: Callable[..., Ended]) -> None:
    desk.runs()
    for words in (("update", "web", desk.template()), ("apply", desk.template(), "-a", "web")):
        ended = ask(*words, answers=())
        assert ended.code == Exit.DONE
        assert "Nothing to do: web is as declared." in ended.err
        assert "[y/N]" not in ended.err
    assert [one["command"] for one in desk.document("history", "web")["commands"]] == ["run"]


def test_nothing_to_do_is_said_where_no_person_can_answer(desk: Desk) -> None:
    desk.runs()
    for words in (("update", "web", desk.template()), ("apply", desk.template(), "-a", "web")):
        ended = desk(*words)
        assert (ended.code, "Nothing to do: web is as declared." in ended.err) == (Exit.DONE, True), ended
    assert desk("update", "web", desk.template(NET)).code == Exit.USAGE, "this one would have to be asked about"


def test_an_update_of_a_suspended_process_says_that_it_is_stored(desk: Desk, ask: Callable[..., Ended]) -> None:
    desk.runs(NET)
    desk.does("suspend", "web")
    ended = ask("update", "web", desk.template(LABELLED), answers=("y",))
    assert ended.code == Exit.DONE
    assert "The process is Suspended: the composition is stored, and 'resume' applies it." in ended.err
    assert ask("resume", "web", answers=("y",)).code == Exit.DONE
    desk.settle()
    assert desk.real("Net").properties["Label"] == "other"


def test_an_answer_about_a_suspended_process_changes_no_other_one(desk: Desk, ask: Callable[..., Ended]) -> None:
    desk.runs(NET)
    desk.does("suspend", "web")

    def another_user_goes_on() -> str:
        desk.does("update", "web", desk.template(NET, BKT, name="theirs"))
        desk.does("resume", "web")
        desk.settle()
        return "y"

    ended = ask("update", "web", desk.template(LABELLED), answers=(another_user_goes_on, "n"))
    assert ended.code == Exit.DECLINED
    assert "The plan has changed since it was shown, and nothing was done:" in ended.err
    assert 'the process: state was "Suspended" and is "Running"' in ended.err
    assert "the composition of web has changed since" in ended.err
    assert "- delete Bkt" in ended.err, "the plan of the second question shows what the answer would delete"
    desk.settle()
    assert desk.real("Bkt")


def test_a_running_job_makes_a_second_question(desk: Desk, ask: Callable[..., Ended]) -> None:
    desk.does("run", desk.template(NET, SUB), "-a", "web")
    desk.advance(0.1)
    ended = ask("kill", "web", answers=("y", "y"))
    assert ended.code == Exit.DONE, ended
    assert "A job of the process is executing" in ended.err
    desk.settle()
    assert desk.things() == {}


def test_a_cloud_that_does_not_answer_keeps_no_command_from_being_given(desk: Desk, ask: Callable[..., Ended]) -> None:
    desk.runs(NET)
    desk.fault("sweep", "*", FaultKind.DOWN, times=10_000)
    ended = ask("update", "web", desk.template(LABELLED), answers=("web",))
    assert ended.code == Exit.DONE, ended
    assert "The plan is not shown:" in ended.err
    assert "without seeing its plan? Type web to confirm" in ended.err
    ended = ask("kill", "web", answers=("y",))
    assert ended.code == Exit.DONE, ended
    assert "- delete Net" in ended.err, "a kill needs no sweep"


def test_yes_prints_the_plan_and_asks_nothing(desk: Desk) -> None:
    ended = desk.does("run", desk.template(*WEB), "-a", "web")
    assert "+ create Net (Simulated::Network)" in ended.err
    assert "[y/N]" not in ended.err
    desk.settle()
    told = desk.does("--json", "update", "web", desk.template(MOVED, *WEB[1:]))
    assert "± replace Net" in told.err
    assert told.document["fid"]


def test_a_user_who_sees_no_plans_is_asked_without_one(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.runs(NET)
    policy = desk.file(
        "policy.yaml", "TenutoPolicy: 1\nUsers: [ann]\nGrants:\n  - {To: ann, Commands: kill, Accounts: '*'}\n"
    )
    desk.does("policy", "set", policy)
    ann = desk.user("ann")
    monkeypatch.setattr(sys, "stdin", Person(["web"]))
    ended = ann("kill", "web")
    assert ended.code == Exit.DONE, ended
    assert "The plan is not shown:" in ended.err


def test_a_saved_plan_stands_above_its_question_and_takes_the_name_where_it_deletes(
    desk: Desk, ask: Callable[..., Ended]
) -> None:
    desk.runs(NET, SUB)
    file = str(desk.folder / "web.plan")
    desk.does("update", "web", desk.template(LABELLED, SUB), "--dry-run", "-o", file)
    ended = ask("update", "web", "--plan", file, answers=("n",))
    assert ended.code == Exit.DECLINED
    assert ended.err.index('Label: "main" → "other"') < ended.err.index("Execute the plan of")
    desk.does("kill", "web", "--dry-run", "-o", file)
    assert ask("kill", "web", "--plan", file, answers=("y",)).code == Exit.DECLINED
    shown = ask("kill", "web", "--plan", file, answers=("web",))
    assert shown.code == 0
    assert shown.err.index("- delete Sub") < shown.err.index("Type web to confirm")
    desk.settle()
    assert desk.things() == {}
