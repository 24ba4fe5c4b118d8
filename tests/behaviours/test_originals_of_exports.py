"""Originals behind exports: they stay while an importer uses them, however it uses them, and go once none does."""

import pytest
from desk import DAY_S, HOUR_S, MINUTE_S, Desk

from tenuto.providers.simulated.faults import Fault, FaultKind

EXPORT = "Outputs:\n  Q: {Value: %s, Export: {Name: the-buckets}}\n"
BUCKET = "  %s: {Type: Simulated::Bucket, Properties: {Name: %s}}\n"
ONE = "!Ref A"
BOTH = '!Join [",", [!Ref A, !Ref B]]'
WHOLE = "!ImportValue the-buckets"
FIRST = '!Select [0, !Split [",", !ImportValue the-buckets]]'
ENCODED = "{'Fn::Base64': !ImportValue the-buckets}"
INSIDE = "!Sub ['b-${Q}', {Q: !ImportValue the-buckets}]"


def base(desk: Desk, a: str, b: str = "", *, more: str = "", export: str = ONE) -> str:
    """The file of a process that exports its buckets."""
    resources = (BUCKET % ("A", a)) + (BUCKET % ("B", b) if b else "") + more
    return desk.file("base.yaml", f"Resources:\n{resources}{EXPORT % export}")


def app(desk: Desk, label: str = WHOLE) -> str:
    """The file of a process with a network that has this label."""
    net = f"  Net: {{Type: Simulated::Network, Properties: {{CidrBlock: 10.0.0.0/16, Label: {label}}}}}\n"
    return desk.file("app.yaml", f"Resources:\n{net}")


def runs(desk: Desk, alias: str, file: str) -> None:
    desk.does("run", file, "-a", alias)
    desk.settle()


def buckets(desk: Desk) -> set[str]:
    return {name for name in desk.things() if name.startswith("bkt-")}


def waiting(desk: Desk) -> list[str]:
    """The addresses of which originals wait for importers."""
    return sorted(one["logical_id"] for one in desk.document("plan", "base")["waits"] if one["kind"] == "followed")


def kept_by_dry_run(desk: Desk, file: str) -> list[str]:
    """The addresses of which the dry run of an update says that the original stays."""
    shown = desk.document("update", "base", file, "--dry-run")["operations"]
    return sorted(one["logical_id"] for one in shown if "the original stays" in one["reason"])


def follows(desk: Desk) -> None:
    """Resume the importer, and let the originals go."""
    desk.does("resume", "app")
    desk.advance(2 * MINUTE_S)
    assert desk.status("base")["converged"]
    assert waiting(desk) == []


@pytest.mark.parametrize("pause_s", [0.0, 5.0, HOUR_S])
def test_an_original_stays_through_a_second_replacement(desk: Desk, pause_s: float) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk))
    original = buckets(desk)
    desk.does("suspend", "app")
    desk.does("update", "base", base(desk, "two"))
    desk.advance(pause_s)
    again = base(desk, "three")
    assert kept_by_dry_run(desk, again) == ["A"]
    desk.does("update", "base", again)
    desk.advance(pause_s + MINUTE_S)
    assert original < buckets(desk)
    assert "A" in waiting(desk)
    follows(desk)
    assert len(buckets(desk)) == 1


def test_an_original_stays_when_its_successor_vanishes(desk: Desk) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk))
    original = buckets(desk)
    desk.does("suspend", "app")
    desk.does("update", "base", base(desk, "two"))
    desk.advance(HOUR_S)
    [successor] = buckets(desk) - original
    desk.world.cloud.vanish(successor)
    desk.advance(HOUR_S)
    assert original < buckets(desk)
    assert successor not in buckets(desk)
    follows(desk)
    assert len(buckets(desk)) == 1
    assert original.isdisjoint(buckets(desk))


