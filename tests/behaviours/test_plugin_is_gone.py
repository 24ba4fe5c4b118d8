"""An object that waits for a plugin which is not loaded any more: told everywhere, with what to do; both ways work."""

import pytest
from web_world import WebWorld

from tenuto.conductor.phases.plugins import Found
from tenuto.core.reports.explain import Explanation
from tenuto.model.command import ProcessState
from tenuto.model.ids import JsonMap, LogicalId
from tenuto.plugins import PhasePlugin, phase
from tenuto.ports.phase import PhaseRun
from tenuto.service.views.catalogue_view import phases_document
from tenuto.service.views.process_view import process_detail_document

MESSAGE = "No plugin of the name acme.tag is loaded. Install it and give 'tenuto phases reload'"


def acme(*, is_done: bool) -> PhasePlugin:
    @phase("acme.tag", states="Installation", types="Simulated::Server")
    def tag(run: PhaseRun) -> None:
        if is_done:
            run.complete(run.resources)

    found: PhasePlugin = tag
    return found


@pytest.fixture
def world() -> WebWorld:
    """A process whose server waits in a phase of a plugin that the Conductor has no more."""
    world = WebWorld()
    world.plugins = Found(phases=(acme(is_done=False),))
    world.crash("a plugin was installed")
    world.run()
    world.advance(120)
    assert world.live()["Server"].phases["acme.tag"].status == "Sleeping"  # type: ignore[index]
    world.plugins = None
    world.crash("the plugin was taken away")
    world.advance(60)
    return world


def status(world: WebWorld) -> JsonMap:
    return process_detail_document(world.system.queries.process("web"))


def phases(world: WebWorld, *, sees: bool = True) -> list[JsonMap]:
    document = phases_document(world.system.queries.phases(), lambda _: "web" if sees else "")
    found: list[JsonMap] = document["phases"]
    return found


def explained(world: WebWorld) -> Explanation:
    return world.system.queries.explain("web", [LogicalId("Server")])[1]


def test_status_explain_and_phases_tell_that_the_plugin_is_not_loaded(world: WebWorld) -> None:
    told = status(world)
    assert told["unconverged"]["why"] == "no-plugin"
    assert f"Server: {MESSAGE}. Without it, 'tenuto kill web' ends the process." == told["unconverged"]["message"]
    assert MESSAGE in told["resources"]["Server"]["message"]
    assert told["resources"]["Server"]["phases"]["acme.tag"]["loaded"] is False
    assert told["resources"]["Server"]["phases"]["resource.create"]["loaded"] is True
    assert any(MESSAGE in line and "'tenuto kill web'" in line for line in explained(world).resources["Server"])  # type: ignore[index]
    assert not any("is tried again" in line for line in explained(world).resources["Server"])  # type: ignore[index]
    assert any("acme.tag waits for its plugin" in line for line in explained(world).resources["Server"])  # type: ignore[index]
    [record] = [one for one in phases(world) if not one["loaded"]]
    assert (record["name"], record["states"], record["types"]) == ("acme.tag", ["Installation"], ["Simulated::Server"])
    assert f"{MESSAGE}: 1 object waits for it, of web. 'tenuto explain web'" in record["message"]
    assert f"{MESSAGE}: 1 object waits for it." in [one["message"] for one in phases(world, sees=False)]


def test_a_plugin_for_a_type_that_is_not_offered_is_loaded_with_a_warning_and_no_other_phase_has_one() -> None:
    @phase("acme.look", states="Installation", types="Simulated::Sever")
    def look(run: PhaseRun) -> None:
        run.complete(run.resources)

    world = WebWorld()
    assert world.system.warnings == ()
    world.plugins = Found(phases=(look,))
    world.crash("a plugin was installed")
    (told,) = [text for one in phases(world) for text in one["warnings"]]
    assert "acme.look is for the type Simulated::Sever" in told
    assert told.endswith("Did you mean Simulated::Server?")
    assert world.system.warnings == (told,)


def test_the_plugin_comes_back_and_the_object_goes_on(world: WebWorld) -> None:
    world.plugins = Found(phases=(acme(is_done=True),))
    world.crash("the plugin was installed again")
    world.settled()
    assert world.live()["Server"].state == "Started"
    assert status(world)["unconverged"] is None
    assert all(one["loaded"] for one in phases(world))


def test_the_kill_that_is_named_goes_on_without_the_plugin(world: WebWorld) -> None:
    world.kill()
    assert world.settle()
    assert world.process().state is ProcessState.GONE


def test_a_deletion_that_waits_for_a_plugin_ends_by_the_release_that_is_named() -> None:
    @phase("acme.leave", states="Deconfiguration", types="Simulated::Server")
    def leave(run: PhaseRun) -> None:
        return None

    world = WebWorld()
    world.plugins = Found(phases=(leave,))
    world.crash("a plugin was installed")
    world.run()
    world.settled()
    world.kill()
    world.advance(60)
    world.plugins = None
    world.crash("the plugin was taken away")
    world.advance(60)
    assert world.process().state is ProcessState.KILLING
    [line] = [line for line in explained(world).resources["Server"] if "acme.leave is loaded" in line]  # type: ignore[index]
    assert "after 'tenuto suspend web', 'tenuto release web' leaves the resource in the account" in line
    world.suspend()
    world.system.commands.release("web")
    assert world.settle()
    assert world.process().state is ProcessState.GONE
