"""`Cloud.Node` on simulated hosts of the local cloud, by a whole Conductor: made, held, at rest, and deleted."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from images import digest as digest_of
from images import disk
from left_off_world import LeftOffWorld
from local_world import LocalWorld, a, shop, submission
from stepped_hosts import HostsWorld
from web_world import composed

from tenuto.compositions.documents.canonical import digest
from tenuto.compositions.documents.document import to_document
from tenuto.conductor.phases.plugins import Found
from tenuto.core.pacing.visibility import CREATE
from tenuto.errors import CompileError, NotAllowedError, NotFoundError
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration, DeletionPolicy, Output, Parameter
from tenuto.model.event import EventType
from tenuto.model.ids import Json, LogicalId, ObjectId
from tenuto.plugins import phase
from tenuto.ports.phase import PhaseRun
from tenuto.ports.store_reads import EventQuery
from tenuto.providers.local.drivers.simulated import KILLED
from tenuto.providers.local.hosts.blobs import HostBlobs
from tenuto.providers.local.hosts.book import HostBook
from tenuto.providers.local.rules.machines.power import AGENT_STATE, OFF_BY_GUEST, RESTART, is_left_off
from tenuto.providers.local.types import NETWORK
from tenuto.service.intake.composition import Submission
from tenuto_testing.mortality import Blow

ZONE = "us-east-1"
URL = "https://images.example/base.raw"
UP = ["Validation", "Allocation", "Initialization", "Configuration", "Installation", "Started"]
DOWN = ["Deconfiguration", "Deallocation"]


def farm(**node: Json) -> list[Declaration]:
    """A network with an interface, and a node that has it."""
    net, nic, _ = shop()
    declared: dict[str, Json] = {"MachineType": "1x512", "Network": {"Ref": "Nic"}, "Configuration": {"role": "web"}}
    worker = Declaration(
        logical_id=LogicalId("Worker"),
        type=CLOUD_NODE,
        properties={name: value for name, value in (declared | node).items() if value is not None},
        depends_on=(LogicalId("Nic"),),
    )
    return [net, nic, worker]


def asking(resources: Sequence[Declaration], *names: str) -> Submission:
    """A composition with an output for each of these attributes of the node."""
    outputs = tuple(Output(name=name, value={"Fn::GetAtt": ["Worker", name]}) for name in names)
    plain = replace(composed(*resources), outputs=outputs)
    return Submission(document=to_document(replace(plain, digest=digest(plain))), secrets={})


class FarmWorld(LocalWorld):
    """A Conductor with the local cloud and a plugin that sets nodes up."""

    def __init__(self) -> None:
        self.done: list[str] = []
        super().__init__()
        made = phase("Site.Configure", states="Configuration", types="Cloud.Node", provider="local")(self.configure)
        self.plugins = Found(phases=(made,))
        self.crash("plugins were installed")

    def configure(self, run: PhaseRun) -> None:
        for node in run.resources:
            self.done.append(f"{node['Configuration']['role']} on {node['PrivateIp']}")
            run.complete(node)

    def walk(self, name: str = "Worker") -> list[str]:
        """The states that the newest incarnation came to, in their order."""
        node = self.the(name)
        events = [
            one
            for one in self.store.events(EventQuery(types=(EventType.OBJECT_STATE,)))
            if one.object_id == node.object_id
        ]
        return [one.after for one in sorted(events, key=lambda one: one.number)]

    def room(self) -> dict[str, str]:
        """The hosts on which something is expected, by the resource."""
        names = {one.object_id: str(one.logical_id) for one in self.objects()}
        return {names[key]: hosts[0] for key, hosts in self.hosts.whereabouts(ZONE).items()}


@pytest.fixture
def world() -> FarmWorld:
    return FarmWorld()


def test_a_node_walks_up_and_down_and_leaves_nothing(world: FarmWorld) -> None:
    assert world.run(*farm()).state is ProcessState.RUNNING
    node, nic = world.the("Worker"), world.the("Nic")
    address = nic.attributes["Address"]
    assert (node.type, node.state, node.physical_id) == (CLOUD_NODE, "Started", node.object_id)
    assert world.walk() == UP
    assert world.done == [f"web on {address}"]
    shown = {name: node.attributes[name] for name in ("InstanceId", "Provider", "PrivateIp", "Hostname")}
    assert shown == {
        "InstanceId": node.object_id,
        "Provider": "local",
        "PrivateIp": address,
        "Hostname": "worker",
    }
    assert world.room()["Worker"] == node.attributes["Host"]
    [machine] = [one for one in world.specs() if one.object_id == node.object_id]
    assert (machine.properties["Vcpus"], machine.properties["MemoryMiB"]) == (1, 512)
    assert "Configuration" not in machine.properties
    world.advance(600)
    assert (world.settled().state, world.the("Worker").incarnation, len(world.done)) == (ProcessState.RUNNING, 1, 1)
    world.system.commands.kill("shop")
    assert (world.settled().state, world.things(), world.hosts.whereabouts(ZONE)) == (ProcessState.GONE, {}, {})
    assert world.walk() == [*UP, *DOWN, "Terminated"]


def test_outputs_tell_the_address_and_the_host_of_a_node_also_when_it_rested(world: FarmWorld) -> None:
    names = ("Host", "PrivateIp")
    world.system.commands.run(asking(farm(), *names), alias="shop")
    world.settled()
    told = {"Host": world.the("Worker").attributes["Host"], "PrivateIp": world.the("Nic").attributes["Address"]}
    assert world.system.queries.process("shop").outputs == told
    world.system.commands.update("shop", asking(farm(TargetState="Deallocated"), *names))
    assert world.settled().state is ProcessState.RUNNING
    world.system.commands.update("shop", asking(farm(), *names))
    world.settled()
    assert world.system.queries.process("shop").outputs["PrivateIp"] == told["PrivateIp"]


def test_a_node_that_rests_holds_nothing_on_a_host_and_comes_back(world: FarmWorld) -> None:
    world.run(*farm())
    first = world.the("Worker")
    world.update(*farm(TargetState="Deallocated"))
    node = world.the("Worker")
    assert (node.state, node.incarnation, node.physical_id) == ("Deallocated", 1, None)
    assert sorted(world.room()) == ["Net", "Nic"]
    assert "Host" not in node.attributes
    assert world.store.relations_of(node.object_id) == ()
    world.advance(300)
    world.crash("another Conductor knows it as well")
    assert (world.settled().state, world.the("Worker").state) == (ProcessState.RUNNING, "Deallocated")
    world.update(*farm())
    node = world.the("Worker")
    assert (node.state, node.object_id) == ("Started", first.object_id)
    assert world.walk() == [*UP, *DOWN, "Deallocated", *UP]
    assert (world.things()[node.object_id], len(world.done)) == ("on", 2)


def test_a_machine_that_was_killed_is_started_again_and_its_phases_run_again(world: FarmWorld) -> None:
    world.run(*farm())
    node = world.the("Worker").object_id
    world.hosts.stop_machine(node)
    assert world.things()[node] == KILLED
    world.advance(90)
    assert (world.things()[node], world.the("Worker").incarnation, len(world.done)) == ("on", 1, 2)


def test_a_host_starts_the_machine_of_a_node_again_also_when_its_guest_turned_it_off(world: FarmWorld) -> None:
    world.run(*farm())
    node = world.the("Worker").object_id
    orders = {spec.object_id: spec for _, things in world.hosts.everything().values() for spec, _ in things}
    assert not is_left_off(OFF_BY_GUEST, str(orders[node].properties[RESTART]))


class FlickeringWorld(FarmWorld, LeftOffWorld):
    """Nodes whose agents fall silent, with an output that asks for that."""


def test_the_state_of_its_agent_sets_no_node_up_again() -> None:
    world = FlickeringWorld()
    world.system.commands.run(asking(farm(), AGENT_STATE), alias="shop")
    world.settled()
    walk = world.walk()
    world.turn_off("Worker")
    assert world.system.queries.plan("shop").planning.plan.is_empty
    assert (world.walk(), len(world.done)) == (walk, 1)


def test_a_deviation_on_its_host_is_set_right(world: FarmWorld) -> None:
    world.run(*farm())
    node = world.the("Worker").object_id
    world.hosts.break_thing(node, "its tap is missing")
    world.advance(90)
    seen = {spec.object_id: seen for _, things in world.hosts.everything().values() for spec, seen in things}
    assert seen[node].properties["Deviations"] is None


def test_a_machine_that_was_destroyed_is_made_anew(world: FarmWorld) -> None:
    world.run(*farm())
    world.hosts.destroy(world.the("Worker").object_id)
    world.advance(120)
    assert (world.the("Worker").incarnation, world.the("Worker").state) == (2, "Started")
    assert list(world.things().values()).count("on") == 1


def test_a_missing_host_is_told_with_the_time_after_its_loss_of_each_kind_of_thing(world: FarmWorld) -> None:
    world.run(*farm(), a("Beside", "Instance", Vcpus=1, MemoryMiB=128, Host="h1"))
    for host in ("h1", "h2"):
        world.hosts.set_host(ZONE, host, is_up=False)
    world.advance(200)
    _, told = world.system.queries.explain("shop")
    words = {
        "Worker": "A node stays there and waits: let the host come back, or kill the node",
        "Beside": "any other is in error",
        "Net": "It moves to another gateway host then",
        "Nic": "It moves to another gateway host then",
    }
    for name, fate in words.items():
        lines = " ".join(told.resources[LogicalId(name)])
        assert "and counts as lost from" in lines
        assert {one for one in words.values() if one in lines} == {fate}, (name, lines)


def test_nothing_is_concluded_about_a_node_on_a_silent_host(world: FarmWorld) -> None:
    world.run(*farm())
    host, before = str(world.the("Worker").attributes["Host"]), world.things()
    world.hosts.set_host(ZONE, host, is_up=False)
    world.advance(900)
    world.hosts.set_host(ZONE, host, is_up=True)
    world.advance(120)
    assert (world.things(), world.the("Worker").incarnation) == (before, 1)


def test_tags_and_size_change_in_place_and_other_user_data_make_another_machine(world: FarmWorld) -> None:
    world.run(*farm(Tags={"app": "web"}))
    world.update(*farm(Tags={"app": "db"}, Configuration={"role": "db"}))
    node = world.the("Worker")
    [machine] = [one for one in world.specs() if one.object_id == node.object_id]
    assert (machine.properties["Tags"], node.incarnation, len(world.done)) == ({"app": "db"}, 1, 2)
    world.update(*farm(MachineType="2x1024"))
    node = world.the("Worker")
    [machine] = [one for one in world.specs() if "Vcpus" in one.properties]
    assert (machine.properties["Vcpus"], node.incarnation, machine.object_id) == (2, 1, node.object_id)
    world.update(*farm(MachineType="2x1024", UserData="echo"))
    [machine] = [one for one in world.specs() if "Vcpus" in one.properties]
    assert (machine.properties["UserData"], world.the("Worker").incarnation) == ("echo", 2)
    assert len(world.things()) == 3


def test_a_size_that_its_host_cannot_hold_is_refused_and_the_machine_runs_on(world: FarmWorld) -> None:
    world.run(*farm())
    assert world.update(*farm(MachineType="1x64000")).state is ProcessState.SUSPENDED
    node = world.the("Worker")
    assert "It runs on as it was" in node.message
    assert world.things()[node.object_id] == "on"
    world.update(*farm())
    world.system.commands.resume("shop")
    assert (world.settled().state, world.the("Worker").incarnation) == (ProcessState.RUNNING, 1)


def test_a_machine_that_was_taken_off_its_network_is_on_it_again_and_keeps_its_disk(world: FarmWorld) -> None:
    world.run(*farm())
    node = world.the("Worker")
    world.hosts.isolate(ZONE, str(node.attributes["Host"]), [node.object_id])
    world.advance(90)
    [seen] = [
        seen
        for _, things in world.hosts.everything().values()
        for spec, seen in things
        if spec.object_id == node.object_id
    ]
    assert seen.properties["Interfaces"] == [world.the("Nic").object_id]
    assert world.the("Worker").incarnation == 1


def test_a_node_and_an_instance_of_one_process_are_told_apart(world: FarmWorld) -> None:
    world.run(*farm(), a("Db", "Instance", Vcpus=1, MemoryMiB=512))
    world.advance(300)
    assert (world.settled().state, len(world.things())) == (ProcessState.RUNNING, 4)
    assert {one.incarnation for one in world.objects()} == {1}


def test_an_image_is_the_base_of_its_disk_and_no_image_is_refused_in_words(world: FarmWorld) -> None:
    world.run(*farm(Image="nothing"))
    node = world.the("Worker")
    assert (node.state, node.is_phase_failed) == ("Allocation", True)
    assert "disk 0 has the base nothing, and there is no artifact" in node.phases[CREATE].message
    world.update(*farm())
    world.system.commands.resume("shop")
    assert (world.settled().state, world.the("Worker").state) == (ProcessState.RUNNING, "Started")


@pytest.mark.parametrize(
    ("property_", "value", "words"),
    [
        ("SecurityGroupIds", ["sg-1"], "SecurityGroupIds"),
        ("FixedPublicIp", True, "FixedPublicIp"),
        ("Disks", [{"SizeGiB": 1}], "Disks"),
        ("Vcpus", 2, "Vcpus"),
        ("MachineType", "t3.micro", "is no size of the local cloud"),
        ("MachineType", None, "needs MachineType on local"),
        ("Tags", [{"Key": "a", "Value": "b"}], "Tags"),
        ("AwaitAgent", "yes", "AwaitAgent"),
    ],
)
def test_a_property_that_cannot_be_held_is_refused_before_anything_is_made(
    world: FarmWorld, property_: str, value: Json, words: str
) -> None:
    with pytest.raises(CompileError, match=words):
        world.system.commands.run(submission(tuple(farm(**{property_: value}))), alias="shop")
    assert world.things() == {}


def test_the_words_of_a_node_that_plugins_make_are_not_judged(world: FarmWorld) -> None:
    net, nic, worker = farm(Provider="acme", Disks=[1], Vcpus="many", MachineType="t3.micro")
    world.system.commands.run(submission((net, nic, worker)), alias="shop")
    world.settle()
    assert "no plugin has a phase of the state Allocation" in world.the("Worker").message


def test_a_node_that_fits_on_no_host_fails_in_validation_and_holds_nothing(world: FarmWorld) -> None:
    process = world.run(*farm(MachineType="1x64000"))
    assert (process.state, world.the("Worker").state) == (ProcessState.SUSPENDED, "Validation")
    assert "14336 MiB of it are for machines" in process.last_message
    assert sorted(world.room()) == ["Net", "Nic"]


def test_a_host_that_has_a_node_is_not_deleted_unasked(world: FarmWorld) -> None:
    world.run(*farm())
    host = str(world.the("Worker").attributes["Host"])
    world.advance(30)
    with pytest.raises(NotAllowedError, match="Worker"):
        world.nodes.delete(host, zone=ZONE, is_forced=False, actor="ann")


@pytest.mark.parametrize("keep_tags", [False, True])
def test_a_node_on_own_hosts_is_not_released(world: FarmWorld, keep_tags: bool) -> None:
    world.run(*farm())
    before = world.things()
    with pytest.raises(NotAllowedError, match=r"cannot be released: .*Worker \(Cloud\.Node\)"):
        world.system.commands.release("shop", keep_tags=keep_tags)
    world.advance(90)
    assert (world.settled().state, world.things()) == (ProcessState.RUNNING, before)


def test_a_kill_that_would_keep_a_node_for_ever_is_refused_before_anything_goes(world: FarmWorld) -> None:
    world.run(*farm())
    before, commands = world.things(), world.system.commands
    world.update(*farm()[:2], replace(farm()[2], deletion_policy=DeletionPolicy.RETAIN))
    for kill in (commands.dry_runs.kill, commands.kill):
        with pytest.raises(NotAllowedError, match=r"Worker \(Cloud\.Node\) is to be kept by its DeletionPolicy"):
            kill("shop")
    world.advance(90)
    assert (world.settled().state, world.things()) == (ProcessState.RUNNING, before)
    world.update(*farm())
    commands.kill("shop")
    assert (world.settled().state, world.things()) == (ProcessState.GONE, {})


def test_a_host_gets_no_secret_of_a_node_and_its_phases_do(world: FarmWorld) -> None:
    parameters = {"Password": Parameter(name="Password", fingerprint="abc")}

    def run(resources: Sequence[Declaration], alias: str) -> None:
        plain = replace(composed(*resources), parameters=parameters)
        document = to_document(replace(plain, digest=digest(plain)))
        world.system.commands.run(Submission(document=document, secrets={"Password": "open sesame"}), alias=alias)

    run(farm(UserData={"Ref": "Password"}), "shop")
    assert world.settled().state is ProcessState.SUSPENDED
    assert "which hosts do not take" in world.the("Worker").message
    assert "sesame" not in repr(world.hosts.everything())


@pytest.mark.parametrize("is_after", [False, True])
@pytest.mark.parametrize("moment", range(1, 26, 3))
def test_a_conductor_that_dies_around_any_write_makes_no_node_twice(moment: int, is_after: bool) -> None:
    world, fate = LocalWorld(), Blow(operation="commit", is_after=is_after, count=moment)
    world.system.commands.run(submission(tuple(farm())), alias="shop")
    world.fate.arm(fate)
    assert (world.settled().state, len(world.things())) == (ProcessState.RUNNING, 3)
    world.system.commands.kill("shop")
    world.fate.arm(fate)
    assert (world.settled().state, world.things()) == (ProcessState.GONE, {})
    assert world.hosts.whereabouts(ZONE) == {}
    assert world.crashes


def test_the_image_of_a_node_is_an_artifact_of_its_composition(world: FarmWorld) -> None:
    world.sources.contents[URL] = disk("base")
    base = a("Base", "Artifact", Name="base", Kind="image", Source={"Url": URL})
    net, nic, worker = farm(Image={"Ref": "Base"})
    worker = replace(worker, depends_on=(LogicalId("Base"), LogicalId("Nic")))
    assert world.run(base, net, nic, worker).state is ProcessState.RUNNING
    node = world.the("Worker")
    [machine] = [one for one in world.specs() if one.object_id == node.object_id]
    assert machine.properties["Disks"] == [{"Base": digest_of(disk("base"))}]
    world.advance(300)
    assert (world.settled().state, world.the("Worker").incarnation) == (ProcessState.RUNNING, 1)
    world.system.commands.kill("shop")
    assert (world.settled().state, world.things()) == (ProcessState.GONE, {})


def test_a_network_serves_the_name_of_a_node(world: FarmWorld) -> None:
    _, nic, worker = farm()
    world.run(a("Net", "Network", CidrBlock="10.1.0.0/24", Dns=True), nic, worker)
    world.advance(10)
    [names] = [spec.attributes["Names"] for spec in world.specs() if spec.type == NETWORK]
    assert names == [["worker", world.the("Nic").attributes["Address"]]]


def test_a_node_waits_for_the_disk_of_its_host(world: FarmWorld) -> None:
    for name in ("h1", "h2"):
        world.hosts.fill(ZONE, name)
    world.system.commands.run(submission(tuple(farm())), alias="shop")
    world.advance(120)
    assert (world.the("Worker").state, world.the("Worker").is_phase_failed) == ("Allocation", False)
    assert "no space is left" in world.the("Worker").phases[CREATE].message
    for name in ("h1", "h2"):
        world.hosts.fill(ZONE, name, is_full=False)
    assert (world.settled().state, world.the("Worker").state) == (ProcessState.RUNNING, "Started")


class TestAgents:
    """Hosts whose agents call the Conductor, by a virtual clock."""

    @pytest.fixture
    def world(self, tmp_path: Path) -> HostsWorld:
        return HostsWorld(tmp_path, hosts=2, missing_s=60.0, ahead_s=(0.0, 500.0))

    def machines(self, world: HostsWorld) -> dict[ObjectId, str]:
        return {key: power for host in world.racks.values() for key, power in host.machines().items()}

    def test_another_conductor_knows_the_place_and_the_room_of_a_node(self, world: HostsWorld) -> None:
        world.run(*farm())
        node = world.the("Worker")
        world.crash("another Conductor takes over")
        world.advance(200)
        assert (world.settled().state, world.the("Worker").incarnation) == (ProcessState.RUNNING, 1)
        assert self.machines(world) == {node.object_id: "on"}
        [there] = [one for one in world.nodes.all()["hosts"] if one["name"] == node.attributes["Host"]]
        assert there["committed_mib"] == 512

    def test_the_host_of_a_node_gets_its_image_and_no_other_host_does(self, world: HostsWorld) -> None:
        world.sources.contents[URL] = disk("base")
        net, nic, worker = farm(Image={"Ref": "Base"})
        worker = replace(worker, depends_on=(LogicalId("Base"), LogicalId("Nic")))
        world.run(a("Base", "Artifact", Name="base", Kind="image", Source={"Url": URL}), net, nic, worker)
        blobs, own = HostBlobs(world.store, world.files), world.the("Worker").attributes["Host"]
        for host in HostBook(world.store, world.clock).hosts(ZONE):
            if host.name == own:
                assert blobs.path(host, digest_of(disk("base"))).read_bytes() == disk("base")
            else:
                with pytest.raises(NotFoundError):
                    blobs.path(host, digest_of(disk("base")))

    def test_a_node_whose_host_lost_power_is_started_again(self, world: HostsWorld) -> None:
        world.run(*farm())
        node = world.the("Worker")
        host = world.racks[str(node.attributes["Host"])]
        host.lose_power()
        host.start()
        world.advance(120)
        assert (world.settled().state, self.machines(world)) == (ProcessState.RUNNING, {node.object_id: "on"})
        assert world.the("Worker").incarnation == 1

    def test_a_node_at_rest_is_on_no_host_and_a_kill_leaves_nothing(self, world: HostsWorld) -> None:
        world.run(*farm())
        world.update(*farm(TargetState="Deallocated"))
        assert self.machines(world) == {}
        world.crash("another Conductor takes over")
        world.advance(200)
        world.update(*farm())
        assert list(self.machines(world).values()) == ["on"]
        world.system.commands.kill("shop")
        assert (world.settled().state, self.machines(world)) == (ProcessState.GONE, {})

    def test_a_node_on_a_lost_host_is_made_nowhere_else_and_is_there_when_it_is_back(self, world: HostsWorld) -> None:
        world.run(*farm())
        node = world.the("Worker")
        host = world.racks[str(node.attributes["Host"])]
        host.is_cut = True
        world.advance(1200)
        _, explanation = world.system.queries.explain("shop")
        assert "is lost since" in " ".join(explanation.resources[node.logical_id])
        assert self.machines(world) == {node.object_id: "on"}
        host.is_cut = False
        world.advance(300)
        assert (world.settled().state, world.the("Worker").incarnation) == (ProcessState.RUNNING, 1)
        assert self.machines(world) == {node.object_id: "on"}

    def test_a_node_on_a_lost_host_can_be_killed(self, world: HostsWorld) -> None:
        world.run(*farm())
        host = world.racks[str(world.the("Worker").attributes["Host"])]
        host.is_cut = True
        world.advance(1200)
        world.system.commands.kill("shop")
        world.advance(300)
        host.is_cut = False
        world.advance(300)
        assert (world.settled().state, self.machines(world)) == (ProcessState.GONE, {})
