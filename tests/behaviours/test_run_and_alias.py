"""Behaviours 22 to 31: run, alias and identity."""

import threading

import pytest
from desk import HOME, NET, SUB, Desk

from tenuto.providers.simulated.faults import FaultKind
from tenuto.providers.simulated.types import BUCKET

NAMELESS = "  Bkt: {Type: Simulated::Bucket}"
WRONG = "  Net: {Type: Simulated::Network, Properties: {CidrBlock: !Ref Nowhere}}"


def test_behaviour_22_a_composition_with_an_error_is_told_with_its_place_and_sends_nothing(desk: Desk) -> None:
    ended = desk("-y", "run", desk.template(SUB.replace("!Ref Net", "net-1"), WRONG))
    assert ended.code == 3
    assert "web.yaml:3:" in ended.err
    assert "^" in ended.err
    assert "Nowhere" in ended.err
    assert desk.world.store.processes(live=False) == ()


def test_behaviour_23_warnings_ask_and_with_werror_they_refuse(desk: Desk) -> None:
    path = desk.template("  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}", "Hooks: {}")
    for more in ((), ("--json",), ("--dry-run",)):
        assert desk("-y", "run", path, "--werror", *more).code == 3
    assert desk("run", path).code == 2
    assert desk.world.store.processes(live=False) == ()
    assert "warning" in desk.does("run", path, "-a", "web").err


def test_behaviour_24_the_same_composition_run_twice_is_two_processes_with_their_own_resources(desk: Desk) -> None:
    path = desk.template(NET, SUB)
    one, other = desk.document("run", path), desk.document("run", path)
    desk.settle()
    ids = [{found["id"] for found in desk.status(made["fid"])["resources"].values()} for made in (one, other)]
    assert one["fid"] != other["fid"]
    assert [len(found) for found in ids] == [2, 2]
    assert ids[0].isdisjoint(ids[1])


def test_behaviour_25_an_alias_stands_wherever_a_fid_does(desk: Desk) -> None:
    desk.runs()
    for command in ("status", "plan", "explain", "history", "ops", "events", "suspend", "resume", "retry"):
        assert desk("-y", command, "web").code == 0
    for words in (("update", "web", desk.template()), ("property", "web", "lock"), ("release", "web", "--dry-run")):
        assert desk("-y", *words).code == 0
    assert desk("-y", "kill", "web").code == 0


def test_behaviour_26_an_alias_in_use_is_refused_before_anything_is_made(desk: Desk) -> None:
    desk.runs(NET)
    refused = desk("-y", "run", desk.template(NAMELESS, name="other"), "-a", "web")
    assert refused.code == 5
    assert "web" in refused.err
    desk.settle()
    assert len(desk.things()) == len(desk.world.store.processes()) == 1


def test_behaviour_27_the_alias_of_a_killed_process_may_be_used_again(desk: Desk) -> None:
    desk.runs(NET)
    first = desk.status()["fid"]
    desk.does("kill", "web")
    refused = desk("-y", "run", desk.template(NET), "-a", "web")
    assert (refused.code, "wait until that process is gone" in refused.err) == (5, True)
    desk.settle()
    desk.runs(NET)
    assert desk.status()["fid"] != first


def test_behaviour_28_a_name_that_exists_already_is_refused_and_not_adopted(desk: Desk) -> None:
    stranger = desk.world.cloud.add(HOME, BUCKET, {"Name": "web-logs"})
    desk.does("run", desk.template("  Bkt: {Type: Simulated::Bucket, Properties: {Name: web-logs}}"), "-a", "web")
    desk.settle()
    status = desk.status()
    assert status["state"] == "Suspended"
    assert "AlreadyExists" in status["last_message"]
    assert "web-logs" in status["last_message"]
    assert (list(desk.things()), desk.things()[stranger].owner) == ([stranger], None)


def test_behaviour_29_what_has_no_name_gets_one_of_its_own_and_keeps_its_logical_id_as_a_mark(desk: Desk) -> None:
    path = desk.template(NAMELESS)
    for alias in ("one", "other"):
        desk.does("run", path, "-a", alias)
    desk.settle()
    buckets = [desk.real("Bkt", alias) for alias in ("one", "other")]
    assert len({str(found.properties["Name"]) for found in buckets}) == 2
    assert [found.owner.logical_id for found in buckets if found.owner] == ["Bkt", "Bkt"]


def test_behaviour_30_run_returns_when_it_is_accepted_with_one_row(desk: Desk) -> None:
    ended = desk.does("run", desk.template(), "-a", "web")
    rows = ended.out.rstrip().splitlines()
    assert len(rows) == 3
    assert rows[2].startswith("Running")
    assert "Last message" not in rows[0]
    assert desk.things() == {}


@pytest.mark.parametrize(("is_denied", "code"), [(False, 0), (True, 1)], ids=["converges", "halts"])
def test_behaviour_31_run_with_wait_returns_when_all_is_there_or_when_it_was_halted(
    desk: Desk, is_denied: bool, code: int
) -> None:
    if is_denied:
        desk.fault("create", "Net", FaultKind.DENIED)
    is_over = threading.Event()

    def live() -> None:
        while not is_over.wait(0.01):
            desk.world.advance(5)

    conductor = threading.Thread(target=live)
    conductor.start()
    try:
        ended = desk("-y", "run", desk.template(NET, SUB), "-a", "web", "--wait")
    finally:
        is_over.set()
        conductor.join()
    assert ended.code == code
    assert ("AccessDenied" in ended.out + ended.err) == is_denied
