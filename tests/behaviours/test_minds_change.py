"""Minds change: what a later command keeps is kept, whatever an earlier one had begun, and however long ago."""

from typing import Any

import pytest
from desk import BKT, NET, PAUSES_S, SUB, WEB, Desk

from tenuto.core.pacing.visibility import VISIBILITY_S
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto_testing.simulation.promises import shown

SRV_ALONE = "  Srv: {Type: Simulated::Server, Properties: {SubnetId: !Ref Sub, Image: IMAGE}}"


def servers(image: str) -> tuple[str, ...]:
    return (NET, SUB, SRV_ALONE.replace("IMAGE", image))


def promised_by(desk: Desk, *words: str) -> Any:
    return shown(desk.document(*words, "--dry-run")["operations"])


def caught_in_a_deletion(desk: Desk) -> None:
    """An update has taken the bucket out, and its deletion sleeps when the process is suspended."""
    desk.runs(NET, BKT)
    desk.fault("delete", "Bkt", FaultKind.UNAVAILABLE, times=2)
    desk.does("update", "web", desk.template(NET))
    desk.advance(1)
    desk.does("suspend", "web")


@pytest.mark.parametrize("pause_s", PAUSES_S)
@pytest.mark.parametrize("way", ["resume", "plan"])
def test_a_removal_that_an_update_takes_back_deletes_nothing(desk: Desk, way: str, pause_s: float) -> None:
    caught_in_a_deletion(desk)
    kept = {name: thing for name, thing in desk.things().items() if thing.type.facts.name == "Simulated::Bucket"}
    desk.does("update", "web", desk.template(NET, BKT))
    desk.advance(pause_s)
    promised = promised_by(desk, "resume", "web")
    assert [(one["op"], one["logical_id"]) for one in promised] == [("modify", "Bkt")]
    if way == "plan":
        file = str(desk.folder / "resume.plan")
        desk.does("resume", "web", "--dry-run", "-o", file)
        desk.advance(pause_s)
        desk.does("resume", "web", "--plan", file)
    else:
        desk.does("resume", "web")
    desk.settle()
    assert desk.planned("resume") == [promised]
    assert kept.items() <= desk.things().items()
    assert desk.status()["converged"]


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_an_update_that_takes_a_removal_back_while_it_runs_deletes_nothing(desk: Desk, pause_s: float) -> None:
    desk.runs(NET, BKT)
    bucket = desk.real("Bkt")
    desk.fault("delete", "Bkt", FaultKind.UNAVAILABLE, times=10_000)
    desk.does("update", "web", desk.template(NET))
    desk.advance(min(pause_s, 3600.0))
    desk.world.faults.clear()
    desk.does("update", "web", desk.template(NET, BKT))
    desk.settle()
    assert desk.real("Bkt") is bucket


def test_nothing_is_done_for_a_command_that_cannot_be_planned_yet(desk: Desk) -> None:
    """The account cannot be observed: what was begun rests, and is not gone on with as it was ordered before."""
    caught_in_a_deletion(desk)
    desk.fault("sweep", "*", FaultKind.DOWN, times=10_000)
    desk.does("update", "web", desk.template(NET, BKT))
    desk.does("resume", "web")
    desk.advance(3600)
    assert len(desk.things()) == 2
    assert "rests until 'resume' is planned" in desk("explain", "web", "Bkt").out
    desk.world.faults.clear()
    desk.settle()
    assert len(desk.things()) == 2
    assert desk.status()["converged"]


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_changing_ones_mind_again_and_again_ends_with_the_last_word(desk: Desk, pause_s: float) -> None:
    desk.runs()
    net = desk.real("Net")
    for last in ("resume", "resume", "release"):
        desk.fault("delete", "Net", FaultKind.UNAVAILABLE, times=10_000)
        desk.does("kill", "web")
        desk.advance(12)
        desk.does("suspend", "web")
        desk.world.faults.clear()
        desk.advance(pause_s)
        desk.does(last, "web")
        if last == "resume":
            desk.settle()
            assert (len(desk.things()), desk.real("Net")) == (len(WEB), net)
    desk.settle()
    assert net in desk.things().values()


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_the_way_back_from_a_failed_replacement_keeps_the_original(desk: Desk, pause_s: float) -> None:
    desk.runs(*servers("debian-12"))
    original = desk.real("Srv")
    desk.fault("create", "Srv", FaultKind.DENIED)
    desk.does("update", "web", desk.template(*servers("debian-13")))
    desk.settle()
    assert desk.status()["state"] == "Suspended"
    desk.advance(pause_s)
    desk.does("update", "web", desk.template(*servers("debian-12")))
    promised = promised_by(desk, "resume", "web")
    assert [(one["op"], one["id"]) for one in promised] == [("delete", None)]
    desk.advance(pause_s)
    changes = desk.changes()
    desk.does("resume", "web")
    desk.settle()
    assert desk.planned("resume") == [promised]
    assert desk.real("Srv") is original
    assert desk.changes() == changes, "what was never made needs no call to be deleted"


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_the_dry_run_of_a_failed_replacement_says_what_resume_does(desk: Desk, pause_s: float) -> None:
    desk.runs(*servers("debian-12"))
    original = desk.real("Srv").physical_id
    desk.fault("create", "Srv", FaultKind.DENIED)
    desk.does("update", "web", desk.template(*servers("debian-13")))
    desk.settle()
    desk.advance(pause_s)
    promised = promised_by(desk, "resume", "web")
    assert [(one["op"], one["id"]) for one in promised] == [("create", None), ("delete", original)]
    desk.fault("create", "Srv", FaultKind.DENIED)
    desk.does("resume", "web")
    desk.settle()
    assert desk.status()["state"] == "Suspended"
    assert original in desk.things(), "nothing is deleted before its successor stands"
    assert promised_by(desk, "resume", "web") == promised
    desk.does("resume", "web")
    desk.settle()
    assert desk.planned("resume") == [promised, promised]
    assert original not in desk.things()
    assert desk.status()["converged"]


