"""`Cloud.Node` on the virtual clock: made by a provider or by plugins, configured by plugins, found again."""

from collections.abc import Callable
from functools import partial

import pytest
from front import submission
from web_world import WebWorld

from tenuto.conductor.phases.plugins import Found
from tenuto.errors import CompileError
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.command import ProcessState
from tenuto.model.event import EventType
from tenuto.model.ids import JsonMap, LogicalId
from tenuto.model.resource import ManagedObject
from tenuto.plugins import PhasePlugin, phase
from tenuto.ports.phase import PhaseRun
from tenuto.ports.store_reads import EventQuery
from tenuto.service.intake.composition import Submission
from tenuto.service.views.process_view import process_detail_document

SIMULATED = "{MachineType: small, Image: debian, Configuration: {role: web}, Rack: 7}"
UP = ["Validation", "Allocation", "Initialization", "Configuration", "Installation", "Started"]
DOWN = ["Deconfiguration", "Deallocation", "Terminated"]


class Steps:
    """What plugins did, and whether the installation succeeds."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.problem = ""

    def plugin(
        self, name: str, state: str, act: Callable[[PhaseRun], None], provider: str | None = None
    ) -> PhasePlugin:
        made: PhasePlugin = phase(name, states=state, types="Cloud::Node", provider=provider)(act)
        return made

    def configure(self, run: PhaseRun) -> None:
        for node in run.resources:
            self.done.append(f"configure {node['Configuration']['role']} on {node['InstanceId']}")
            run.complete(node)

    def install(self, run: PhaseRun) -> None:
        for node in run.resources:
            if self.problem:
                run.fail(node, self.problem)
            else:
                self.done.append(f"install on {node['InstanceId']} in rack {node['Rack']}")
                run.complete(node)

    def tidy(self, run: PhaseRun) -> None:
        for node in run.resources:
            self.done.append(f"tidy {node.physical_id}")
            run.complete(node)

    def plugins(self) -> Found:
        return Found(
            phases=(
                self.plugin("Site.Configure", "Configuration", self.configure),
                self.plugin("Site.Install", "Installation", self.install),
                self.plugin("Site.Tidy", "Deconfiguration", self.tidy),
            )
        )


class NodeWorld(WebWorld):
    """A process of one node, `Worker`."""

    def declare(self, properties: str = SIMULATED, type_name: str = "Cloud::Node") -> Submission:
        return submission(f"Resources: {{Worker: {{Type: {type_name}, Properties: {properties}}}}}", region="us-east-1")

    def begin(self, properties: str = SIMULATED, type_name: str = "Cloud::Node") -> None:
        self.system.commands.run(self.declare(properties, type_name), alias="web")

    def change(self, properties: str) -> None:
        self.system.commands.update("web", self.declare(properties))

    @property
    def node(self) -> ManagedObject:
        return self.live()["Worker"]

    def states(self, node: ManagedObject) -> list[str]:
        """The states that an incarnation came to, in their order."""
        query = EventQuery(types=(EventType.OBJECT_STATE,))
        events = [one for one in self.store.events(query) if one.object_id == node.object_id]
        return [one.after for one in sorted(events, key=lambda one: one.number)]

    def shown(self) -> JsonMap:
        found: JsonMap = process_detail_document(self.system.queries.process("web"))["resources"]["Worker"]
        return found


@pytest.fixture
def steps() -> Steps:
    return Steps()


@pytest.fixture
def world(steps: Steps) -> NodeWorld:
    world = NodeWorld()
    world.plugins = steps.plugins()
    world.crash("plugins were installed")
    return world


@pytest.mark.parametrize("type_name", ["Cloud::Node", "Cloud.Node"])
def test_a_node_walks_up_through_every_state_and_down_again(world: NodeWorld, steps: Steps, type_name: str) -> None:
    world.begin(type_name=type_name)
    world.settled()
    node = world.node
    assert (node.type, node.state, node.physical_id) == (CLOUD_NODE, "Started", "node-1")
    assert world.states(node) == UP
    assert steps.done == ["configure web on node-1", "install on node-1 in rack 7"]
    world.kill()
    world.settle()
    assert world.states(node) == [*UP, *DOWN]
    assert steps.done[2:] == ["tidy node-1"]
    assert world.cloud.things() == ()


def test_a_node_that_was_terminated_behind_our_back_is_made_anew(world: NodeWorld, steps: Steps) -> None:
    world.begin()
    world.settled()
    first = world.node
    world.cloud.terminate("node-1")
    world.advance(120)
    world.settled()
    assert (world.node.incarnation, world.node.state, world.node.physical_id) == (2, "Started", "node-2")
    assert world.states(first) == [*UP, "Terminated"]
    assert steps.done[2:] == ["configure web on node-2", "install on node-2 in rack 7"]


def test_a_plugin_that_fails_in_installation_leaves_the_node_there_until_a_retry(
    world: NodeWorld, steps: Steps
) -> None:
    steps.problem = "no space left"
    world.begin()
    world.advance(120)
    assert (world.node.state, world.node.is_phase_failed) == ("Installation", True)
    assert world.shown()["phases"]["Site.Install"]["message"] == "no space left"
    steps.problem = ""
    world.resume()
    world.settled()
    assert (world.node.state, world.node.physical_id) == ("Started", "node-1")


def test_a_free_property_is_changed_in_place_and_another_image_makes_another_machine(
    world: NodeWorld, steps: Steps
) -> None:
    world.begin()
    world.settled()
    world.change(SIMULATED.replace("role: web", "role: mail"))
    world.settled()
    assert (world.node.incarnation, steps.done[2]) == (1, "configure mail on node-1")
    world.change(SIMULATED.replace("debian", "fedora"))
    world.settled()
    assert (world.node.incarnation, world.node.physical_id) == (2, "node-2")


def test_what_somebody_changes_of_the_machine_is_set_back(world: NodeWorld) -> None:
    world.begin()
    world.settled()
    world.cloud.tamper("node-1", "Rack", 8)
    world.advance(120)
    world.settled()
    assert [one.properties["Rack"] for one in world.cloud.things()] == [7]


def test_a_node_that_is_kept_alive_is_not_deleted_and_says_what_to_do(world: NodeWorld) -> None:
    world.begin(SIMULATED.replace("{MachineType", "{KeepAlive: true, MachineType"))
    world.settled()
    world.kill()
    world.advance(120)
    assert (world.node.state, len(world.cloud.things())) == ("Deconfiguration", 1)
    assert "KeepAlive is true" in world.shown()["message"]


class Acme:
    """A cloud that Tenuto knows nothing of."""

    def __init__(self) -> None:
        self.machines: list[str] = []

    def create(self, run: PhaseRun) -> None:
        for node in run.resources:
            self.machines.append(str(node["MachineType"]))
            node["InstanceId"] = f"i-{len(self.machines)}"
            run.complete(node)

    def delete(self, run: PhaseRun) -> None:
        self.machines.clear()
        run.complete(run.resources)

    def plugins(self) -> Found:
        declare = partial(phase, types="Cloud.Node", provider="acme")
        return Found(
            phases=(
                declare("Acme.Create", states="Allocation")(self.create),
                declare("Acme.Delete", states="Deallocation")(self.delete),
            )
        )


def test_plugins_alone_make_the_machines_of_a_provider_that_tenuto_does_not_know() -> None:
    acme, world = Acme(), NodeWorld()
    world.plugins = acme.plugins()
    world.crash("plugins were installed")
    world.begin("{Provider: acme, MachineType: large}")
    world.settled()
    assert (world.node.state, world.node.physical_id, acme.machines) == ("Started", "i-1", ["large"])
    assert "resource.create" not in world.node.phases
    world.advance(600)
    world.settled()
    assert (world.node.incarnation, world.cloud.things()) == (1, ())
    world.change("{Provider: acme, MachineType: huge}")
    world.settled()
    assert (world.node.incarnation, world.node.physical_id) == (2, "i-2")
    world.kill()
    world.settle()
    assert acme.machines == []


@pytest.mark.parametrize("is_all_gone", [True, False])
def test_a_node_is_not_told_as_deleted_while_the_plugin_that_gives_its_machine_back_is_gone(is_all_gone: bool) -> None:
    acme, world = Acme(), NodeWorld()
    world.plugins = whole = acme.plugins()
    world.crash("plugins were installed")
    world.begin("{Provider: acme, MachineType: large}")
    world.settled()
    world.plugins = Found(phases=() if is_all_gone else whole.phases[:1])
    world.crash("the plugin was taken away")
    world.advance(120)
    world.kill()
    world.settle()
    assert (world.node.state, acme.machines) == ("Deconfiguration", ["large"])
    assert "nothing would give its machine back" in world.shown()["message"]
    world.plugins = whole
    world.crash("the plugin is there again")
    world.advance(120)
    world.kill()
    world.settle()
    assert acme.machines == []
    assert world.process().state is ProcessState.GONE


def test_a_node_whose_plugins_never_gave_a_machine_back_is_deleted_as_before() -> None:
    acme, world = Acme(), NodeWorld()
    world.plugins = Found(phases=acme.plugins().phases[:1])
    world.crash("plugins were installed")
    world.begin("{Provider: acme, MachineType: large}")
    world.settled()
    world.kill()
    world.settle()
    assert world.process().state is ProcessState.GONE


def test_a_node_that_lacks_what_its_provider_needs_is_refused_and_one_of_plugins_is_not(world: NodeWorld) -> None:
    with pytest.raises(CompileError) as refused:
        world.begin("{Provider: simulated, Rack: 7}")
    told = [(one.detail, one.hint) for one in refused.value.diagnostics]
    assert [detail for detail, _ in told] == [
        "Cloud.Node Worker needs Image on simulated.",
        "Cloud.Node Worker needs MachineType on simulated.",
    ]
    assert told[0][1] == "Add Image, or name another provider in its property Provider."
    world.begin("{Provider: rack, Rack: 7}")
    assert world.system.store.process("web") is not None


def test_a_provider_that_nothing_is_there_for_fails_in_validation_until_its_plugin_is_there() -> None:
    world = NodeWorld()
    world.begin("{Provider: acme, MachineType: large}")
    world.advance(60)
    assert world.node.state == "Validation"
    assert "Provider 'acme' is not the provider of this process (simulated)" in world.shown()["message"]
    world.plugins = Acme().plugins()
    world.crash("the plugin was installed")
    world.resume()
    world.settled()
    assert world.node.state == "Started"


def test_what_a_plugin_remembers_of_a_node_is_shown_by_status_and_explain() -> None:
    def install(run: PhaseRun) -> None:
        for node in run.resources:
            run.data(node)["directory"] = "/tmp/1"

    world = NodeWorld()
    world.plugins = Found(phases=(phase("Site.Install", states="Installation", types="Cloud.Node")(install),))
    world.crash("a plugin was installed")
    world.begin()
    world.advance(60)
    phases = world.shown()["phases"]
    assert phases["Site.Install"]["data"] == {"directory": "/tmp/1"}
    assert phases["resource.create"]["data"] == {}, "that of Tenuto's own phases says nothing to people"
    lines = world.system.queries.explain("web", [LogicalId("Worker")])[1].resources[LogicalId("Worker")]
    assert 'Phase Site.Install has noted directory = "/tmp/1"' in lines


RESTING = SIMULATED.replace("{MachineType", "{TargetState: Deallocated, MachineType")


def test_a_node_rests_without_a_machine_and_comes_back_with_a_new_one(world: NodeWorld, steps: Steps) -> None:
    world.begin()
    world.settled()
    node = world.node
    world.change(RESTING)
    process = world.settled()
    assert (world.node.object_id, world.node.state, world.node.physical_id) == (node.object_id, "Deallocated", None)
    assert (world.cloud.things(), process.state) == ((), ProcessState.RUNNING)
    assert world.shown()["status"] == "resting"
    world.advance(600)
    world.settled()
    assert (world.node.incarnation, world.cloud.things()) == (1, ()), "it is not made anew while it is to rest"
    world.change(SIMULATED)
    world.settled()
    assert (world.node.object_id, world.node.state, world.node.physical_id) == (node.object_id, "Started", "node-2")
    assert world.states(node) == [*UP, "Deconfiguration", "Deallocation", "Deallocated", *UP]
    assert steps.done[-1] == "install on node-2 in rack 7"


def test_a_node_at_rest_takes_another_image_for_its_next_machine_and_can_be_deleted(world: NodeWorld) -> None:
    world.begin()
    world.settled()
    world.change(RESTING)
    world.settled()
    world.change(RESTING.replace("debian", "fedora"))
    world.settled()
    assert (world.node.incarnation, world.node.state) == (1, "Deallocated")
    world.change(SIMULATED.replace("debian", "fedora"))
    world.settled()
    assert [(one.physical_id, one.properties["Image"]) for one in world.cloud.things()] == [("node-2", "fedora")]
    world.change(RESTING.replace("debian", "fedora"))
    world.settled()
    world.kill()
    world.settle()
    assert world.cloud.things() == ()
    assert world.process().state == ProcessState.GONE


def test_a_node_that_is_declared_at_rest_has_no_machine_until_it_is_wanted(world: NodeWorld) -> None:
    world.begin(RESTING)
    world.settled()
    assert (world.node.state, world.cloud.things()) == ("Deallocated", ())
    world.change(SIMULATED)
    world.settled()
    assert (world.node.state, world.node.physical_id) == ("Started", "node-1")


def test_a_node_on_its_way_to_rest_can_be_turned_back(world: NodeWorld) -> None:
    world.begin()
    world.settled()
    world.change(RESTING)
    world.work()
    world.change(SIMULATED)
    world.settled()
    assert world.node.state == "Started"
    assert len(world.cloud.things()) == 1
