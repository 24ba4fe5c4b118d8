"""Behaviours 39 to 46: dry runs."""

import re

import pytest
from desk import BKT, NET, PAUSES_S, SUB, WEB, Desk

from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto_testing.simulation.promises import shown

RELABELLED = NET.replace("Label: main", "Label: other")
COMMANDS = ["run", "update", "resume", "kill", "release"]


def rehearsed(desk: Desk, command: str, *more: str) -> tuple[str, ...]:
    """The words of a dry run of `command` on `web`, which is made fit for it."""
    if command == "resume":
        desk.does("suspend", "web")
    target = {"run": (desk.template(BKT, name="new"),), "update": ("web", desk.template(RELABELLED))}
    return (command, *target.get(command, ("web",)), "--dry-run", *more)


@pytest.mark.parametrize("command", COMMANDS)
def test_behaviour_39_a_dry_run_prints_a_plan_and_changes_nothing(desk: Desk, command: str) -> None:
    desk.runs()
    words = rehearsed(desk, command)
    before, changes = desk.world.store.processes(live=False), desk.changes()
    told = desk(*words)
    assert told.code == 0
    assert told.out.rstrip().splitlines()[-1].startswith(("Plan:", "No changes", "Nothing"))
    assert desk.world.store.processes(live=False) == before
    assert desk.changes() == changes


def test_behaviour_40_a_dry_run_is_refused_as_its_command_would_be(desk: Desk) -> None:
    """The same exit code and the same words: compilation, validation, authorisation, state, lock, unknown names."""
    desk.runs(NET)
    desk.does("validation", "add", desk.rule("no-subnets", "Simulated::Subnet", "false"))
    desk.does("policy", "set", desk.file("policy.yaml", "TenutoPolicy: 1\nUsers: [eve]\nGrants: []\n"))
    eve = desk.user("eve")
    wrong = desk.template("  Net: {Type: Simulated::Network, Properties: {CidrBlock: !Ref No}}", name="wrong")
    violating = desk.template(NET, SUB, name="violating")
    cases = (
        (desk, 3, ("run", wrong)),
        (desk, 3, ("update", "web", wrong)),
        (desk, 3, ("run", violating)),
        (desk, 3, ("update", "web", violating)),
        (desk, 4, ("kill", "nobody")),
        (desk, 5, ("resume", "web")),
        (eve, 6, ("run", desk.template(BKT, name="other"))),
        (eve, 6, ("kill", "web")),
    )
    for who, code, words in cases:
        rehearsed, real = who("-y", *words, "--dry-run"), who("-y", *words)
        assert (rehearsed.code, real.code) == (code, code), (words, rehearsed, real)
        if code != 6:  # A dry run needs the right to plan, and says so.
            assert _without_id(rehearsed.err) == _without_id(real.err), words


def _without_id(told: str) -> str:
    """The words without the id of their request, which is another one for each."""
    return re.sub(r" \(request [0-9a-f]+\)", "", told)


def test_behaviour_40_a_dry_run_refuses_what_the_command_would_refuse(desk: Desk) -> None:
    wrong = desk.template("  Net: {Type: Simulated::Network, Properties: {CidrBlock: !Ref No}}", name="wrong")
    assert desk("run", wrong, "--dry-run").code == 3
    desk.runs(NET)
    assert desk("update", "web", wrong, "--dry-run").code == 3
    assert desk("resume", "web", "--dry-run").code == 5
    assert desk("kill", "nobody", "--dry-run").code == 4
    desk.does("property", "web", "lock", "--set", "on")
    assert desk("kill", "web", "--dry-run").code == 5