@pytest.mark.parametrize("label", [FIRST, WHOLE, ENCODED, INSIDE])
@pytest.mark.parametrize("after", [("one2", "two"), ("one2", "two2")])
def test_every_original_of_a_list_stays_however_an_importer_reads_it(
    desk: Desk, label: str, after: tuple[str, str]
) -> None:
    runs(desk, "base", base(desk, "one", "two", export=BOTH))
    runs(desk, "app", app(desk, label))
    originals = buckets(desk)
    desk.does("suspend", "app")
    file = base(desk, *after, export=BOTH)
    replaced = ["A", "B"] if after[1] == "two2" else ["A"]
    assert kept_by_dry_run(desk, file) == replaced
    desk.does("update", "base", file)
    desk.advance(HOUR_S)
    assert originals < buckets(desk)
    assert waiting(desk) == replaced
    follows(desk)
    assert len(buckets(desk)) == 2


def test_an_original_goes_once_a_property_that_imports_from_two_processes_has_followed(desk: Desk) -> None:
    other = "Resources:\n  C: {Type: Simulated::Bucket, Properties: {Name: other}}\n"
    runs(
        desk,
        "other",
        desk.file("other.yaml", f"{other}Outputs:\n  C: {{Value: !Ref C, Export: {{Name: the-other}}}}\n"),
    )
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk, "!Join ['-', [!ImportValue the-buckets, !ImportValue the-other]]"))
    before = buckets(desk)
    desk.does("suspend", "app")
    desk.does("update", "base", base(desk, "two"))
    desk.advance(HOUR_S)
    assert before < buckets(desk)
    follows(desk)
    assert len(buckets(desk)) == 2


NETWORK = """\
  N: {Type: Simulated::Network, Properties: {CidrBlock: 10.9.0.0/16}}
  S: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref N, CidrBlock: 10.9.1.0/24, Zone: %s}}
"""


def test_an_original_stays_when_another_resource_must_go_first(desk: Desk) -> None:
    more = NETWORK % "sim-1a"
    runs(desk, "base", base(desk, "one", more=more))
    runs(desk, "app", app(desk))
    original = buckets(desk)
    desk.does("suspend", "app")
    desk.does("update", "base", base(desk, "two", more=more))
    desk.advance(DAY_S)
    desk.world.cloud.tamper(desk.status("base")["resources"]["S"]["id"], "Zone", "sim-1b")
    desk.advance(HOUR_S)
    assert original < buckets(desk)
    assert waiting(desk) == ["A"]
    file = base(desk, "three", more=NETWORK % "sim-1b")
    assert kept_by_dry_run(desk, file) == ["A"]
    desk.does("update", "base", file)
    desk.advance(HOUR_S)
    assert original < buckets(desk)
    follows(desk)


def test_an_original_in_the_way_of_its_own_successor_goes_and_the_dry_run_says_so(desk: Desk) -> None:
    runs(desk, "base", base(desk, "one", more=NETWORK % "sim-1a", export="!Ref S"))
    runs(desk, "app", app(desk))
    before = desk.status("base")["resources"]["S"]["id"]
    desk.does("suspend", "app")
    file = base(desk, "one", more=NETWORK % "sim-1b", export="!Ref S")
    assert kept_by_dry_run(desk, file) == []
    desk.does("update", "base", file)
    desk.advance(HOUR_S)
    assert before not in desk.things()
    assert desk.status("base")["converged"]


def test_an_original_that_is_still_changed_stays(desk: Desk) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk))
    original = buckets(desk)
    desk.does("suspend", "app")
    desk.world.faults.add(Fault(kind=FaultKind.THROTTLED, operation="modify", subject="A", times=99))
    desk.does("update", "base", base(desk, "one, Versioning: true"))
    desk.advance(HOUR_S)
    file = base(desk, "two")
    assert kept_by_dry_run(desk, file) == ["A"]
    desk.does("update", "base", file)
    desk.advance(HOUR_S)
    assert original < buckets(desk)
    desk.world.faults.clear()
    desk.advance(HOUR_S)
    assert desk.document("history", "base")["jobs"][-1]["status"] == "SUCCEEDED", "it ends without the importer"
    assert original < buckets(desk)
    assert waiting(desk) == ["A"]
    follows(desk)
    assert original.isdisjoint(buckets(desk))


