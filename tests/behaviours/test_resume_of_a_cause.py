"""`tenuto resume --cause`: what one cause suspended is shown, asked for, and resumed by one command."""

import pytest
from desk import BKT, HOUR_S, NET, WEEKEND_S, Desk

from tenuto.providers.simulated.faults import FaultKind

POLICY = """
TenutoPolicy: 1
Users: [ann, eve]
Grants:
  - {To: ann, Commands: [questions, resume], Accounts: ["*"], Aliases: ["web-*"]}
  - {To: ann, Commands: [questions], Accounts: ["*"], Aliases: ["db-*"]}
  - {To: eve, Commands: [questions], Accounts: ["*"]}
"""
NAMES = ("web-1", "web-2", "db-1", "secret")


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """Four processes that were denied their network, and one that stands."""
    desk.fault("create", "Net", FaultKind.DENIED, times=len(NAMES))
    for name in NAMES:
        desk.does("run", desk.template(NET, name=name), "-a", name)
        desk.advance(1.0)
    desk.does("run", desk.template(BKT, name="fine"), "-a", "fine")
    desk.settle()
    assert states(desk) == dict.fromkeys(NAMES, "Suspended") | {"fine": "Running"}
    return desk


def states(desk: Desk) -> dict[str, str]:
    return {one["alias"]: one["state"] for one in desk.document("status")["processes"]}


def test_status_names_the_cause_and_the_command_that_resumes_all_of_it(desk: Desk) -> None:
    told = desk.status("web-1")
    assert (told["causes"], told["resume_by_cause"]) == (["AccessDenied"], "tenuto resume --cause AccessDenied")
    assert "'tenuto resume --cause AccessDenied' resumes every process" in desk("status", "web-1").out
    line = [line for line in desk("status").out.splitlines() if line.startswith("AccessDenied suspended")]
    assert line == [
        "AccessDenied suspended web-1, web-2, db-1 and 1 more. Once the cause is removed, "
        "'tenuto resume --cause AccessDenied' resumes them."
    ]


def test_a_dry_run_shows_the_processes_and_changes_nothing(desk: Desk) -> None:
    before = states(desk)
    shown = desk("resume", "--cause", "AccessDenied", "--dry-run")
    assert shown.code == 0
    assert all(name in shown.out for name in (*NAMES, "would be resumed"))
    assert "fine" not in shown.out
    assert desk("resume", "--cause", "AccessDenied", "--dry-run", "--detailed-exitcode").code == 10
    assert states(desk) == before


def test_the_list_is_shown_before_the_question_and_no_is_no(desk: Desk) -> None:
    asked = desk("resume", "--cause", "AccessDenied")
    assert asked.code == 2
    assert all(name in asked.err for name in NAMES)
    assert "Resume 4 processes?" in asked.err
    assert states(desk)["web-1"] == "Suspended"


def test_one_command_resumes_all_of_them(desk: Desk) -> None:
    done = desk.does("resume", "--cause", "AccessDenied")
    assert all(name in done.out for name in (*NAMES, "is resumed"))
    desk.settle()
    assert set(states(desk).values()) == {"Running"}
    assert all(desk.status(name)["converged"] for name in NAMES)
    assert desk.status("web-1")["causes"] == []
    [_, resumed] = desk.document("history", "web-1")["commands"]
    assert (resumed["command"], resumed["actor"]) == ("resume", "root")


def test_a_user_resumes_what_they_may_and_is_told_of_the_rest(desk: Desk) -> None:
    desk.does("policy", "set", desk.file("policy.yaml", POLICY))
    ann = desk.user("ann")
    done = ann.document("resume", "--cause", "AccessDenied")
    assert [one["alias"] for one in done["processes"]] == ["web-1", "web-2"]
    [left_out] = done["left_out"]
    assert left_out["alias"] == "db-1"
    assert "ann may not give the command 'resume'" in left_out["why"]
    assert done["hidden"] == 1
    desk.settle()
    assert states(desk) == {
        "web-1": "Running",
        "web-2": "Running",
        "db-1": "Suspended",
        "secret": "Suspended",
        "fine": "Running",
    }
    history = desk.document("history", "web-2")
    assert [(one["command"], one["actor"]) for one in history["commands"]] == [("run", "root"), ("resume", "ann")]
    assert [(one["command"], one["actor"]) for one in history["jobs"]] == [("run", "root"), ("resume", "ann")]


def test_a_user_who_may_resume_nothing_is_denied(desk: Desk) -> None:
    desk.does("policy", "set", desk.file("policy.yaml", POLICY))
    denied = desk.user("eve")("-y", "resume", "--cause", "AccessDenied")
    assert denied.code == 6
    assert "eve may not give the command 'resume'" in denied.err
    assert states(desk)["web-1"] == "Suspended"