def test_behaviour_41_a_dry_run_of_a_kill_lists_every_resource_in_the_order_of_deletion(desk: Desk) -> None:
    desk.runs()
    told = [(one["op"], one["logical_id"]) for one in desk.document("kill", "web", "--dry-run")["operations"]]
    before = len(desk.world.calls)
    desk.does("kill", "web")
    desk.settle()
    deleted = [name for call in desk.world.calls[before:] if call.operation == "delete" for name in call.subjects]
    assert sorted(name for _, name in told) == sorted(set(deleted))
    assert {verb for verb, _ in told} == {"delete"}
    for order in ([name for _, name in told], deleted):
        for first, second in (("Srv", "Sub"), ("Srv", "Grp"), ("Sub", "Net"), ("Grp", "Net")):
            assert order.index(first) < order.index(second)


def test_behaviour_42_a_dry_run_shows_nothing_or_the_drift_that_would_be_reverted(desk: Desk) -> None:
    desk.runs()
    assert desk.document("update", "web", desk.template(), "--dry-run")["operations"] == []
    desk.does("suspend", "web")
    assert desk.document("resume", "web", "--dry-run")["operations"] == []
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "drifted")
    desk.advance(10)
    (operation,) = desk.document("resume", "web", "--dry-run")["operations"]
    assert (operation["op"], operation["logical_id"], operation["changes"]) == (
        "modify",
        "Net",
        [
            {
                "path": "Label",
                "before": "drifted",
                "after": "main",
                "forces_replacement": False,
                "leaves": [{"path": "Label", "before": "drifted", "after": "main"}],
            }
        ],
    )


def test_behaviour_43_dry_runs_are_in_the_history_and_marked(desk: Desk) -> None:
    desk.runs(NET)
    desk.does("kill", "web", "--dry-run")
    (rehearsal,) = [job for job in desk.document("history", "web")["jobs"] if job["kind"] == "dry-run"]
    assert (rehearsal["command"], rehearsal["plan_summary"]["delete"]) == ("kill", 1)
    assert "dry run" in desk.does("history", "web").out


def test_behaviour_44_a_dry_run_of_run_leaves_no_process_and_no_alias(desk: Desk) -> None:
    desk.does("run", desk.template(NET), "-a", "web", "--dry-run")
    assert desk.document("status")["processes"] == []
    desk.runs(NET)


@pytest.mark.parametrize("pause_s", PAUSES_S)
@pytest.mark.parametrize("command", ["run", "update", "suspended update", "resume", "kill", "release"])
def test_behaviour_45_the_command_does_what_its_dry_run_said(desk: Desk, command: str, pause_s: float) -> None:
    """Operation by operation, whatever time lies between the two, and nothing else."""
    if command != "run":
        desk.runs()
    if command in ("suspended update", "resume"):
        desk.advance(VISIBILITY_S)  # What is new and cannot be seen is not taken for gone.
        desk.does("suspend", "web")
        desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "drifted")
        desk.world.cloud.vanish(desk.real("Bkt").physical_id)
    words = {
        "run": ("run", desk.template(), "-a", "web"),
        "update": ("update", "web", desk.template(RELABELLED.replace("/16", "/15"), SUB, BKT)),
        "suspended update": ("update", "web", desk.template(RELABELLED.replace("/16", "/15"), SUB, BKT)),
        "resume": ("resume", "web"),
        "kill": ("kill", "web"),
        "release": ("release", "web"),
    }[command]
    promised = shown(desk.document(*words, "--dry-run")["operations"])
    desk.advance(pause_s)
    desk.does(*words)
    fid = desk.world.fid("web")
    if command == "suspended update":
        desk.advance(pause_s)
        desk.does("resume", "web")
    desk.settle()
    assert desk.planned("resume" if command == "suspended update" else command, fid) == [promised]


@pytest.mark.parametrize("command", COMMANDS)
def test_behaviour_46_with_json_stdout_is_one_document(desk: Desk, command: str) -> None:
    desk.runs()
    plan = desk.shell(*rehearsed(desk, command, "--json"), environ=desk.shell.environ(TENUTO_REGION="sim-1")).document
    assert plan["command"] == command
    assert plan["summary"].keys() >= {"create", "modify", "replace", "delete", "adopt", "unchanged"}
    assert desk.document("status").keys() == {"processes", "proposals", "approved_proposals"}
    assert len(WEB) == len(desk.status()["resources"])