def test_the_way_back_keeps_what_is_being_replaced_while_its_successor_is_made(desk: Desk) -> None:
    desk.runs(*servers("debian-12"))
    original = desk.real("Srv")
    desk.world.faults.add(Fault(kind=FaultKind.SLOW, operation="create", subject="Srv", seconds=300.0))
    desk.does("update", "web", desk.template(*servers("debian-13")))
    desk.advance(10)
    desk.does("update", "web", desk.template(*servers("debian-12")))
    desk.settle()
    assert desk.real("Srv") is original
    assert len(desk.things()) == 3


@pytest.mark.parametrize("pause_s", PAUSES_S)
def test_the_way_back_keeps_what_was_replaced_and_is_not_deleted_yet(desk: Desk, pause_s: float) -> None:
    desk.runs(*servers("debian-12"))
    original = desk.real("Srv")
    desk.fault("delete", "Srv", FaultKind.UNAVAILABLE, times=10_000)
    desk.does("update", "web", desk.template(*servers("debian-13")))
    desk.advance(120)
    assert len(desk.things()) == 4, "the successor stands beside the original, which cannot be deleted"
    desk.does("suspend", "web")
    desk.world.faults.clear()
    desk.advance(pause_s)
    desk.does("update", "web", desk.template(*servers("debian-12")))
    promised = promised_by(desk, "resume", "web")
    assert {(one["op"], one["logical_id"]) for one in promised} == {("modify", "Srv"), ("delete", "Srv")}
    desk.does("resume", "web")
    desk.settle()
    assert desk.planned("resume") == [promised]
    assert desk.real("Srv") is original
    assert len(desk.things()) == 3


def test_references_mean_the_incarnation_that_stands_again(desk: Desk) -> None:
    """The subnet was replaced and what stands in it was not: the way back touches neither."""
    moved = SUB.replace("10.0.1.0/24", "10.0.2.0/24")
    desk.runs(*servers("debian-12"))
    before = {name: desk.real(name) for name in ("Net", "Sub", "Srv")}
    desk.fault("create", "Srv", FaultKind.DENIED)
    desk.does("update", "web", desk.template(NET, moved, servers("debian-12")[-1]))
    desk.settle()
    assert len(desk.things()) == 4
    desk.does("update", "web", desk.template(*servers("debian-12")))
    desk.does("resume", "web")
    desk.settle()
    assert {name: desk.real(name) for name in before} == before
    assert len(desk.things()) == 3


def test_a_retained_thing_that_is_being_let_go_is_kept_when_it_is_declared_again(desk: Desk) -> None:
    retained = BKT.replace("Simulated::Bucket,", "Simulated::Bucket, DeletionPolicy: Retain,")
    desk.runs(NET, retained)
    bucket = desk.real("Bkt")
    desk.fault("disclaim", "Bkt", FaultKind.UNAVAILABLE, times=10_000)
    desk.does("update", "web", desk.template(NET))
    desk.advance(10)
    desk.world.faults.clear()
    desk.does("update", "web", desk.template(NET, retained))
    desk.settle()
    assert desk.real("Bkt") is bucket
    assert bucket.owner is not None, "its marks are written again"


def test_what_was_replaced_stays_as_long_as_its_successor_is_not_ready(desk: Desk) -> None:
    """A successor that fails and is not tried again: no plan announces the deletion of what works."""
    desk.runs(*servers("debian-12"))
    desk.fault("create", "Srv", FaultKind.DENIED, times=10)
    desk.does("update", "web", desk.template(*servers("debian-13")))
    desk.settle()
    process = desk.world.store.process("web")
    assert process is not None
    planning = desk.world.system.conductor.preview(process, desk.world.store.composition(process.composition_digest))
    assert planning.plan.operations == ()
    assert [wait.message for wait in planning.waits if "stays until" in wait.message]


def test_a_thing_that_vanished_in_between_is_not_turned_back(desk: Desk) -> None:
    caught_in_a_deletion(desk)
    desk.advance(VISIBILITY_S)
    for name, thing in list(desk.things().items()):
        if thing.type.facts.name == "Simulated::Bucket":
            desk.world.cloud.vanish(name)
    desk.does("update", "web", desk.template(NET, BKT))
    promised = promised_by(desk, "resume", "web")
    assert [(one["op"], one["logical_id"]) for one in promised] == [("delete", "Bkt"), ("create", "Bkt")]
    desk.does("resume", "web")
    desk.settle()
    assert desk.planned("resume") == [promised]
