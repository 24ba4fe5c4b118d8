"""Exports: one process has a name, an importer keeps what it imports, and a circle of importers can be ended."""

import pytest
from desk import DAY_S, HOUR_S, Desk

from tenuto.providers.simulated.faults import FaultKind

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


WITH_SUBNET = BASE.replace(
    "Outputs:",
    "  Inner: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.2.0/24}}\nOutputs:",
)


def original_waits_for(desk: Desk, alias: str) -> list[str]:
    """The addresses of a process of which an original waits for importers."""
    waits = desk.document("plan", alias)["waits"]
    return sorted(one["logical_id"] for one in waits if one["kind"] == "followed")


def test_an_original_stays_with_what_was_built_on_it_until_its_importers_have_followed(desk: Desk) -> None:
    runs(desk, "base", WITH_SUBNET)
    runs(desk, "app", APP)
    before = set(desk.things())
    desk.does("suspend", "app")
    desk.does("update", "base", desk.file("base.yaml", WITH_SUBNET.replace("10.0.0.0/16", "10.0.0.0/17")))
    desk.settle()
    desk.advance(DAY_S)
    desk.settle()
    assert before < set(desk.things())
    assert original_waits_for(desk, "base") == ["Inner", "Net"]
    desk.does("resume", "app")
    desk.advance(90.0)
    desk.settle()
    assert before.isdisjoint(desk.things())
    assert original_waits_for(desk, "base") == []


@pytest.mark.parametrize("end", ["kill", "release"])
def test_an_original_does_not_wait_for_an_importer_that_leaves(desk: Desk, end: str) -> None:
    runs(desk, "base", BASE)
    runs(desk, "app", APP)
    desk.does("suspend", "app")
    desk.does("update", "base", desk.file("base.yaml", BASE.replace("10.0.0.0/16", "10.0.0.0/17")))
    desk.settle()
    assert original_waits_for(desk, "base") == ["Net"]
    desk.does(end, "app")
    desk.advance(90.0)
    desk.settle()
    assert original_waits_for(desk, "base") == []


SERVER = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16}}
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24}}
  Srv: {Type: Simulated::Server, Properties: {SubnetId: !Ref Sub, Image: debian-12}}
Outputs:
  Srv: {Value: !Ref Srv, Export: {Name: the-server}}
