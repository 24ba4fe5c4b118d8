"""An account that is another one all of a sudden: nothing is changed there, nothing counts as gone, and it heals."""

import pytest
from desk import BKT, GRP, NET, SUB, Desk

from tenuto.providers.simulated.faults import FaultKind

OWN, OTHER = "111111111111", "999999999999"
TOLD = (f"The account default is {OWN}", f"lead to {OTHER}", "tenuto account check default", "--keep-tags")


def swap(desk: Desk, *, is_renewed: bool = True) -> None:
    desk.world.cloud.lead("default", OTHER, is_renewed=is_renewed)


def swap_back(desk: Desk, *, is_renewed: bool = True) -> None:
    desk.world.cloud.lead("default", is_renewed=is_renewed)


def elsewhere(desk: Desk) -> list[str]:
    """What stands in any account but our own."""
    return [name for name, thing in desk.things().items() if thing.partition.account != "default"]


def asked(desk: Desk) -> int:
    return desk.world.provider.identities.asked


@pytest.mark.parametrize("is_renewed", [True, False], ids=["other key", "same key"])
def test_nothing_is_gone_and_nothing_is_made_anew_while_the_account_is_another_one(
    desk: Desk, is_renewed: bool
) -> None:
    desk.runs(NET, SUB, GRP, BKT)
    before = desk.things().keys()
    changes = desk.changes()
    swap(desk, is_renewed=is_renewed)
    desk.advance(3600.0)
    found = desk.status()
    assert found["state"] == "Running"
    assert all(part in found["last_message"] for part in TOLD)
    assert found["last_job"]["status"] == "FAILED"
    assert {one["state"] for one in found["resources"].values()} == {"Started"}
    swap_back(desk, is_renewed=is_renewed)
    desk.settle()
    assert desk.status()["converged"]
    assert desk.things().keys() == before
    assert desk.changes() == changes


@pytest.mark.parametrize("is_renewed", [True, False], ids=["other key", "same key"])
def test_a_drift_is_repaired_only_when_the_account_is_the_right_one_again(desk: Desk, is_renewed: bool) -> None:
    desk.runs(NET)
    desk.advance(40.0)
    desk.world.cloud.tamper(desk.real("Net").physical_id, "Label", "theirs")
    swap(desk, is_renewed=is_renewed)
    desk.advance(300.0)
    assert desk.real("Net").properties["Label"] == "theirs"
    swap_back(desk, is_renewed=is_renewed)
    desk.settle()
    assert desk.real("Net").properties["Label"] == "main"


@pytest.mark.parametrize("is_renewed", [True, False], ids=["other key", "same key"])
def test_what_is_declared_meanwhile_waits_and_is_made_in_the_right_account(desk: Desk, is_renewed: bool) -> None:
    desk.runs(NET)
    desk.advance(40.0)
    swap(desk, is_renewed=is_renewed)
    desk.does("update", "web", desk.template(NET, SUB, GRP))
    desk.advance(1800.0)
    assert elsewhere(desk) == []
    found = desk.status()
    assert found["state"] == "Running"
    assert OTHER in found["unconverged"]["message"]
    swap_back(desk, is_renewed=is_renewed)
    desk.settle()
    assert desk.status()["converged"]
    assert elsewhere(desk) == []


def test_a_build_whose_account_is_swapped_in_its_middle_waits_and_fails_no_resource(desk: Desk) -> None:
    desk.fault("create", "Net", FaultKind.THROTTLED, times=3)
    desk.does("run", desk.template(NET, SUB, GRP, BKT), "-a", "web")
    desk.advance(1.0)
    assert len(desk.things()) == 1
    swap(desk)
    desk.advance(3600.0)
    assert elsewhere(desk) == []
    found = desk.status()
    assert (found["state"], found["unconverged"]["why"]) == ("Running", "waiting")
    assert all(part in found["unconverged"]["message"] for part in TOLD[:2])
    swap_back(desk)
    desk.settle()
    assert desk.status()["converged"]


@pytest.mark.parametrize("is_renewed", [True, False], ids=["other key", "same key"])
def test_a_kill_does_not_end_while_its_things_stand_in_another_account(desk: Desk, is_renewed: bool) -> None:
    desk.runs(NET, SUB)
    swap(desk, is_renewed=is_renewed)
    desk.does("kill", "web")
    desk.advance(3600.0)
    assert desk.status()["state"] == "Killing"
    swap_back(desk, is_renewed=is_renewed)
    desk.settle()
    assert desk.things() == {}


def test_a_release_that_keeps_the_tags_ends_a_process_of_another_account(desk: Desk) -> None:
    desk.runs(NET)
    swap(desk)
    desk.advance(60.0)
    desk.does("release", "web", "--keep-tags")
    desk.settle()
    assert desk.document("status")["processes"] == []
    assert len(desk.things()) == 1


def test_a_conductor_that_is_started_meanwhile_holds_as_well(desk: Desk) -> None:
    desk.runs(NET)
    swap(desk)
    desk.world.crash()
    desk.world.advance(300.0)
    process = desk.world.store.process("web")
    assert process is not None
    assert OTHER in process.last_message
    swap_back(desk)
    desk.settle()
    assert len(desk.things()) == 1
    assert elsewhere(desk) == []


def test_the_account_is_told_to_be_another_one_and_since_when_it_was_right(desk: Desk) -> None:
    desk.runs(NET)
    (before,) = desk.document("account", "list")["accounts"]
    assert before["problem"] is None
    assert before["confirmed"] is not None
    swap(desk)
    desk.advance(60.0)
    (found,) = desk.document("account", "list")["accounts"]
    assert all(part in found["problem"] for part in TOLD)
    assert f"lead to {OTHER}" in desk("account", "list").out
    assert f"lead to {OTHER}" in desk("account", "show", "default").out
    swap_back(desk)
    desk.advance(60.0)
    (after,) = desk.document("account", "list")["accounts"]
    assert (after["problem"], after["confirmed"] is not None) == (None, True)


@pytest.mark.parametrize("kind", [FaultKind.DOWN, FaultKind.FORBIDDEN])
def test_writes_wait_and_say_so_while_nobody_answers_whose_the_credentials_are(desk: Desk, kind: FaultKind) -> None:
    desk.runs(NET)
    changes = desk.changes()
    desk.fault("identify", "default", kind, times=1000)
    desk.advance(400.0)
    desk.does("update", "web", desk.template(NET, SUB))
    desk.advance(600.0)
    assert desk.changes() == changes
    found = desk.status()
    assert found["state"] == "Running"
    assert "account default: identify" in found["last_message"]
    desk.world.faults.clear()
    desk.settle()
    assert desk.status()["converged"]


def test_an_account_in_which_nothing_happens_costs_one_question_in_five_minutes(desk: Desk) -> None:
    desk.runs(NET, BKT)
    before = asked(desk)
    desk.advance(3600.0)
    assert asked(desk) - before <= 13
