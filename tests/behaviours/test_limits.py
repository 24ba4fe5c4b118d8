"""Limits of a namespace on what processes declare in it: refused at the intake, before anything is made."""

from dataclasses import replace

import pytest
from local_world import LocalWorld, a, submission

from tenuto.bootstrap.log import LogLevels
from tenuto.bootstrap.services import make_services
from tenuto.errors import NoRoomError
from tenuto.model.cloud_node import CLOUD_NODE
from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration
from tenuto.model.diagnostic import Position
from tenuto.model.ids import Json, LogicalId
from tenuto.ports.store_changes import SaveObject


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.system.objects.create("Namespace", "red", fields={"Limits": {"instances": 2, "vcpus": 4}})
    return made


def machines(count: int, vcpus: int = 1) -> list[Declaration]:
    return [a(f"M{number}", "Instance", Vcpus=vcpus, MemoryMiB=64) for number in range(count)]


def test_a_composition_beyond_a_limit_is_refused_and_nothing_is_there(world: LocalWorld) -> None:
    with pytest.raises(NoRoomError, match="may have 2 machines: others in it have 0, and this composition asks for 3"):
        world.run(*machines(3), account="red")
    assert world.store.process("shop") is None
    assert world.run(*machines(2), account="red").state is ProcessState.RUNNING


def test_what_other_processes_have_counts_and_what_other_namespaces_have_does_not(world: LocalWorld) -> None:
    world.run(*machines(2), alias="elsewhere")
    world.run(*machines(1), alias="first", account="red")
    with pytest.raises(NoRoomError, match="others in it have 1"):
        world.run(*machines(2), account="red")
    world.system.commands.kill("first")
    assert world.settle()
    assert world.run(*machines(2), account="red").state is ProcessState.RUNNING


def test_the_sum_of_a_property_is_limited_too_and_an_update_is_held_against_it(world: LocalWorld) -> None:
    world.run(*machines(2, vcpus=2), account="red")
    with pytest.raises(NoRoomError, match="may have 4 virtual processors"):
        world.system.commands.update("shop", submission(tuple(machines(2, vcpus=3))))
    assert {one.desired["Vcpus"] for one in world.objects()} == {2}


def test_what_is_there_stays_when_the_limit_falls_and_may_become_less(world: LocalWorld) -> None:
    world.run(*machines(2), account="red")
    namespaces = world.system.objects
    namespace = namespaces.find("red", "Namespace")
    world.store.commit(
        (
            SaveObject(
                object=replace(namespace, desired={**namespace.desired, "Limits": {"instances": 0}}),
                expected_generation=namespace.generation,
                documents=True,
            ),
        )
    )
    assert world.update(*machines(1)).state is ProcessState.RUNNING
    assert len([one for one in world.objects() if one.state == "created"]) == 1
    with pytest.raises(NoRoomError):
        world.system.commands.update("shop", submission(tuple(machines(2))))


def node(machine_type: str, **properties: Json) -> Declaration:
    declared = {"MachineType": machine_type, **properties}
    return Declaration(logical_id=LogicalId("Node"), type=CLOUD_NODE, properties=declared)


def test_nodes_count_as_the_machines_that_they_are(world: LocalWorld) -> None:
    """A node is another type for the same machine."""
    with pytest.raises(NoRoomError, match=r"may have 4 virtual processors .* asks for 8 \(Node\)"):
        world.run(node("8x64", Provider=""), account="red")
    with pytest.raises(NoRoomError, match="may have 2 machines: others in it have 0, and this composition asks for 3"):
        world.run(node("1x64"), *machines(2), account="red")
    assert world.run(node("2x64"), *machines(1), account="red").state is ProcessState.RUNNING
    namespaces = make_services(world.system, clock=world.clock, secret="s", levels=LogLevels("ERROR")).namespaces
    used = {one["thing"]: one["used"] for one in namespaces.limits("red")}
    assert (used["instances"], used["vcpus"], used["memory_mib"]) == (2, 3, 128)
    with pytest.raises(NoRoomError, match="others in it have 2"):
        world.run(*machines(1), alias="second", account="red")
    with pytest.raises(NoRoomError, match="may have 4 virtual processors"):
        world.system.commands.update("shop", submission((node("4x64"), *machines(1))))


def test_the_machine_of_a_node_that_plugins_make_counts_nothing(world: LocalWorld) -> None:
    with pytest.raises(NoRoomError, match=r"asks for 3 \(M0, M1, M2\)"):
        world.run(node("8x64", Provider="elsewhere"), *machines(3), account="red")


class TestAddresses:
    """Floating and routed addresses of a namespace."""

    @pytest.fixture
    def world(self) -> LocalWorld:
        made = LocalWorld()
        made.system.objects.create("Namespace", "red", fields={"Limits": {"addresses": 2, "disk_gib": 10}})
        return made

    def nics(self, *asked: dict[str, Json]) -> list[Declaration]:
        net = a("Net", "Network", CidrBlock="10.1.0.0/24")
        made = [
            a(f"N{number}", "NetworkInterface", "Net", Network={"Ref": "Net"}, **properties)
            for number, properties in enumerate(asked)
        ]
        return [
            net,
            *(replace(one, position=Position(file="s.yaml", line=n + 9, column=1)) for n, one in enumerate(made)),
        ]

    @pytest.mark.parametrize(
        "asked",
        [
            [{"Floating": True}, {}, {"Floating": True}, {"Floating": True}],
            [{"Floating": "192.0.2.7", "Routed": ["192.0.2.8"]}, {}, {}, {"Floating": True}],
            [{"Routed": ["192.0.2.8", "192.0.2.9"]}, {"Floating": False}, {}, {"Floating": True}],
        ],
    )
    def test_more_than_the_limit_are_refused_with_the_lines_that_ask(
        self, world: LocalWorld, asked: list[dict[str, Json]]
    ) -> None:
        with pytest.raises(NoRoomError, match="may have 2 floating and routed addresses") as refused:
            world.run(*self.nics(*asked), account="red")
        assert "asks for 3 (N0 at s.yaml:9, " in str(refused.value)
        assert "N3 at s.yaml:12" in str(refused.value)
        assert "N1" not in str(refused.value)
        assert (world.store.process("shop"), world.things()) == (None, {})

    def test_an_address_that_is_given_back_may_be_asked_for_again(self, world: LocalWorld) -> None:
        world.run(*self.nics({"Floating": True}, {"Floating": True}), account="red")
        with pytest.raises(NoRoomError, match="others in it have 2"):
            world.run(*self.nics({"Floating": True}), alias="second", account="red")
        world.update(*self.nics({"Floating": True}, {"Floating": False}))
        assert world.run(*self.nics({"Floating": True}), alias="second", account="red").state is ProcessState.RUNNING

    def test_the_declared_sizes_of_disks_are_limited_as_a_sum(self, world: LocalWorld) -> None:
        disks: list[Json] = [{"SizeGiB": 6}, {"Base": "any"}, {"SizeGiB": 5}]
        with pytest.raises(NoRoomError, match=r"may have 10 GiB of disks .* asks for 11 \(M0\)"):
            world.run(a("M0", "Instance", Vcpus=1, MemoryMiB=64, Disks=disks), account="red")