@pytest.mark.parametrize("fault", [FaultKind.SLOW, FaultKind.THROTTLED, FaultKind.DENIED])
def test_importers_do_not_go_back_to_the_original_while_its_successor_is_changed(desk: Desk, fault: FaultKind) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk))
    runs(desk, "other", app(desk))
    original = buckets(desk)
    desk.does("suspend", "app")
    desk.does("update", "base", base(desk, "two"))
    desk.advance(HOUR_S)
    [successor] = buckets(desk) - original
    desk.world.faults.add(Fault(kind=fault, operation="modify", subject="A", times=99, seconds=3 * MINUTE_S))
    desk.does("update", "base", base(desk, "two, Versioning: true"))
    for _ in range(10):
        desk.advance(MINUTE_S)
        assert desk.status("base")["outputs"]["Q"] == successor
        assert desk.document("history", "other")["jobs"][-1]["status"] != "RUNNING"
    assert len(desk.document("history", "other")["jobs"]) == 2
    desk.world.faults.clear()
    if desk.status("base")["state"] == "Suspended":
        desk.does("resume", "base")
    desk.advance(HOUR_S)
    assert original < buckets(desk)
    follows(desk)
    assert buckets(desk) == {successor}


@pytest.mark.parametrize("label", [WHOLE, FIRST, ENCODED, INSIDE])
@pytest.mark.parametrize("pause_s", [0.0, HOUR_S, 10 * DAY_S])
def test_a_resource_that_left_the_composition_stays_until_the_importers_of_its_export_have_followed(
    desk: Desk, pause_s: float, label: str
) -> None:
    runs(desk, "base", base(desk, "one", "two"))
    runs(desk, "app", app(desk, label))
    behind = desk.status("base")["resources"]["A"]["id"]
    desk.does("suspend", "app")
    renamed = desk.file("base.yaml", f"Resources:\n{BUCKET % ('C', 'three')}{EXPORT % '!Ref C'}")
    shown = desk.document("update", "base", renamed, "--dry-run")
    assert [(one["op"], one["logical_id"]) for one in shown["operations"]] == [("create", "C"), ("delete", "B")]
    assert [(one["kind"], one["logical_id"]) for one in shown["waits"]] == [("followed", "A")]
    desk.does("update", "base", renamed)
    desk.advance(pause_s + 3 * MINUTE_S)
    assert behind in buckets(desk)
    assert len(buckets(desk)) == 2
    assert waiting(desk) == ["A"]
    follows(desk)
    assert len(buckets(desk)) == 1
    assert behind not in buckets(desk)


def test_importers_that_run_follow_before_a_resource_that_left_the_composition_goes(desk: Desk) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk))
    [behind] = buckets(desk)
    desk.does("update", "base", desk.file("base.yaml", f"Resources:\n{BUCKET % ('C', 'three')}{EXPORT % '!Ref C'}"))
    for _ in range(60):
        desk.advance(5.0)
        [label] = [one.properties["Label"] for name, one in desk.things().items() if name.startswith("net-")]
        assert label in buckets(desk), "the network names a bucket that is there"
    assert behind not in buckets(desk)
    assert desk.status("base")["converged"]


def test_a_resource_in_the_way_of_the_one_that_takes_its_export_goes_at_once(desk: Desk) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk))
    [behind] = buckets(desk)
    desk.does("suspend", "app")
    desk.does("update", "base", desk.file("base.yaml", f"Resources:\n{BUCKET % ('C', 'one')}{EXPORT % '!Ref C'}"))
    desk.advance(HOUR_S)
    assert len(buckets(desk)) == 1
    assert behind not in buckets(desk)
    assert desk.status("base")["converged"]


@pytest.mark.parametrize("command", ["kill", "release"])
def test_a_resource_that_left_the_composition_does_not_wait_once_nothing_imports(desk: Desk, command: str) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk))
    [behind] = buckets(desk)
    desk.does("suspend", "app")
    desk.does("update", "base", desk.file("base.yaml", f"Resources:\n{BUCKET % ('C', 'three')}{EXPORT % '!Ref C'}"))
    desk.advance(HOUR_S)
    assert behind in buckets(desk)
    desk.does("kill" if command == "kill" else "release", "app")
    desk.advance(HOUR_S)
    assert behind not in buckets(desk)
    assert len(buckets(desk)) == 1


