"""Exports: one process has a name, an importer keeps what it imports, and a circle of importers can be ended."""

import pytest
from desk import Desk

BASE = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: main}}
Outputs:
  Net: {Value: !Ref Net, Export: {Name: the-net}}
"""
APP = """
Resources:
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !ImportValue the-net, CidrBlock: 10.0.1.0/24}}
"""
ALONE = """
Resources:
  Own: {Type: Simulated::Bucket, Properties: {Name: alone}}
"""
TAKEN = "The export the-net exists already in the account default, region sim-1: process base has it."


def runs(desk: Desk, alias: str, text: str) -> None:
    desk.does("run", desk.file(f"{alias}.yaml", text), "-a", alias)
    desk.settle()


def test_a_name_that_another_process_exports_is_refused(desk: Desk) -> None:
    runs(desk, "base", BASE)
    runs(desk, "other", ALONE)
    file = desk.file("second.yaml", BASE)
    for words in (
        ("run", file, "-a", "second"),
        ("run", file, "-a", "second", "--dry-run"),
        ("update", "other", file),
        ("update", "other", file, "--dry-run"),
    ):
        refused = desk("-y", *words)
        assert refused.code != 0, refused
        assert TAKEN in refused.err
    assert [one["alias"] for one in desk.document("status")["processes"]] == ["base", "other"]
    desk.does("update", "base", desk.file("base.yaml", BASE.replace("main", "other")))
    desk.settle()
    desk.does("kill", "base")
    desk.settle()
    desk.does("run", file, "-a", "second")


def test_a_stored_update_does_not_let_go_of_an_import(desk: Desk) -> None:
    runs(desk, "base", BASE)
    runs(desk, "app", APP)
    desk.does("suspend", "app")
    desk.does("update", "app", desk.file("alone.yaml", ALONE))
    for words in (("kill", "base"), ("kill", "base", "--dry-run"), ("release", "base")):
        refused = desk("-y", *words)
        assert "exports the-net, imported by app (Sub)" in refused.err, refused
    desk.does("resume", "app")
    desk.settle()
    desk.does("kill", "base")
    desk.settle()
    assert [one["alias"] for one in desk.document("status")["processes"]] == ["app"]


def test_an_importer_that_is_being_killed_holds_nothing_up(desk: Desk) -> None:
    runs(desk, "base", BASE)
    runs(desk, "app", APP)
    desk.does("kill", "app")
    desk.does("kill", "base")
    desk.settle()
    assert desk.document("status")["processes"] == []
    assert desk.things() == {}


@pytest.mark.parametrize("first", ["base", "app"])
def test_processes_that_import_from_each_other_can_be_killed_together(desk: Desk, first: str) -> None:
    exports = "\nOutputs:\n  Own: {Value: !Ref Sub, Export: {Name: the-sub}}\n"
    runs(desk, "base", BASE)
    runs(desk, "app", APP + exports)
    both = BASE.replace(
        "Outputs:", "  Two: {Type: Simulated::Bucket, Properties: {Name: !ImportValue the-sub}}\nOutputs:"
    )
    desk.does("update", "base", desk.file("base.yaml", both))
    desk.settle()
    refused = desk("-y", "update", "base", desk.file("alone.yaml", ALONE))
    assert "imported by app (Sub)" in refused.err, "an update still takes no export away"
    desk.does("kill", first)
    desk.does("kill", "app" if first == "base" else "base")
    desk.settle()
    assert desk.document("status")["processes"] == []
    assert desk.things() == {}


def test_an_importer_of_a_secret_is_told_that_it_is_not_passed_on(desk: Desk) -> None:
    secret = BASE.replace("\nResources:", "Parameters: {Word: {Type: String, NoEcho: true}}\nResources:").replace(
        "Outputs:", "Outputs:\n  Word: {Value: !Ref Word, Export: {Name: the-word}}"
    )
    desk.does("run", desk.file("base.yaml", secret), "-a", "base", "-p", "Word=hunter2")
    desk.settle()
    runs(desk, "app", APP.replace("!ImportValue the-net", "!ImportValue the-word"))
    told = " ".join(desk.does("explain", "app").out.split())
    assert "Sub imports the-word, which holds a secret and is not passed on" in told
    assert "hunter2" not in told
