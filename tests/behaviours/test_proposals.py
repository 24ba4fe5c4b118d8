"""Proposals and the two-person rule: nobody destroys anything in production alone."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from desk import BKT, DAY_S, NET, SUB, Desk
from front import SECRET
from meanwhile import Meanwhile
from person import Person

from tenuto.cli.terminal.exits import Exit
from tenuto.errors import IllegalTransitionError, NotAllowedError, OvertakenError, UserError
from tenuto.lifecycles.proposal import MOVES, check_move
from tenuto.model.access import Right
from tenuto.model.proposal import ProposalState
from tenuto.providers.simulated.faults import FaultKind
from tenuto.service.access.callers import Caller
from tenuto.service.commands.proposals import Proposals

LABELLED = NET.replace("Label: main", "Label: other")
POLICY = """\
TenutoPolicy: 1
Users: [ann, ben, cat, dan]
Groups: {leads: [ann, ben, cat]}
Grants:
  - {To: [ann, ben, cat], Commands: all, Accounts: '*'}
  - {To: dan, Commands: [status, plan], Accounts: '*'}
Approvals:
  - {Accounts: '*', Commands: [update, kill, release], When: destructive, By: leads, Count: COUNT}
"""


@pytest.fixture
def desks(desk: Desk) -> dict[str, Desk]:
    return rule(desk, 1)


def rule(desk: Desk, count: int) -> dict[str, Desk]:
    """The users of the policy, of whom so many must approve what destroys."""
    desk.does("policy", "set", desk.file("policy.yaml", POLICY.replace("COUNT", str(count))))
    desk.runs(NET, SUB, BKT)
    return {name: desk.user(name) for name in ("ann", "ben", "cat", "dan")}


def numbers(desk: Desk) -> dict[int, str]:
    return {one["number"]: one["state"] for one in desk.document("proposals")["proposals"]}


def test_a_destructive_command_is_refused_with_what_to_type(desk: Desk, desks: dict[str, Desk]) -> None:
    for words in (("kill", "web"), ("update", "web", desk.template(NET, SUB)), ("release", "web", "--keep-tags")):
        ended = desks["ann"]("-y", *words)
        if words[0] == "release":
            assert ended.code == Exit.DONE, "it deletes nothing"
            continue
        assert ended.code == Exit.NOT_ALLOWED, ended
        file = " FILE" if words[0] == "update" else ""
        assert f"Propose it: 'tenuto {words[0]} web{file} --propose -m TEXT'" in " ".join(ended.err.split())
    assert len(desk.things()) == 3


def test_what_destroys_nothing_passes_and_is_exactly_what_was_judged(desk: Desk, desks: dict[str, Desk]) -> None:
    assert desks["ann"]("-y", "update", "web", desk.template(LABELLED, SUB, BKT)).code == Exit.DONE
    desk.settle()
    assert desk.real("Net").properties["Label"] == "other"
    assert "plan " in desk.document("history", "web")["commands"][-1]["detail"]


def test_a_proposal_is_executed_when_another_user_approves_it(desk: Desk, desks: dict[str, Desk]) -> None:
    told = desks["ann"].does("kill", "web", "--propose", "-m", "the shop has moved")
    assert "Proposal 1: kill web. It needs 1 approval of another user" in told.out
    assert desk.status()["state"] == "Running"
    ended = desks["ben"].does("approve", "1", "-m", "agreed")
    assert "- delete Bkt" in ended.err, "the plan stands above the answer"
    assert "is approved, and its plan is executed" in ended.out
    desk.settle()
    assert desk.things() == {}
    assert numbers(desk) == {1: "Executed"}


def test_an_apply_is_proposed_as_the_update_that_it_is(desk: Desk, desks: dict[str, Desk]) -> None:
    file = desk.template(NET.replace("main", "applied"), SUB, BKT)
    assert "Proposal 1: update web" in desks["ann"].does("apply", file, "-a", "web", "--propose").out
    assert numbers(desk) == {1: "Open"}
    assert desks["ann"]("apply", file, "-a", "nobody", "--propose").code == Exit.NOT_FOUND
    refused = desks["ann"]("apply", file, "-a", "web", "--propose", "--import")
    assert (refused.code, "--import adopts at once" in refused.err) == (Exit.USAGE, True), refused


def test_a_saved_plan_is_no_way_around_the_rule(desk: Desk, desks: dict[str, Desk]) -> None:
    plan = str(desk.folder / "kill.json")
    desks["ann"].does("kill", "web", "--dry-run", "-o", plan)
    assert desks["ann"]("-y", "kill", "web", "--plan", plan).code == Exit.NOT_ALLOWED
    assert len(desk.things()) == 3


def test_the_proposer_cannot_approve_not_even_with_a_new_secret(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("kill", "web", "--propose")
    for ann in (lambda: desks["ann"], lambda: desk.user("ann")):
        ended = ann()("-y", "approve", "1")
        assert ended.code == Exit.PERMISSION, ended
        assert "you proposed it yourself" in ended.err
    assert numbers(desk) == {1: "Open"}


def test_a_user_whom_the_policy_does_not_name_cannot_approve(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("kill", "web", "--propose")
    ended = desks["dan"]("-y", "approve", "1")
    assert (ended.code, "the policy lets ann, ben, cat approve it" in ended.err) == (Exit.PERMISSION, True), ended


def test_a_user_may_propose_only_what_they_may_do(desk: Desk, desks: dict[str, Desk]) -> None:
    assert desks["dan"]("-y", "kill", "web", "--propose").code == Exit.PERMISSION
    assert numbers(desk) == {}


def test_two_approvals_are_two_users(desk: Desk) -> None:
    desks = rule(desk, 2)
    desks["ann"].does("kill", "web", "--propose")
    assert "needs 1 more" in desks["ben"].does("approve", "1").out
    again = desks["ben"]("-y", "approve", "1")
    assert (again.code, "you have approved it already" in again.err) == (Exit.PERMISSION, True)
    assert desk.status()["state"] == "Running"
    desks["cat"].does("approve", "1")
    desk.settle()
    assert desk.things() == {}


def test_a_plan_that_moved_is_stale_and_nothing_is_done(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("update", "web", desk.template(LABELLED, SUB), "--propose")
    desk.does("update", "web", desk.template(NET.replace("Label: main", "Label: third"), SUB, BKT))
    desk.settle()
    told = desks["ben"]("-y", "approve", "1")
    assert (told.code, told.out) == (Exit.FAILED, "")
    assert "is Stale, and nothing was changed" in told.err
    words = " ".join(told.err.split())
    assert "the composition of web has changed since ('tenuto history web' shows the commands)" in words
    assert "Net is declared otherwise since ('tenuto show web Net' shows how)" in words
    assert not re.search(r"\b(?=\w*\d)[0-9a-f]{7,}\b", words), "no digest is shown to an approver"
    assert (numbers(desk), desk.real("Net").properties["Label"]) == ({1: "Stale"}, "third")
    assert len(desk.things()) == 3
    for verb in ("approve", "reject"):
        again = desks["ben"](verb, "1")  # without a terminal: a question would be refused as one
        assert (again.code, "Make a new one" in again.err) == (Exit.NOT_ALLOWED, True)


def test_the_reason_of_a_stale_proposal_ends_in_one_full_stop(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("kill", "web", "--propose")
    desk.does("property", "web", "lock", "--set", "on")
    assert "is locked" in desks["ben"]("-y", "approve", "1").err
    assert "lock --set off'. Make a new one." in desks["ben"]("-y", "approve", "1").err


def test_an_approved_plan_waits_for_a_job_and_is_executed_by_the_same_command_later(
    desk: Desk, desks: dict[str, Desk]
) -> None:
    for _ in range(2):
        desks["ann"].does("update", "web", desk.template(NET, SUB), "--propose")
    desks["ben"].does("approve", "1")
    told = desks["ben"]("-y", "approve", "2")
    words = " ".join(told.err.split())
    assert (told.code, told.out) == (Exit.FAILED, "")
    assert "Proposal 2 is approved, and its plan is not executed yet: a job of process web was at work" in words
    assert "'tenuto approve 2' executes it, until" in words
    assert "Nothing was changed" not in words
    assert numbers(desk) == {1: "Executed", 2: "Approved"}
    assert "only ann may withdraw it" in desks["cat"]("-y", "reject", "2", "-m", "no").err
    assert desks["cat"].document("proposals", "2")["why_not_reject"] == "it is approved, and only ann may withdraw it"
    assert desks["ann"].document("proposals", "2")["why_not_reject"] is None
    desk.settle()
    assert numbers(desk)[2] == "Approved", "nothing executes it by itself"
    # The job has done what was planned, so the plan of the second one has moved.
    assert desks["ben"]("-y", "approve", "2").code == Exit.FAILED
    assert numbers(desk) == {1: "Executed", 2: "Stale"}


def test_what_waits_to_be_executed_waits_for_no_approval(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("kill", "web", "--propose")
    plan = desk.folder / "same.json"
    desk.does("update", "web", desk.template(NET, SUB, BKT), "--dry-run", "-o", str(plan))
    desk.services.commands.execute("web", json.loads(plan.read_text()))  # its job has nothing to change
    assert desks["ben"]("-y", "approve", "1").code == Exit.FAILED
    status = desks["ben"]("status").out
    assert "1 approved proposal waits to be executed once no job is at work: 'tenuto proposals'." in status
    assert "for an approval" not in status
    for words in (("status", "--summary"), ("proposals",), ("proposals", "1")):
        seen = " ".join(desks["ben"](*words).out.split())
        assert "'tenuto approve 1' executes it, until" in seen, seen
    found = desk.document("status")
    assert (found["proposals"], found["approved_proposals"]) == (1, 1)
    desk.settle()
    desks["ben"].does("approve", "1")
    desk.settle()
    assert desk.things() == {}
    assert numbers(desk) == {1: "Executed"}


def test_one_approval_serves_once(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("update", "web", desk.template(NET, SUB), "--propose")
    desks["ben"].does("approve", "1")
    desk.settle()
    desk.does("update", "web", desk.template(NET, SUB, BKT))
    desk.settle()
    again = desks["ben"]("-y", "approve", "1")
    assert again.code == Exit.NOT_ALLOWED
    assert "Proposal 1 is Executed: approved by ben. There is nothing left to decide." in " ".join(again.err.split())
    assert len(desk.things()) == 3


def test_rights_are_asked_again_when_it_is_executed(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("kill", "web", "--propose")
    text = POLICY.replace("COUNT", "1").replace("To: [ann, ben, cat]", "To: [ben, cat]")
    desk.does("policy", "set", desk.file("policy.yaml", text))
    told = desks["ben"]("-y", "approve", "1")
    why = "ann may not give the command 'kill' there any more: no grant of the policy allows it"
    assert f"is Stale, and nothing was changed: {why}" in " ".join(told.err.split())
    again = " ".join(desks["ben"]("-y", "approve", "1").err.split())
    assert f"Proposal 1 is Stale: {why}. Make a new one." in again
    assert len(desk.things()) == 3


def leads(desk: Desk, count: int, names: str) -> None:
    """Set the policy with other users who approve."""
    text = POLICY.replace("COUNT", str(count)).replace("{leads: [ann, ben, cat]}", f"{{leads: [{names}]}}")
    desk.does("policy", "set", desk.file("policy.yaml", text))


def test_an_approval_by_a_user_who_lost_the_role_counts_no_more(desk: Desk) -> None:
    desks = rule(desk, 2)
    desk.does("kill", "web", "--propose")
    desks["ann"].does("approve", "1")
    leads(desk, 2, "ben, cat")
    shown = desk.does("proposals", "1").out
    assert "approved by ann (counts no more: the policy has changed)" in shown
    assert "needs 2 more approvals" in shown
    assert "needs 1 more" in desks["ben"].does("approve", "1").out
    assert desk.status()["state"] == "Running"
    desks["cat"].does("approve", "1")
    assert desk.document("proposals", "1")["reason"] == "approved by ben, cat"


def test_an_approved_proposal_is_open_again_when_its_approval_counts_no_more(
    desk: Desk, desks: dict[str, Desk]
) -> None:
    for _ in range(2):
        desks["ann"].does("update", "web", desk.template(NET, SUB), "--propose")
    desks["ben"].does("approve", "1")
    desks["ben"]("-y", "approve", "2")
    assert numbers(desk) == {1: "Executed", 2: "Approved"}
    leads(desk, 1, "ann, cat")
    assert numbers(desk) == {1: "Executed", 2: "Open"}
    moved = desk.document("events", "web", "--type", "proposal.state")["events"][-1]
    assert (moved["before"], moved["after"], moved["actor"]) == ("Approved", "Open", "conductor")
    assert moved["reason"] == "the policy does not accept the approval of ben any more"
    assert desks["dan"]("-y", "approve", "2").code == Exit.PERMISSION, "no other user executes it"
    leads(desk, 2, "ann, ben, cat")
    desks["cat"]("-y", "approve", "2")
    assert numbers(desk)[2] == "Approved"
    leads(desk, 3, "ann, ben, cat, dan")
    assert numbers(desk)[2] == "Open"
    moved = desk.document("events", "web", "--type", "proposal.state")["events"][-1]
    assert moved["reason"] == "the policy asks for more approvals now"


def test_without_a_rule_an_approval_counts_while_its_user_could_give_the_command(desk: Desk) -> None:
    policy = POLICY[: POLICY.index("Approvals:")]
    desk.does("policy", "set", desk.file("policy.yaml", policy))
    desk.runs(NET, SUB, BKT)
    users = {name: desk.user(name) for name in ("ann", "ben")}
    for _ in range(2):
        users["ann"].does("update", "web", desk.template(NET, SUB), "--propose")
    users["ben"].does("approve", "1")
    users["ben"]("-y", "approve", "2")
    assert numbers(desk) == {1: "Executed", 2: "Approved"}
    desk.does("policy", "set", desk.file("policy.yaml", policy.replace("To: [ann, ben, cat]", "To: [ann, cat]")))
    assert numbers(desk) == {1: "Executed", 2: "Open"}


def test_a_proposal_is_rejected_withdrawn_or_expires(desk: Desk, desks: dict[str, Desk]) -> None:
    for _ in range(3):
        desks["ann"].does("kill", "web", "--propose")
    desks["ben"].does("reject", "1", "-m", "not on a Friday")
    desks["ann"].does("reject", "2")
    assert "needs 1 more approval before " in desks["ben"]("proposals", "3").out, "it expires in another day"
    desk.advance(25 * 3600)
    assert numbers(desk) == {1: "Rejected", 2: "Withdrawn", 3: "Expired"}
    assert "not on a Friday" in desk.does("proposals", "1").out
    assert desks["ben"]("-y", "approve", "3").code == Exit.NOT_ALLOWED


def overrides(desk: Desk) -> list[tuple[str, str, str]]:
    events = desk.document("events", "web", "--type", "approval.overridden")["events"]
    return [(one["actor"], one["data"]["command"], one["reason"]) for one in events]


def test_the_owner_overrides_a_rule_with_a_reason_and_not_without(desk: Desk, desks: dict[str, Desk]) -> None:
    refused = desk("-y", "kill", "web")
    assert refused.code == Exit.NOT_ALLOWED
    assert "override the rule, and say why: --reason TEXT" in refused.err
    assert overrides(desk) == []
    assert desk.status()["state"] == "Running"
    desk.does("kill", "web", "--reason", "  everybody is in the air ")
    assert overrides(desk) == [("root", "kill", "everybody is in the air")]
    [told] = [one for one in desk.document("history", "web", "--timeline")["entries"] if one["kind"] == "override"]
    assert (told["title"], told["message"]) == ("kill", "everybody is in the air")


@pytest.mark.parametrize("command", ["kill", "update", "plan"])
def test_a_command_that_is_refused_overrides_nothing(desk: Desk, desks: dict[str, Desk], command: str) -> None:
    plan = str(desk.folder / "kill.json")
    desk.does("kill", "web", "--dry-run", "-o", plan)
    desk.does("property", "web", "lock", "--set", "on")
    words = {
        "kill": ("kill", "web"),
        "update": ("update", "web", desk.template(NET, SUB)),
        "plan": ("kill", "web", "--plan", plan),
    }
    refused = desk("-y", *words[command], "--reason", "fire")
    assert (refused.code, "is locked" in refused.err) == (Exit.NOT_ALLOWED, True), refused
    assert overrides(desk) == []


def test_a_harmless_change_of_the_owner_overrides_nothing(desk: Desk, desks: dict[str, Desk]) -> None:
    desk.does("update", "web", desk.template(LABELLED, SUB, BKT))
    desk.settle()
    assert desk.real("Net").properties["Label"] == "other"
    assert overrides(desk) == []


def test_a_saved_plan_and_an_apply_take_a_reason_too(desk: Desk, desks: dict[str, Desk]) -> None:
    smaller = desk.template(NET, SUB)
    assert desk("-y", "apply", smaller, "-a", "web").code == Exit.NOT_ALLOWED
    desk.does("update", "web", smaller, "--dry-run", "-o", str(desk.folder / "plan.json"))
    assert desk("-y", "update", "web", "--plan", str(desk.folder / "plan.json")).code == Exit.NOT_ALLOWED
    desk.does("update", "web", "--plan", str(desk.folder / "plan.json"), "--reason", "too large")
    assert overrides(desk) == [("root", "update", "too large")]


def test_nobody_else_overrides(desk: Desk, desks: dict[str, Desk]) -> None:
    refused = desks["ann"]("-y", "kill", "web", "--reason", "I know best")
    assert refused.code == Exit.NOT_ALLOWED
    assert "--reason" not in refused.err
    assert overrides(desk) == []


def test_a_reason_where_it_could_not_be_kept_is_refused(desk: Desk, desks: dict[str, Desk]) -> None:
    for words in (("--dry-run", "--reason", "x"), ("--propose", "--reason", "x"), ("--reason", " ")):
        assert desk("-y", "kill", "web", *words).code == Exit.USAGE
    assert overrides(desk) == []


def test_the_owner_approves_in_place_of_others_with_a_word(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("kill", "web", "--propose")
    refused = desk("-y", "approve", "1")
    assert refused.code == Exit.NOT_ALLOWED
    assert "give it with -m TEXT" in refused.err
    assert numbers(desk) == {1: "Open"}
    desk.does("approve", "1", "-m", "ben is ill")
    assert numbers(desk) == {1: "Executed"}
    assert overrides(desk) == [("root", "kill", "ben is ill")]


def test_a_resume_of_many_overrides_nothing(desk: Desk, desks: dict[str, Desk]) -> None:
    asked = POLICY.replace("COUNT", "1").replace("[update, kill, release]", "[resume]").replace("destructive", "always")
    desk.does("policy", "set", desk.file("policy.yaml", asked))
    found = desk.services.gatekeeper.process("web")
    root = desk.services.gatekeeper.recognise(SECRET)
    assert root is not None
    assert "give the command for it alone" in desk.services.proposals.direct.refusal(root, Right.RESUME, found)


def test_each_move_is_an_event_with_its_user(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("kill", "web", "--propose", "-m", "gone")
    desks["ben"].does("approve", "1")
    events = desk.document("events", "web", "--type", "proposal.state")["events"]
    assert [(one["after"], one["actor"]) for one in events] == [
        ("Open", "ann"),
        ("Approved", "ben"),
        ("Executed", "ben"),
    ]
    command = desk.document("history", "web")["commands"][-1]
    assert (command["command"], command["actor"]) == ("kill", "ann")


def test_the_seals_of_a_plan_are_shown_to_no_one(desk: Desk, desks: dict[str, Desk]) -> None:
    secret = "Parameters: {Word: {Type: String, NoEcho: true}}\n"
    file = desk.template(NET, SUB, name="secret")
    text = (desk.folder / "secret.yaml").read_text().replace("Label: main", "Label: !Ref Word")
    (desk.folder / "secret.yaml").write_text(secret + text)
    desks["ann"].does("update", "web", file, "-p", "Word=hunter2", "--propose")
    for shown in (desk.does("proposals", "1").out, str(desk.document("proposals", "1"))):
        assert "hunter2" not in shown
        assert "sealed" not in shown


def test_without_a_rule_nothing_changes_for_anyone(desk: Desk) -> None:
    desk.runs(NET)
    desk.does("kill", "web")
    desk.settle()
    assert desk.things() == {}


def test_the_page_has_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs/guide/proposals.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| ([\w, ]+) \|$", page, re.MULTILINE)[1:]
    told = {name: set(following.split(", ")) for name, following in rows}
    assert told == {state.value: {one.value for one in after} for state, after in MOVES.items() if after}


def test_an_illegal_move_raises() -> None:
    for before, after in ((ProposalState.OPEN, ProposalState.EXECUTED), (ProposalState.STALE, ProposalState.APPROVED)):
        with pytest.raises(IllegalTransitionError):
            check_move(before, after, number=1)


def test_two_tokens_of_one_user_are_one_user(desk: Desk) -> None:
    """A token is a secret more of the same person, whoever has made it, and none of them is a second pair of eyes."""
    desks = rule(desk, 2)
    tokens = {}
    for user, name in (("ann", "laptop"), ("ann", "phone"), ("ben", "laptop"), ("ben", "phone")):
        secret = desk.document("user", "token", "add", user, name, "--expires", "1h")["secret"]
        tokens[user, name] = Desk(desk.world, desk.shell, desk.folder, desk.services, secret)
    tokens["ann", "laptop"].does("kill", "web", "--propose")
    for own in (tokens["ann", "laptop"], tokens["ann", "phone"], desks["ann"]):
        ended = own("-y", "approve", "1")
        assert (ended.code, "you proposed it yourself" in ended.err) == (Exit.PERMISSION, True), ended
    tokens["ben", "laptop"].does("approve", "1")
    for again in (tokens["ben", "phone"], desks["ben"]):
        ended = again("-y", "approve", "1")
        assert (ended.code, "you have approved it already" in ended.err) == (Exit.PERMISSION, True), ended
    assert desk.status()["state"] == "Running"


def test_a_proposer_at_a_terminal_is_refused_before_the_question(
    desk: Desk, desks: dict[str, Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    desks["ann"].does("kill", "web", "--propose")
    person = Person(["web"])
    monkeypatch.setattr(sys, "stdin", person)
    ended = desks["ann"]("approve", "1")
    assert ended.code == Exit.PERMISSION, ended
    assert "'tenuto reject 1' withdraws it" in ended.err
    assert not person.is_done, "no question was put"
    assert desks["ben"]("approve", "1").code == 0
    assert person.is_done


def test_a_proposal_about_a_process_that_is_gone_is_stale_and_hides_no_other(
    desk: Desk, desks: dict[str, Desk]
) -> None:
    desks["ann"].does("kill", "web", "--propose")
    desk.does("-y", "kill", "web", "--reason", "nobody needs it")
    desk.settle()
    desk.runs(NET)
    desks["ann"].does("kill", "web", "--propose")
    assert numbers(desk) == {1: "Stale", 2: "Open"}
    assert desk.document("proposals", "1")["reason"] == "process web is gone"
    refused = desks["ben"]("-y", "approve", "1")
    assert refused.code == Exit.NOT_ALLOWED, refused
    assert "process web is gone" in refused.err


def test_what_waits_for_an_approval_is_on_the_overview_of_those_who_see_the_process(
    desk: Desk, desks: dict[str, Desk]
) -> None:
    assert "proposal" not in desks["ben"]("status").out
    desks["ann"].does("kill", "web", "--propose", "-m", "the shop has moved")
    for one in ("ann", "ben"):
        assert "1 proposal waits for an approval: 'tenuto proposals'." in desks[one]("status").out
    seen = desks["ben"]("status", "--summary").out
    assert "proposal 1: kill web, by ann" in seen
    assert "the shop has moved" in seen
    assert "tenuto approve 1" in seen
    own = desks["ann"]("status", "--summary").out
    assert "1 more approval needed; not yours: you proposed it yourself" in own
    assert "tenuto approve 1" not in own
    desks["ben"].does("-y", "approve", "1")
    assert "proposal" not in desks["ben"]("status").out
    assert desks["ben"].document("status", "--summary")["proposals"] == []


def test_a_user_who_may_not_approve_is_told_so_before_the_question_in_the_words_of_the_conductor(
    desk: Desk, desks: dict[str, Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    desks["ann"].does("kill", "web", "--propose")
    person = Person(["web"])
    monkeypatch.setattr(sys, "stdin", person)
    asked, given = desks["dan"]("approve", "1"), desks["dan"]("-y", "approve", "1")
    words = "the policy lets ann, ben, cat approve it"
    for ended in (asked, given):
        assert ended.code == Exit.PERMISSION, ended
        assert words in " ".join(ended.err.split())
    refused = desks["dan"]("reject", "1", "-m", "no"), desks["dan"]("-y", "reject", "1", "-m", "no")
    for ended in refused:
        assert ended.code == Exit.PERMISSION, ended
        assert "the policy lets ann, ben, cat do that" in " ".join(ended.err.split())
    assert not person.is_done, "no question was put"


def test_a_command_without_wait_names_the_next_step(desk: Desk) -> None:
    ended = desk("-y", "run", desk.template(NET), "-a", "web")
    assert "'tenuto status web --watch' shows how far it is" in ended.err, ended
    desk.settle()
    planned = desk("-y", "update", "web", desk.template(LABELLED))
    assert "'tenuto status web --watch'" in planned.err, planned
    desk.settle()
    nothing = desk("-y", "update", "web", desk.template(LABELLED))
    assert "status web --watch" not in nothing.err, nothing


def test_a_proposal_that_a_user_may_not_see_is_answered_as_one_that_there_is_not(
    desk: Desk, desks: dict[str, Desk]
) -> None:
    grant = "  - {To: eve, Commands: [status, plan], Accounts: [other]}\n"
    text = (
        POLICY.replace("COUNT", "1").replace("cat, dan]", "cat, dan, eve]").replace("Approvals:", f"{grant}Approvals:")
    )
    desk.does("policy", "set", desk.file("policy.yaml", text))
    desks["ann"].does("kill", "web", "--propose")
    eve = desk.user("eve")
    for words in (("proposals", "NUMBER"), ("-y", "approve", "NUMBER"), ("-y", "reject", "NUMBER", "-m", "no")):
        real, other = (eve(*(one.replace("NUMBER", number) for one in words)) for number in ("1", "7"))
        assert (real.code, other.code) == (Exit.NOT_FOUND, Exit.NOT_FOUND), real
        assert real.err.replace("proposal 1 ", "proposal 7 ") == other.err
        assert "There is no proposal 7 that you may see" in other.err
    assert eve.does("proposals").out.strip() == "No proposals."


def test_a_user_who_sees_a_proposal_in_the_list_is_told_which_grant_shows_its_plan(
    desk: Desk, desks: dict[str, Desk]
) -> None:
    desks["ann"].does("kill", "web", "--propose")
    few = POLICY.replace("COUNT", "1").replace("[status, plan], Accounts: '*'", "status, Accounts: [default]")
    desk.does("policy", "set", desk.file("policy.yaml", few))
    assert "kill" in desks["dan"].does("proposals").out
    told = desks["dan"]("proposals", "1")
    assert (told.code, "'Accounts: default'" in " ".join(told.err.split())) == (Exit.PERMISSION, True), told
    missing = desks["dan"]("proposals", "7")
    assert (missing.code, "Accounts" in missing.err) == (Exit.NOT_FOUND, False), missing


def test_no_denial_advises_the_widest_grant(desk: Desk, desks: dict[str, Desk]) -> None:
    none = POLICY.replace("COUNT", "1").replace("[status, plan], Accounts: '*'", "suspend, Accounts: [other]")
    desk.does("policy", "set", desk.file("policy.yaml", none))
    told = " ".join(desks["dan"]("proposals").err.split())
    assert "may not give the command 'status' in any account" in told
    assert "*" not in told


@pytest.mark.parametrize("words", [(), ("-m", ""), ("-m", "  ")])
def test_a_proposal_of_another_user_is_not_rejected_without_a_reason(
    desk: Desk, desks: dict[str, Desk], words: tuple[str, ...]
) -> None:
    desks["ann"].does("kill", "web", "--propose")
    ended = desks["ben"]("-y", "reject", "1", *words)
    assert (ended.code, "in words why" in ended.err) == (Exit.USAGE, True), ended
    ben = desk.services.gatekeeper.recognise(desks["ben"].secret)
    assert ben is not None
    for blank in ("", " \n"):
        with pytest.raises(UserError, match="-m TEXT"):
            desk.services.proposals.reject(ben, 1, comment=blank)
    assert numbers(desk) == {1: "Open"}
    desks["ann"].does("reject", "1")
    assert numbers(desk) == {1: "Withdrawn"}, "who withdraws needs no reason"


def test_after_a_rename_the_advice_names_the_process_as_it_is_called_now(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("kill", "web", "--propose")
    desk.does("property", "web", "alias", "--set", "shop")
    assert "Proposal 1: kill shop" in desks["ben"].does("proposals", "1").out
    ended = desks["ben"].does("approve", "1")
    assert "'tenuto status shop'" in ended.out
    desk.does("property", "shop", "alias", "--set", "store")
    assert desk.document("proposals", "1")["process"] == "store"


def test_a_command_that_needs_an_approval_is_refused_before_a_name_is_typed(desk: Desk, desks: dict[str, Desk]) -> None:
    """The plan was shown and the name typed, and then the command was refused."""
    ann = desks["ann"]
    at_terminal = ann.shell.at_a_terminal("kill", "web", typed="web\n", TENUTO_SECRET=ann.secret)
    assert at_terminal.code == Exit.NOT_ALLOWED, at_terminal
    assert "- delete Bkt" in at_terminal.err
    assert "Propose it: 'tenuto kill web --propose -m TEXT'." in at_terminal.err
    assert "Type web" not in at_terminal.err
    assert "Or override the rule, and say why" in desk.does("kill", "web", "--dry-run").out
    harmless = ann.document("update", "web", desk.template(LABELLED, SUB, BKT), "--dry-run")
    assert harmless["needs_approval"] is None
    assert len(desk.things()) == 3
    words = ("kill", "web", "--reason", "the shop has moved")
    overridden = desk.shell.at_a_terminal(*words, typed="web\n", TENUTO_SECRET=desk.secret)
    assert overridden.code == 0, overridden


def test_without_a_rule_only_those_decide_who_could_give_the_command(desk: Desk) -> None:
    """A user who may only look was the second person for every command."""
    policy = POLICY[: POLICY.index("Approvals:")]
    desk.does("policy", "set", desk.file("policy.yaml", policy))
    desk.runs(NET, SUB, BKT)
    users = {name: desk.user(name) for name in ("ann", "ben", "dan")}
    users["ann"].does("kill", "web", "--propose")
    desk.advance(3600.0)
    for words in (("approve", "1"), ("reject", "1", "-m", "no")):
        refused = users["dan"]("-y", *words)
        assert (refused.code, "takes the right to 'kill' there" in refused.err) == (Exit.PERMISSION, True), refused
    assert numbers(desk) == {1: "Open"}
    users["ben"].does("approve", "1")
    assert numbers(desk) == {1: "Executed"}


ONLY_LOOKS = "plan,status"


def token(desk: Desk, user: str, commands: str) -> Desk:
    """The desk of a user who comes with a token for these commands."""
    name = f"t{len(commands)}"
    given = desk.document("user", "token", "add", user, name, "--expires", "1d", "--only", commands)
    return Desk(desk.world, desk.shell, desk.folder, desk.services, given["secret"])


@pytest.mark.parametrize("words", [("approve", "1"), ("reject", "1", "-m", "no")])
def test_a_token_decides_nothing_that_it_was_not_made_for(
    desk: Desk, desks: dict[str, Desk], words: tuple[str, ...]
) -> None:
    """The rule names ben, and lets no token of his pass that only looks."""
    narrow, wide = token(desk, "ben", ONLY_LOOKS), token(desk, "ben", f"{ONLY_LOOKS},kill")
    desks["ann"].does("kill", "web", "--propose")
    refused = narrow("-y", *words)
    assert refused.code == Exit.PERMISSION
    assert "the token was made for less, and to decide about it takes one that was made for 'kill' there" in refused.err
    assert numbers(desk) == {1: "Open"}
    assert len(desk.things()) == 3
    wide.does(*words)
    assert numbers(desk) == {1: "Executed" if words[0] == "approve" else "Rejected"}


def test_a_token_withdraws_nothing_that_it_was_not_made_for(desk: Desk, desks: dict[str, Desk]) -> None:
    desks["ann"].does("kill", "web", "--propose")
    looks = token(desk, "ann", ONLY_LOOKS)
    assert "cannot be withdrawn by ann: the token was made for less" in looks("-y", "reject", "1").err
    desks["ann"].does("reject", "1")
    assert numbers(desk) == {1: "Withdrawn"}


def test_an_update_that_halted_is_corrected_by_an_approved_one(desk: Desk, desks: dict[str, Desk]) -> None:
    desk.fault("create", "Sub", FaultKind.DENIED, times=1)
    wrong = desk.template(NET, SUB.replace("10.0.1.0/24", "10.0.2.0/24"), BKT)
    desks["ann"].does("update", "web", wrong, "--propose")
    desks["ben"].does("approve", "1")
    desk.settle()
    assert desk.status()["state"] == "Suspended"
    desk.advance(DAY_S)
    before = desk.template(NET, SUB, name="before")
    assert "Propose it" in desks["ann"]("-y", "update", "web", before).err
    desks["ann"].does("update", "web", before, "--propose")
    told = desks["ben"].does("approve", "2")
    assert "is approved, and its update is stored: 'tenuto resume web' applies it" in told.out
    assert desk.document("proposals", "2")["reason"].endswith("the update is stored, and 'resume' applies it")
    desks["ann"].does("resume", "web")
    desk.settle()
    assert desk.status()["converged"]
    assert sorted(one.type.facts.name for one in desk.things().values()) == ["Simulated::Network", "Simulated::Subnet"]


def test_a_harmless_update_of_a_suspended_process_is_stored(desk: Desk, desks: dict[str, Desk]) -> None:
    """It was refused with the very command that was typed, since its plan cannot be executed."""
    ann, labelled = desks["ann"], desk.template(LABELLED, SUB, BKT)
    ann.does("suspend", "web")
    ann.does("update", "web", labelled, "--dry-run", "-o", str(desk.folder / "plan.json"))
    saved = ann("-y", "update", "web", "--plan", str(desk.folder / "plan.json"))
    assert (saved.code, "is Suspended" in saved.err) == (Exit.NOT_ALLOWED, True), saved
    ann.does("update", "web", labelled)
    assert desk.real("Net").properties["Label"] == "main"
    ann.does("apply", desk.template(NET.replace("main", "third"), SUB, BKT), "-a", "web")
    assert ann("-y", "update", "web", desk.template(LABELLED)).code == Exit.NOT_ALLOWED, "it deletes"
    ann.does("resume", "web")
    desk.settle()
    assert desk.real("Net").properties["Label"] == "third"


def test_a_kill_that_was_paused_asks_for_an_approval_of_what_it_still_deletes(
    desk: Desk, desks: dict[str, Desk]
) -> None:
    """The deletions rest since the pause: the next kill is what lets them go on."""
    for name in ("Bkt", "Sub"):
        desk.fault("delete", name, FaultKind.UNAVAILABLE, times=2)
    desks["ann"].does("kill", "web", "--propose")
    desks["ben"].does("approve", "1")
    desk.advance(1.0)
    desks["ben"].does("suspend", "web")
    desk.advance(DAY_S)
    rehearsed = desk("kill", "web", "--dry-run", "--detailed-exitcode")
    assert rehearsed.code == Exit.CHANGES, rehearsed
    assert "- delete Bkt (Simulated::Bucket) [bkt-1]: goes on, as an earlier command ordered" in rehearsed.out
    refused = desks["ann"]("-y", "kill", "web")
    assert "takes the approval" in refused.err, refused
    assert len(desk.things()) == 3
    desk.does("kill", "web", "--reason", "agreed before")
    desk.settle()
    assert desk.things() == {}


def interrupted(desk: Desk, act: Callable[[], object], *, reading: int = 1) -> Proposals:
    """The proposals of the same Conductor, while another user acts."""
    services = desk.services
    return Proposals(
        store=desk.world.store,
        clock=Meanwhile(desk.world.clock, act, reading=reading),
        commands=services.commands,
        gatekeeper=services.gatekeeper,
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("approve", "1"), "ben has approved proposal 1 meanwhile. It is Executed now: approved by ben."),
        (
            ("reject", "1", "-m", "too late"),
            "ben has decided about proposal 1 meanwhile. It is Rejected now: too late.",
        ),
    ],
)
def test_the_second_of_two_who_decide_at_once_is_told_who_was_first(
    desk: Desk, desks: dict[str, Desk], words: tuple[str, ...], told: str
) -> None:
    desks["cat"].does("kill", "web", "--propose", "-m", "not needed")
    late = interrupted(desk, lambda: desks["ben"].does(*words))
    digest = desk.services.proposals.proposal(1).digest
    with pytest.raises(NotAllowedError, match=f"{told} Your decision was not taken. There is nothing left to decide."):
        late.approve(Caller(name="ann"), 1, digest=digest, comment="")


def test_of_readers_who_find_at_once_that_a_proposal_is_over_each_reads_it(desk: Desk, desks: dict[str, Desk]) -> None:
    """One of them writes that it is over, and the others were told that a writer was faster."""
    for _ in range(2):
        desks["ann"].does("kill", "web", "--propose")
    desk.advance(25 * 3600.0)
    late = interrupted(desk, lambda: desk.services.proposals.proposal(1))
    assert late.proposal(1).state is ProposalState.EXPIRED
    later = interrupted(desk, lambda: desk.services.proposals.proposal(2), reading=2)
    assert [one.state for one in later.all(is_seen=lambda _: True)] == [ProposalState.EXPIRED] * 2


def test_the_second_of_two_who_find_that_a_plan_has_moved_is_told_so(desk: Desk, desks: dict[str, Desk]) -> None:
    for _ in range(2):
        desks["ann"].does("update", "web", desk.template(NET, SUB), "--propose")
    desks["ben"].does("approve", "1")
    desks["ben"]("-y", "approve", "2")
    desk.settle()
    late = interrupted(desk, lambda: desks["ben"]("-y", "approve", "2"), reading=2)
    digest = desk.services.proposals.proposal(2).digest
    with pytest.raises(NotAllowedError, match="ben has decided about proposal 2 meanwhile"):
        late.approve(Caller(name="cat"), 2, digest=digest, comment="")


class _DiedError(Exception):
    """The end of a Conductor."""


@pytest.mark.parametrize("reading", range(1, 6))
def test_a_conductor_that_dies_leaves_no_executed_plan_of_a_proposal_that_is_not(
    desk: Desk, desks: dict[str, Desk], reading: int
) -> None:
    desks["ann"].does("kill", "web", "--propose")

    def die() -> None:
        raise _DiedError

    late, digest = interrupted(desk, die, reading=reading), desk.services.proposals.proposal(1).digest
    with pytest.raises(_DiedError):
        late.approve(Caller(name="ben"), 1, digest=digest, comment="")
    assert (numbers(desk)[1] == "Executed") is (desk.status()["state"] != "Running")


def test_a_proposal_that_is_withdrawn_while_its_plan_is_made_again_is_not_executed(
    desk: Desk, desks: dict[str, Desk]
) -> None:
    desks["ann"].does("kill", "web", "--propose")
    late = interrupted(desk, lambda: desks["ann"].does("reject", "1"), reading=4)
    digest = desk.services.proposals.proposal(1).digest
    with pytest.raises(OvertakenError, match="ann has decided about proposal 1 meanwhile"):
        late.approve(Caller(name="ben"), 1, digest=digest, comment="")
    assert (numbers(desk), desk.status()["state"]) == ({1: "Withdrawn"}, "Running")
