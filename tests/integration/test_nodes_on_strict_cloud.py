"""`Cloud.Node` on AWS: instances of the strict cloud, made, kept, rested and terminated by the real AWS provider."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from strict_life import gone, is_one_of_each, patient, settled

from tenuto.conductor.phases.plugins import Found
from tenuto.errors import CompileError
from tenuto.model.event import EventType
from tenuto.model.ids import JsonMap
from tenuto.model.resource import ManagedObject
from tenuto.plugins import phase
from tenuto.ports.phase import PhaseRun
from tenuto.ports.store_reads import EventQuery
from tenuto.service.views.process_view import process_detail_document
from tenuto_testing.cloud.faults import Failure, Fault
from tenuto_testing.mortality import Blow
from tenuto_testing.strict_world import REGION, StrictWorld, submission

WORKER: JsonMap = {
    "MachineType": "t3.micro",
    "Image": "ami-0abcdef1234567890",
    "Rack": 7,
    "Configuration": {"role": "web"},
}
UP = ["Validation", "Allocation", "Initialization", "Configuration", "Installation", "Started"]
DOWN = ["Deconfiguration", "Deallocation"]
GROUP = {"Type": "AWS::EC2::SecurityGroup", "Properties": {"GroupDescription": "workers", "GroupName": "workers"}}


class Nodes(StrictWorld):
    """A process `web` with a node `Worker`, and plugins that configure, install and tidy up."""

    def __init__(self, folder: Path) -> None:
        self.done: list[str] = []
        self._folder = folder
        super().__init__(patient)
        configure = phase("Site.Configure", states="Configuration", types="Cloud.Node")(self._configure)
        install = phase("Site.Install", states="Installation", types="Cloud.Node", provider="aws")(self._install)
        tidy = phase("Site.Tidy", states="Deconfiguration", types="Cloud.Node")(self._tidy)
        self.plugins = Found(phases=(configure, install, tidy))
        self.crash("plugins were installed")

    def _configure(self, run: PhaseRun) -> None:
        for node in run.resources:
            self.done.append(f"configure {node['Configuration']['role']} on {node['PrivateIp']}")
            run.complete(node)

    def _install(self, run: PhaseRun) -> None:
        for node in run.resources:
            self.done.append(f"install on {node['InstanceId']} in rack {node['Rack']}")
            run.complete(node)

    def _tidy(self, run: PhaseRun) -> None:
        for node in run.resources:
            self.done.append(f"tidy {node.physical_id}")
            run.complete(node)

    def written(self, properties: JsonMap, **others: Mapping[str, Any]) -> Path:
        path = self._folder / "nodes.json"
        resources = {"Worker": {"Type": "Cloud::Node", "Properties": properties}, **others}
        path.write_text(json.dumps({"Resources": resources}))
        return path

    def begin(self, properties: JsonMap = WORKER, **others: Mapping[str, Any]) -> None:
        self.run(self.written(properties, **others), "web")
        settled(self)

    def change(self, properties: JsonMap, **others: Mapping[str, Any]) -> None:
        self.update(self.written(properties, **others), "web")
        settled(self)

    @property
    def node(self) -> ManagedObject:
        found = self.store.objects(self.fid("web"))
        return max((one for one in found if one.logical_id == "Worker"), key=lambda one: one.incarnation)

    @property
    def ec2(self) -> Any:
        return self.stranger().create_client("ec2", REGION)

    def instances(self) -> dict[str, str]:
        """All instances that EC2 still shows, with their states."""
        found = [one for many in self.ec2.describe_instances()["Reservations"] for one in many["Instances"]]
        return {one["InstanceId"]: one["State"]["Name"] for one in found}

    def running(self) -> list[str]:
        return [one for one, state in self.instances().items() if state == "running"]

    def states(self, node: ManagedObject) -> list[str]:
        events = self.store.events(EventQuery(types=(EventType.OBJECT_STATE,)))
        found = [one for one in events if one.object_id == node.object_id]
        return [one.after for one in sorted(found, key=lambda one: one.number)]

    def shown(self) -> JsonMap:
        found: JsonMap = process_detail_document(self.system.queries.process("web"))["resources"]["Worker"]
        return found


@pytest.fixture
def world(tmp_path: Path) -> Nodes:
    return Nodes(tmp_path)


def test_a_node_walks_up_with_an_instance_and_down_without(world: Nodes) -> None:
    before = world.standing()
    world.begin()
    node = world.node
    assert (node.type, node.state, world.running()) == ("Cloud.Node", "Started", [node.physical_id])
    assert world.states(node) == UP
    assert world.done == [
        f"configure web on {node.attributes['PrivateIp']}",
        f"install on {node.physical_id} in rack 7",
    ]
    assert node.attributes["Provider"] == "aws"
    assert node.attributes["Hostname"]
    assert world.system.queries.plan("web").planning.plan.is_empty
    is_one_of_each(world)
    gone(world, before)
    assert world.states(node) == [*UP, *DOWN, "Terminated"]
    assert world.done[2:] == [f"tidy {node.physical_id}"]


def test_ten_nodes_are_terminated_by_one_call_and_are_each_an_instance_of_their_own(world: Nodes) -> None:
    before = world.standing()
    world.begin(WORKER, **{f"More{one}": {"Type": "Cloud::Node", "Properties": WORKER} for one in range(9)})
    assert len(world.running()) == 10
    is_one_of_each(world)
    gone(world, before)
    assert world.changes().count("TerminateInstances") == 1


def test_a_node_whose_instance_was_terminated_is_made_anew(world: Nodes) -> None:
    world.begin()
    first = world.node
    world.ec2.terminate_instances(InstanceIds=[first.physical_id])
    world.advance(120)
    settled(world)
    assert (world.node.incarnation, world.running()) == (2, [world.node.physical_id])
    assert world.states(first) == [*UP, "Terminated"]
    assert len(world.done) == 4


def test_a_node_whose_instance_was_stopped_is_started_and_set_up_again(world: Nodes) -> None:
    world.begin()
    node = world.node
    world.ec2.stop_instances(InstanceIds=[node.physical_id])
    world.advance(180)
    settled(world)
    assert (world.node.object_id, world.running()) == (node.object_id, [node.physical_id])
    assert world.states(node) == [*UP, "Configuration", "Installation", "Started"]
    assert "StartInstances" in world.changes()
    assert len(world.done) == 4


def test_a_free_property_is_changed_in_place_without_a_call_and_its_end_is_a_change_too(world: Nodes) -> None:
    world.begin()
    node, calls = world.node, len(world.changes())
    world.change({**WORKER, "Configuration": {"role": "mail"}})
    assert world.done[2].startswith("configure mail on ")
    world.change({**WORKER, "Shelf": 3})
    world.change(WORKER)
    assert (world.node.object_id, len(world.changes())) == (node.object_id, calls)
    assert len(world.done) == 8
    assert world.system.queries.plan("web").planning.plan.is_empty


def test_another_image_makes_another_machine_and_groups_are_changed_in_place(world: Nodes) -> None:
    before = world.standing()
    secured = {**WORKER, "SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}]}
    world.begin(WORKER, Group=GROUP)
    first = world.node.physical_id
    world.change(secured, Group=GROUP)
    assert world.node.physical_id == first
    [found] = world.ec2.describe_instances(InstanceIds=[first])["Reservations"][0]["Instances"]
    assert [one["GroupId"] for one in found["SecurityGroups"]] == [world.ids("web")["Group"]]
    other = sorted(world.aws.images)[1]
    world.change({**secured, "Image": other}, Group=GROUP)
    assert (world.node.incarnation, world.running()) == (2, [world.node.physical_id])
    gone(world, before)


def test_a_node_rests_without_an_instance_and_comes_back_with_another(world: Nodes) -> None:
    before = world.standing()
    world.begin()
    node = world.node
    resting = {**WORKER, "TargetState": "Deallocated"}
    world.change(resting)
    assert (world.node.object_id, world.node.state, world.node.physical_id) == (node.object_id, "Deallocated", None)
    assert world.instances() == {node.physical_id: "terminated"}
    assert world.shown()["status"] == "resting"
    world.advance(600)
    settled(world)
    assert (world.running(), world.node.incarnation) == ([], 1)
    world.change(WORKER)
    assert (world.node.object_id, world.node.state) == (node.object_id, "Started")
    assert world.node.physical_id not in (None, node.physical_id)
    assert world.states(node) == [*UP, *DOWN, "Deallocated", *UP]
    world.change(resting)
    gone(world, before)


@pytest.mark.parametrize("failure", [Failure.LOST, Failure.CUT, Failure.TWICE, Failure.DONE_BUT_BUSY])
def test_an_answer_that_is_lost_makes_no_second_instance(world: Nodes, failure: Failure) -> None:
    world.aws.faults.script(Fault(failure, "RunInstances"), Fault(failure, "TerminateInstances"))
    before = world.standing()
    world.begin()
    assert world.running() == [world.node.physical_id]
    is_one_of_each(world)
    gone(world, before)


def test_a_conductor_that_dies_after_the_call_finds_the_instance_by_its_marks(world: Nodes) -> None:
    before = world.standing()
    world.fate.arm(Blow(operation="aws", is_after=True, count=1))
    world.run(world.written(WORKER), "web")
    settled(world)
    assert world.crashes[-1][1] != "plugins were installed"
    assert world.running() == [world.node.physical_id]
    world.fate.arm(Blow(operation="aws", is_after=True, count=1))
    gone(world, before)


def test_a_refused_permission_fails_the_node_with_the_words_of_aws_until_a_retry(world: Nodes) -> None:
    world.aws.faults.script(Fault(Failure.DENIED, "RunInstances", count=1000))
    world.run(world.written(WORKER), "web")
    world.advance(400)
    assert (world.node.state, world.node.is_phase_failed) == ("Allocation", True)
    assert "RunInstances" in world.shown()["message"]
    world.aws.faults.stop()
    world.system.commands.resume("web")
    settled(world)
    assert world.node.state == "Started"


def test_a_node_without_an_image_is_refused_before_it_is_a_process(world: Nodes) -> None:
    with pytest.raises(CompileError, match=r"nodes\.json:1: Cloud\.Node Worker needs Image on aws\."):
        world.run(world.written({"MachineType": "t3.micro"}), "web")
    assert world.store.processes() == ()
    world.begin()
    with pytest.raises(CompileError, match="needs Image on aws"):
        world.update(world.written({"MachineType": "t3.micro"}), "web")
    assert world.node.state == "Started"


def test_a_released_node_keeps_its_instance_without_marks_and_can_be_imported(world: Nodes) -> None:
    world.begin()
    instance = world.node.physical_id
    world.system.commands.release("web")
    assert world.settle()
    [found] = world.ec2.describe_instances(InstanceIds=[instance])["Reservations"][0]["Instances"]
    assert [one for one in found.get("Tags", ()) if one["Key"].startswith("tenuto:")] == []
    described = world.system.queries.existing([f"Cloud.Node {instance}"], region=REGION)["Resources"]
    [worker] = described.values()
    assert {"Provider", "TargetState"}.isdisjoint(worker["Properties"])
    path = world.written({}, Worker={**worker, "Properties": {**worker["Properties"], **WORKER}})
    world.system.commands.run(submission(path), alias="web", adopts=True)
    settled(world)
    assert (world.node.physical_id, world.node.state) == (instance, "Started")
    assert world.changes().count("RunInstances") == 1
