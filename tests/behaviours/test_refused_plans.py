"""A plan in which the audit finds an error is never executed."""

from dataclasses import replace

import pytest
from web_world import WebWorld, composed, web

from tenuto.errors import BugError
from tenuto.model.ids import PhaseName
from tenuto.model.job import JobStatus
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.ports.store_changes import SaveObject

NAME = PhaseName("an.old.phase")


@pytest.fixture
def world() -> WebWorld:
    """The process stands, and the stored object of Net has an open phase of a state that it has left."""
    world = WebWorld()
    world.run()
    world.settled()
    net = world.live()["Net"]
    strange = PhaseEntry(phase=NAME, state="Validation", status=PhaseStatus.BLOCKED)
    broken = replace(net, phases={**net.phases, NAME: strange})
    world.store.commit([SaveObject(object=broken, expected_generation=net.generation, entries=(NAME,))])
    return world


def test_a_plan_about_a_broken_object_is_refused_and_touches_nothing(world: WebWorld) -> None:
    writes = world.writes()
    world.cloud.tamper(world.physical("Net"), "Label", "changed")
    world.next_job()
    process = world.process()
    assert process.last_job is not None
    assert (process.state, process.last_job.status) == ("Running", JobStatus.FAILED)
    assert process.last_message.startswith("Tenuto refuses its own plan and changes nothing. A005 ")
    assert "'tenuto doctor web --json'" in process.last_message
    assert world.writes() == writes
    assert world.store.history(process.fid).jobs[-1].plan_id is None


def test_a_plan_about_other_resources_is_executed(world: WebWorld) -> None:
    world.cloud.tamper(world.physical("Left"), "Label", "changed")
    composition = web()
    left = next(one for one in composition.resources if one.logical_id == "Left")
    labelled = replace(left, properties={**left.properties, "Label": "one"})
    world.update(composed(*(labelled if one is left else one for one in composition.resources)))
    world.advance(60)
    assert "Left" in world.writes()[-1]


def test_the_refusal_is_told_once_in_the_history(world: WebWorld) -> None:
    world.cloud.tamper(world.physical("Net"), "Label", "changed")
    for _ in range(3):
        world.next_job()
    failed = [job for job in world.store.history(world.process().fid).jobs if job.status is JobStatus.FAILED]
    assert len(failed) == 1


def test_a_plan_file_about_a_broken_object_is_refused_and_touches_nothing(world: WebWorld) -> None:
    commands = world.system.commands
    world.suspend()
    world.cloud.tamper(world.physical("Net"), "Label", "changed")
    file = commands.dry_runs.resume("web").file
    writes = world.writes()
    with pytest.raises(BugError, match=r"refuses its own plan and changes nothing\. A005"):
        commands.execute("web", file)
    assert (world.process().state, world.writes()) == ("Suspended", writes)