"""
LABELLED = """
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.8.0.0/16, Label: !ImportValue the-server}}
"""


def test_an_original_with_data_goes_without_another_command_once_its_importer_has_followed(desk: Desk) -> None:
    runs(desk, "base", SERVER)
    runs(desk, "app", LABELLED)
    before = {name for name, thing in desk.things().items() if thing.type.facts.bears_data}
    desk.does("suspend", "app")
    desk.does("update", "base", desk.file("base.yaml", SERVER.replace("debian-12", "debian-13")))
    desk.settle()
    desk.advance(DAY_S)
    assert original_waits_for(desk, "base") == ["Srv"]
    assert before <= set(desk.things())
    desk.does("resume", "app")
    desk.advance(90.0)
    assert desk.status("base")["converged"]
    assert before.isdisjoint(desk.things())


def test_an_original_that_failed_does_not_wait_for_its_importers(desk: Desk) -> None:
    desk.does("run", desk.file("base.yaml", BASE), "-a", "base")
    desk.does("run", desk.file("app.yaml", APP), "-a", "app")
    desk.advance(0.0)
    [first] = desk.things()
    desk.world.cloud.tamper(first, "CidrBlock", "10.0.0.0/17")
    desk.settle()
    assert desk.status("base")["state"] == "Suspended"
    desk.does("resume", "base")
    desk.advance(90.0)
    assert desk.status("base")["converged"]
    assert first not in desk.things()


STORE = BASE.replace(
    "Outputs:", "  Logs: {Type: Simulated::Bucket, DependsOn: Net, Properties: {Name: logs}}\nOutputs:"
)


def check_refused(desk: Desk, *told: str) -> None:
    """All commands with which `other`, or a new process, would import from `base` are refused with these words."""
    file = desk.file("app.yaml", APP)
    for words in (
        ("run", file, "-a", "app"),
        ("run", file, "-a", "app", "--dry-run"),
        ("apply", file, "-a", "other"),
        ("update", "other", file),
        ("update", "other", file, "--dry-run"),
    ):
        refused = desk("-y", *words)
        assert refused.code == 5, refused
        said = " ".join(refused.err.split())
        assert [one for one in told if one not in said] == [], said


@pytest.mark.parametrize("pause_s", [1.0, HOUR_S])
def test_nothing_is_imported_from_a_process_that_is_being_killed(desk: Desk, pause_s: float) -> None:
    runs(desk, "base", STORE)
    runs(desk, "other", ALONE)
    desk.fault("delete", "Logs", FaultKind.THROTTLED, times=999)
    desk.does("kill", "base")
    desk.advance(pause_s)
    check_refused(
        desk,
        "The import the-net is refused: process base exports it and is being killed",
        "'tenuto suspend base', then 'tenuto resume base'",
    )
    desk.world.faults.clear()
    desk.advance(HOUR_S)
    desk.settle()
    desk.does("run", desk.file("app.yaml", APP), "-a", "app")
    assert "no process of this account and region gives it a value yet" in " ".join(
        desk.does("plan", "app").out.split()
    )


@pytest.mark.parametrize("pause_s", [0.0, DAY_S])
def test_nothing_is_imported_from_a_process_that_was_suspended_in_its_kill(desk: Desk, pause_s: float) -> None:
    runs(desk, "base", STORE)
    runs(desk, "other", ALONE)
    desk.fault("delete", "Logs", FaultKind.DENIED)
    desk.does("kill", "base")
    desk.settle()
    desk.does("update", "base", desk.file("base.yaml", STORE.replace("main", "late")))
    desk.advance(pause_s)
    check_refused(
        desk,
        "process base exports it and was suspended in the middle of its kill",
        "cancel the kill first: 'tenuto resume base'",
    )
    desk.does("resume", "base")
    desk.settle()
    runs(desk, "app", APP)
    assert desk.status("app")["converged"]


@pytest.mark.parametrize("pause_s", [0.0, DAY_S])
def test_nothing_is_imported_from_a_process_that_is_being_released(desk: Desk, pause_s: float) -> None:
    runs(desk, "base", STORE)
    runs(desk, "other", ALONE)
    desk.does("release", "base")
    desk.does("suspend", "base")
    desk.advance(pause_s)
    check_refused(desk, "process base exports it and is being released", "and another one exports the-net.")


@pytest.mark.parametrize("pause_s", [0.0, DAY_S])
def test_a_kill_goes_on_and_its_importer_is_not_resumed_out_of_its_own_kill(desk: Desk, pause_s: float) -> None:
    runs(desk, "base", STORE)
    runs(desk, "app", APP)
    desk.fault("delete", "Sub", FaultKind.THROTTLED, times=999)
    desk.fault("delete", "Logs", FaultKind.DENIED)
    desk.does("kill", "app")
    desk.does("kill", "base")
    desk.advance(5.0)
    desk.does("suspend", "app")
    assert desk.status("base")["state"] == "Suspended"
    desk.advance(pause_s)
    for words in (("resume", "app"), ("resume", "app", "--dry-run")):
        told = " ".join(desk("-y", *words).err.split())
        assert "The import the-net is refused" in told
        assert "cancel the kill first: 'tenuto resume base'" in told
    desk.does("kill", "base", "--dry-run")
    desk.does("kill", "base")
    assert desk.status("base")["state"] == "Killing"
    desk.world.faults.clear()
    desk.does("kill", "app")
    desk.advance(HOUR_S)
    desk.settle()
    assert desk.document("status")["processes"] == []


def test_processes_that_import_from_each_other_are_resumed_out_of_their_kills(desk: Desk) -> None:
    runs(desk, "base", BASE)
    runs(desk, "app", APP + "\nOutputs:\n  Own: {Value: !Ref Sub, Export: {Name: the-sub}}\n")
    both = BASE.replace(
        "Outputs:", "  Two: {Type: Simulated::Bucket, Properties: {Name: !ImportValue the-sub}}\nOutputs:"
    )
    desk.does("update", "base", desk.file("base.yaml", both))
    desk.settle()
    for command in ("kill", "suspend", "resume"):
        desk.does(command, "base")
        desk.does(command, "app")
    desk.settle()
    assert [one["converged"] for one in desk.document("status")["processes"]] == [True, True]


def test_an_output_shows_what_it_imports_and_an_export_passes_no_import_on(desk: Desk) -> None:
    runs(desk, "base", BASE)
    shows = ALONE + "Outputs:\n  Seen: {Value: !Join ['/', [!ImportValue the-net, !Ref Own]]}\n"
    runs(desk, "app", shows)
    network, bucket = desk.real("Net", "base").physical_id, desk.real("Own", "app").physical_id
    assert desk.status("app")["outputs"] == {"Seen": f"{network}/{bucket}"}
    refused = desk("-y", "run", desk.file("mid.yaml", shows.replace("!Ref Own]]", "!Ref Own]], Export: {Name: on}")))
    assert refused.code == 3
    assert "T605" in refused.err
