"""Data is replaced and deleted when a person could see that before, and at no other time."""

from dataclasses import replace

import pytest
from web_world import ALIAS, WebWorld, composed, web

from tenuto.model.command import ProcessState
from tenuto.model.composition import Composition
from tenuto.model.ids import Json
from tenuto.model.job import JobStatus
from tenuto.providers.simulated.faults import Fault, FaultKind
from tenuto.service.commands.plan_view import plan_document

SLOW_S = 200.0
"""The time that a new server takes here: long enough to be planned again meanwhile."""


def web_with(name: str, **properties: Json) -> Composition:
    """The composition with some properties of one resource declared otherwise."""
    return composed(
        *(
            replace(one, properties={**one.properties, **properties}) if one.logical_id == name else one
            for one in web().resources
        )
    )


@pytest.fixture
def world() -> WebWorld:
    world = WebWorld()
    world.run()
    world.settled()
    return world


def servers(world: WebWorld) -> list[str]:
    return [thing.physical_id for thing in world.cloud.things() if thing.physical_id.startswith("srv-")]


def replaced_now(world: WebWorld) -> str:
    """Begin an update that replaces the server, and stop while the new one is made. The old server's id."""
    old = world.physical("Server")
    world.provider.faults.add(Fault(kind=FaultKind.SLOW, operation="create", subject="Server", seconds=SLOW_S))
    world.update(web_with("Server", Image="new"))
    world.advance(10.0)
    assert world.physical("Server") != old
    assert old in servers(world)
    return old


def is_done(world: WebWorld, old: str) -> None:
    """The update has come to its end: another server, and not the old one."""
    process = world.settled()
    assert process.state is ProcessState.RUNNING, process.last_message
    assert servers(world) == [world.physical("Server")] != [old]


def test_drift_replaces_no_server_until_a_person_resumes(world: WebWorld) -> None:
    old = world.physical("Server")
    world.cloud.tamper(old, "Image", "theirs")
    process = world.settled()
    assert (process.state, process.last_job.status if process.last_job else None) == (
        ProcessState.SUSPENDED,
        JobStatus.HALTED,
    )
    assert f"replace Server (Simulated::Server {old}: forced by Image)" in process.last_message
    assert servers(world) == [old]
    world.advance(3600.0)
    assert servers(world) == [old]
    shown = plan_document(world.system.commands.dry_runs.resume(ALIAS))
    assert [(one["op"], one["logical_id"]) for one in shown["operations"]] == [("replace", "Server")]
    assert not shown["held"]
    world.resume()
    is_done(world, old)


def test_what_is_held_lets_everything_else_of_the_process_rest_as_it_is(world: WebWorld) -> None:
    world.cloud.tamper(world.physical("Store"), "Name", "theirs")
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    before = len(world.writes())
    assert world.settled().state is ProcessState.SUSPENDED
    assert len(world.writes()) == before


def test_an_update_that_replaces_a_server_is_its_own_approval(world: WebWorld) -> None:
    is_done(world, replaced_now(world))


def test_an_update_goes_on_with_what_it_showed_after_the_conductor_died(world: WebWorld) -> None:
    old = replaced_now(world)
    world.crash()
    is_done(world, old)


def test_an_update_goes_on_with_what_it_showed_when_something_else_drifts_meanwhile(world: WebWorld) -> None:
    old = replaced_now(world)
    first = world.process().job_id
    world.cloud.tamper(world.physical("Net"), "Label", "theirs")
    world.advance(60.0)
    assert world.process().job_id not in (None, first)
    is_done(world, old)


def test_an_update_goes_on_with_what_it_showed_after_a_job_that_came_to_nothing(world: WebWorld) -> None:
    """The new server vanishes while it is made, so another job makes another one."""
    old = replaced_now(world)
    first = world.process().job_id
    world.cloud.vanish(world.physical("Server"))
    is_done(world, old)
    jobs = {job.job_id: job for job in world.store.history(world.process().fid).jobs}
    assert first is not None
    assert jobs[first].status is not JobStatus.SUCCEEDED


def test_an_update_goes_on_with_what_it_showed_after_another_command_that_orders_nothing(world: WebWorld) -> None:
    old = replaced_now(world)
    world.system.commands.retry(ALIAS)
    world.system.commands.set_property(ALIAS, "lock", "on")
    world.cloud.vanish(world.physical("Server"))
    is_done(world, old)


def test_an_update_does_not_replace_what_drifts_while_it_is_carried_out(world: WebWorld) -> None:
    store = world.physical("Store")
    replaced_now(world)
    world.cloud.tamper(store, "Name", "theirs")
    world.cloud.vanish(world.physical("Server"))
    process = world.settled()
    assert process.state is ProcessState.SUSPENDED
    assert f"replace Store (Simulated::Bucket {store}: forced by Name)" in process.last_message
    assert "the command that it is for did not show this" in process.last_message
    assert world.physical("Store") == store
    world.resume()
    assert world.settled().state is ProcessState.RUNNING
    assert world.physical("Store") != store


def test_a_plan_file_goes_on_with_what_it_showed_after_a_job_that_came_to_nothing(world: WebWorld) -> None:
    old = world.physical("Server")
    world.cloud.tamper(old, "Image", "theirs")
    assert world.settled().state is ProcessState.SUSPENDED
    file = world.system.commands.dry_runs.resume(ALIAS).file
    assert file is not None
    world.system.commands.execute(ALIAS, file)
    world.advance(10.0)
    world.cloud.vanish(world.physical("Server"))
    is_done(world, old)


def test_a_kill_needs_no_other_approval(world: WebWorld) -> None:
    world.kill()
    assert world.settle()
    assert world.cloud.things() == ()


def test_a_release_lets_go_of_data_and_deletes_none(world: WebWorld) -> None:
    before = servers(world)
    world.system.commands.release(ALIAS)
    assert world.settle()
    assert servers(world) == before
