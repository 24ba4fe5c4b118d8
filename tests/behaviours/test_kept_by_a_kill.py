"""A kill deletes nothing that the composition says is to stay, whenever that was said, and a kill that is cancelled
finds everything that it would have kept.
"""

import pytest
from desk import BKT, NET, PAUSES_S, SUB, Desk

from tenuto.cli.terminal.exits import Exit
from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto.providers.simulated.faults import FaultKind

KEPT = BKT.replace("Simulated::Bucket,", "Simulated::Bucket, DeletionPolicy: Retain,")


@pytest.mark.parametrize("is_suspended", [True, False])
@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_a_policy_counts_from_the_moment_that_it_was_accepted(desk: Desk, pause_s: float, is_suspended: bool) -> None:
    desk.runs(NET, BKT)
    bucket = desk.real("Bkt")
    if is_suspended:
        desk.does("suspend", "web")
        desk.advance(pause_s)
    desk.does("update", "web", desk.template(NET, KEPT))
    desk.advance(pause_s)
    promised = desk.document("kill", "web", "--dry-run")["operations"]
    assert {one["logical_id"]: one["op"] for one in promised} == {"Net": "delete", "Bkt": "release"}
    desk.does("kill", "web")
    desk.settle()
    assert list(desk.things().values()) == [bucket]
    assert bucket.owner is None


@pytest.mark.parametrize("is_changed", [False, True])
def test_a_kill_says_the_policy_in_the_word_that_is_declared(desk: Desk, is_changed: bool) -> None:
    """Of what was ready once, RetainExceptOnCreate means Retain, and a change stores it so."""
    kept = KEPT.replace("Retain", "RetainExceptOnCreate")
    desk.runs(NET, kept)
    if is_changed:
        desk.does("update", "web", desk.template(NET, kept.replace("web-logs", "web-logs, Versioning: true")))
        desk.settle()
    [promised] = [one for one in desk.document("kill", "web", "--dry-run")["operations"] if one["op"] == "release"]
    assert promised["reason"] == "kill; DeletionPolicy RetainExceptOnCreate"
    bucket = desk.real("Bkt")
    desk.fault("disclaim", "Bkt", FaultKind.DENIED)
    desk.does("kill", "web")
    desk.settle()
    assert desk.status()["state"] == "Suspended"
    desk.does("kill", "web")
    desk.settle()
    assert list(desk.things().values()) == [bucket]


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_the_way_on_after_a_deletion_that_failed_is_to_keep_the_thing(desk: Desk, pause_s: float) -> None:
    desk.runs(NET, BKT)
    bucket = desk.real("Bkt")
    desk.fault("delete", "Bkt", FaultKind.DENIED, times=10_000)
    desk.does("kill", "web")
    desk.settle()
    assert desk.status()["state"] == "Suspended"
    desk.advance(pause_s)
    desk.does("update", "web", desk.template(NET, KEPT))
    desk.advance(pause_s)
    desk.does("kill", "web")
    desk.settle()
    assert desk("status", "web").code == Exit.NOT_FOUND, "it is gone"
    assert list(desk.things().values()) == [bucket]


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_a_kill_that_is_cancelled_finds_what_it_would_have_kept(desk: Desk, pause_s: float) -> None:
    desk.runs(NET, KEPT)
    before = desk.things()
    desk.fault("delete", "Net", FaultKind.DENIED, times=10_000)
    desk.does("kill", "web")
    desk.advance(VISIBILITY_S)
    desk.settle()
    assert desk.status()["state"] == "Suspended"
    desk.advance(pause_s)
    promised = desk.document("resume", "web", "--dry-run")["operations"]
    assert [(one["op"], one["logical_id"]) for one in promised] == [("modify", "Net")], (
        "only its deletion is taken back"
    )
    desk.world.faults.clear()
    desk.does("resume", "web")
    desk.settle()
    assert desk.things() == before
    assert desk.status()["converged"]
    desk.advance(pause_s)
    desk.does("kill", "web")
    desk.settle()
    assert [thing.type.facts.name for thing in desk.things().values()] == ["Simulated::Bucket"]


def test_what_a_deletion_needs_is_let_go_of_before_it(desk: Desk) -> None:
    """A subnet that stays has its network stay, too: the kill tries, and says so, rather than wait for itself."""
    subnet = SUB.replace("Simulated::Subnet,", "Simulated::Subnet, DeletionPolicy: Retain,")
    desk.runs(NET, subnet)
    planned = desk.document("kill", "web", "--dry-run")
    assert [(one["op"], one["logical_id"]) for one in planned["operations"]] == [("release", "Sub"), ("delete", "Net")]
    assert planned["waves"] == [["Simulated::Subnet"], ["Simulated::Network"]]