def test_a_kill_that_was_suspended_is_left_out_and_its_own_command_is_named(desk: Desk) -> None:
    desk.fault("delete", "Bkt", FaultKind.DENIED)
    desk.does("kill", "fine")
    desk.settle()
    assert desk.status("fine")["causes"] == ["AccessDenied"]
    assert desk.status("fine")["resume_by_cause"] is None
    done = desk.document("resume", "--cause", "AccessDenied")
    assert [one["alias"] for one in done["left_out"]] == ["fine"]
    assert "'tenuto kill fine' goes on" in done["left_out"][0]["why"]
    nothing = desk("-y", "resume", "--cause", "AccessDenied")
    assert nothing.code == 5
    assert "No process would be resumed." in nothing.out


@pytest.mark.parametrize("pause_s", [0.0, HOUR_S, WEEKEND_S])
def test_an_update_that_a_halted_kill_stores_leaves_it_in_its_kill(desk: Desk, pause_s: float) -> None:
    desk.does("update", "fine", desk.template(NET, BKT, name="fine"))
    desk.settle()
    desk.fault("delete", "Bkt", FaultKind.DENIED)
    desk.does("kill", "fine")
    desk.settle()
    desk.advance(pause_s)
    told = "Process fine is Suspended in the middle of its kill"
    same = desk.does("apply", desk.template(NET, BKT, name="fine"), "-a", "fine")
    assert told in same.err
    assert "keeps the change" not in same.err
    plan = desk.document("update", "fine", desk.template(NET, BKT, name="fine"), "--dry-run")
    assert (plan["command"], plan["held"], plan["process"]["goes_on_with"]) == ("update", None, "kill")
    assert {one["logical_id"]: one["op"] for one in plan["operations"]} == {"Net": "create", "Bkt": "modify"}
    stored = desk.does("update", "fine", desk.template(NET.replace("main", "other"), BKT, name="fine"))
    assert told in stored.err
    assert "'tenuto kill fine' goes on with the kill" in stored.err
    desk.advance(pause_s)
    assert told in desk.does("status", "fine").out
    assert "--cause" not in desk.does("status", "fine").out
    explained = " ".join(desk.does("explain", "fine").out.split())
    assert "Suspended in the middle of its kill" in explained
    assert "Remove the cause, then 'kill'" in explained
    for words in (("plan", "fine"), ("resume", "fine", "--dry-run")):
        assert "fine was suspended in the middle of its kill" in " ".join(desk.does(*words).out.split())
    done = desk.document("resume", "--cause", "AccessDenied")
    assert [one["alias"] for one in done["left_out"]] == ["fine"]
    assert states(desk)["fine"] == "Suspended"
    desk.advance(pause_s)
    desk.does("resume", "fine")
    desk.settle()
    assert desk.real("Net", "fine").properties["Label"] == "other", "the stored update is applied"
    assert desk.status("fine")["converged"]


@pytest.mark.parametrize("pause_s", [0.0, HOUR_S, WEEKEND_S])
def test_a_halted_kill_goes_on_after_an_update_and_keeps_by_its_policies(desk: Desk, pause_s: float) -> None:
    desk.fault("delete", "Bkt", FaultKind.DENIED)
    desk.does("kill", "fine")
    desk.settle()
    bucket = desk.real("Bkt", "fine").physical_id
    kept = BKT.replace("Properties:", "DeletionPolicy: Retain, Properties:")
    desk.does("update", "fine", desk.template(kept, name="fine"))
    desk.advance(pause_s)
    desk.does("kill", "fine")
    desk.settle()
    assert "fine" not in states(desk)
    assert bucket in desk.things()


def test_a_cause_that_suspended_nothing_is_an_error_that_names_the_others(desk: Desk) -> None:
    ended = desk("-y", "resume", "--cause", "Nonsense")
    assert ended.code == 4
    assert "The causes of suspended processes are: AccessDenied (4)" in ended.err


@pytest.mark.parametrize(
    "words",
    [
        ("resume",),
        ("resume", "web-1", "--cause", "AccessDenied"),
        ("resume", "--cause", "AccessDenied", "--wait"),
        ("resume", "--cause", "AccessDenied", "--dry-run", "-o", "plan.json"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(desk: Desk, words: tuple[str, ...]) -> None:
    assert desk("-y", *words).code == 2
    assert states(desk)["web-1"] == "Suspended"


def test_a_process_whose_next_plan_destroys_anything_is_left_out_with_the_command_that_shows_it(desk: Desk) -> None:
    """Another hand has made the bucket again, under another name: the plan would replace it with what is in it."""
    desk.fault("create", "Net", FaultKind.DENIED)
    both = desk.template(NET, BKT.replace("web-logs", "data"), name="data")
    desk.does("run", both, "-a", "data")
    desk.settle()
    bucket = desk.real("Bkt", "data").physical_id
    desk.world.cloud.tamper(bucket, "Name", "another")
    shown = desk.document("resume", "--cause", "AccessDenied", "--dry-run")
    assert "data" not in [one["alias"] for one in shown["processes"]]
    [why] = [one["why"] for one in shown["left_out"] if one["alias"] == "data"]
    assert why.startswith("Its next plan deletes or replaces a resource. 'tenuto resume data --dry-run' shows the plan")
    desk.does("resume", "--cause", "AccessDenied")
    desk.settle()
    assert states(desk)["data"] == "Suspended"
    assert desk.real("Bkt", "data").physical_id == bucket