@pytest.mark.parametrize("pause_s", [0.0, 10.0, MINUTE_S])
def test_an_importer_that_comes_before_the_removal_begins_keeps_the_original(desk: Desk, pause_s: float) -> None:
    runs(desk, "base", base(desk, "one"))
    original = buckets(desk)
    desk.world.faults.add(Fault(kind=FaultKind.SLOW, operation="create", subject="A", seconds=300.0))
    desk.does("update", "base", base(desk, "two"))
    desk.advance(10.0)
    desk.does("run", app(desk), "-a", "app")
    desk.advance(pause_s)
    desk.advance(MINUTE_S)
    desk.does("suspend", "app")
    desk.advance(HOUR_S)
    assert original < buckets(desk)
    assert waiting(desk) == ["A"]
    follows(desk)
    assert original.isdisjoint(buckets(desk))


def test_an_original_stays_while_a_job_may_still_build_on_it(desk: Desk) -> None:
    slow = "  Own: {Type: Simulated::Bucket, Properties: {Name: own}}\n"
    net = (
        f"  Net: {{Type: Simulated::Network, DependsOn: Own, Properties: {{CidrBlock: 10.0.0.0/16, Label: {WHOLE}}}}}\n"
    )
    runs(desk, "base", base(desk, "one"))
    original = buckets(desk)
    desk.world.faults.add(Fault(kind=FaultKind.SLOW, operation="create", subject="Own", seconds=300.0))
    desk.does("run", desk.file("app.yaml", f"Resources:\n{slow}{net}"), "-a", "app")
    desk.advance(10.0)
    desk.does("update", "base", base(desk, "two"))
    desk.advance(MINUTE_S)
    assert original < buckets(desk)
    desk.advance(HOUR_S)
    assert original.isdisjoint(buckets(desk)), "the next job of the importer has followed"
    assert desk.status("app")["converged"]
    assert desk.status("base")["converged"]


@pytest.mark.parametrize("label", [WHOLE, ENCODED])
@pytest.mark.parametrize("is_suspended", [False, True])
def test_an_update_that_is_not_applied_yet_does_not_let_go_of_an_import(
    desk: Desk, label: str, *, is_suspended: bool
) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk, label))
    desk.world.faults.add(Fault(kind=FaultKind.THROTTLED, operation="modify", subject="Net", times=99))
    desk.does("update", "app", app(desk, "own"))
    for pause_s in (0.0, MINUTE_S, HOUR_S):
        desk.advance(pause_s)
        if is_suspended and pause_s == MINUTE_S:
            desk.does("suspend", "app")
        for words in (("kill", "base"), ("kill", "base", "--dry-run"), ("release", "base")):
            refused = desk("-y", *words)
            assert "exports the-buckets, imported by app (Net)" in refused.err, refused
    desk.world.faults.clear()
    if is_suspended:
        desk.does("resume", "app")
    desk.advance(HOUR_S)
    desk.does("kill", "base")
    desk.settle()
    assert buckets(desk) == set()


def test_an_earlier_value_that_an_unapplied_update_holds_keeps_the_exporter(desk: Desk) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk))
    desk.does("suspend", "app")
    desk.does("update", "base", base(desk, "two"))
    desk.advance(HOUR_S)
    desk.does("update", "app", app(desk, "own"))
    desk.advance(HOUR_S)
    assert waiting(desk) == ["A"]
    assert "imported by app (Net)" in desk("-y", "kill", "base").err
    follows(desk)
    desk.does("kill", "base")
    desk.settle()
    assert buckets(desk) == set()


def test_a_process_on_its_way_that_imports_nothing_holds_no_exporter(desk: Desk) -> None:
    runs(desk, "base", base(desk, "one"))
    runs(desk, "app", app(desk, "own"))
    desk.world.faults.add(Fault(kind=FaultKind.THROTTLED, operation="modify", subject="Net", times=99))
    desk.does("update", "app", app(desk, "other"))
    desk.advance(MINUTE_S)
    desk.does("kill", "base")
    desk.advance(MINUTE_S)
    assert buckets(desk) == set()
