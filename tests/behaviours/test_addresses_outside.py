"""Floating and routed addresses on simulated hosts: they come, go and move, and each has one holder at any moment."""

from collections.abc import Sequence

import pytest
from local_world import LocalWorld, a

from tenuto.errors import CompileError
from tenuto.model.command import ProcessState
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json, ObjectId
from tenuto.providers.local.driver import Spec, Wire
from tenuto.providers.local.types import INTERFACE

ZONE = "us-east-1"
ONE, TWO = "192.0.2.7", "192.0.2.8"


class WatchedWorld(LocalWorld):
    """A world that looks after every step whether an address leads to two interfaces."""

    def work(self) -> None:
        super().work()
        held = list(self.outside().values())
        assert len(held) == len(set(held)), held

    def outside(self) -> dict[ObjectId, str]:
        """The addresses outside that the hosts have, by interface."""
        zones = self.driver.everything().values() if self.driver else ()
        return {
            spec.object_id: address
            for _, things in zones
            for spec, _ in things
            if spec.type == INTERFACE
            for wire in spec.wiring
            for address in (wire.floating, *wire.routed)
            if address
        }

    def floats(self, name: str) -> str:
        """The floating address of an interface, as its host has it."""
        return self.outside().get(self.the(name).object_id, "")


@pytest.fixture
def world() -> WatchedWorld:
    return WatchedWorld()


def nic(name: str, **properties: Json) -> Declaration:
    return a(name, "NetworkInterface", "Net", Network={"Ref": "Net"}, **properties)


def net(*nics: Declaration, **properties: Json) -> Sequence[Declaration]:
    return (a("Net", "Network", CidrBlock="10.1.0.0/24", **properties), *nics)


def test_behaviour_49_a_floating_address_comes_and_goes(world: WatchedWorld) -> None:
    world.run(*net(nic("Nic")))
    assert (world.floats("Nic"), world.the("Nic").attributes["FloatingAddress"]) == ("", "")
    world.update(*net(nic("Nic", Floating=True)))
    found = world.floats("Nic")
    assert found.startswith("192.0.2.")
    assert world.the("Nic").attributes["FloatingAddress"] == found
    world.advance(3600)
    assert world.floats("Nic") == found, "an address that is there stays"
    world.update(*net(nic("Nic")))
    assert (world.floats("Nic"), world.the("Nic").attributes["FloatingAddress"]) == ("", "")
    assert world.store.claim(f"outside {ZONE}", found) is None
    assert {one.incarnation for one in world.objects()} == {1}


@pytest.mark.parametrize("pause", [0, 3600])
def test_behaviour_49_a_floating_address_moves_in_one_update(world: WatchedWorld, pause: int) -> None:
    for before, after in (("A", "B"), ("B", "A")):
        wanted = {before: {"Floating": ONE}, after: {}}
        world.run(*net(*(nic(name, **wanted[name]) for name in "AB")), alias=before)
        assert world.outside() == {world.the(before, before).object_id: ONE}
        world.advance(pause)
        wanted = {before: {}, after: {"Floating": ONE}}
        world.update(*net(*(nic(name, **wanted[name]) for name in "AB")), alias=before)
        assert world.outside() == {world.the(after, before).object_id: ONE}
        world.system.commands.kill(before)
        assert world.settled(before).state is ProcessState.GONE
        assert world.outside() == {}


def test_behaviour_49_an_interface_that_goes_leaves_its_address_to_the_next_one(world: WatchedWorld) -> None:
    def machine(name: str) -> Declaration:
        return a("Web", "Instance", name, Vcpus=1, MemoryMiB=128, Interfaces=[{"Ref": name}])

    world.run(*net(nic("Old", Floating=ONE)), machine("Old"))
    web = world.the("Web").object_id
    assert world.update(*net(nic("New", Floating=ONE)), machine("New")).state is ProcessState.RUNNING
    assert world.outside() == {world.the("New").object_id: ONE}
    assert (world.the("Web").object_id, world.the("Web").incarnation) == (web, 1), "the machine runs on"


def test_behaviour_49_an_interface_that_is_replaced_keeps_its_address(world: WatchedWorld) -> None:
    world.run(*net(nic("Nic", Floating=ONE)))
    world.update(*net(nic("Nic", Floating=ONE, MacAddress="02:00:00:00:00:07")))
    assert (world.the("Nic").incarnation, world.outside()) == (2, {world.the("Nic").object_id: ONE})


def test_behaviour_49_a_second_holder_is_refused_and_the_first_keeps_it(world: WatchedWorld) -> None:
    world.run(*net(nic("A", Floating=ONE)))
    holder = world.the("A").object_id
    process = world.run(*net(nic("B", Floating=ONE)), alias="other")
    assert process.state is ProcessState.SUSPENDED
    assert f"the address {ONE} belongs to the interface {holder}" in process.last_message
    for name in ("B", "0"):
        with pytest.raises(CompileError, match=f"the address {ONE} belongs to the interface A: choose another"):
            world.update(*net(nic("A", Floating=ONE), nic(name, Routed=[ONE])))
    assert world.outside() == {holder: ONE}


def test_behaviour_49_an_address_that_a_killed_process_had_is_free(world: WatchedWorld) -> None:
    world.run(*net(nic("A", Floating=ONE)))
    world.system.commands.kill("shop")
    world.run(*net(nic("B", Floating=ONE)), alias="other")
    assert world.outside() == {world.the("B", "other").object_id: ONE}


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"Floating": "198.51.100.1"}, "'198.51.100.1' is no address of the pool of the zone us-east-1: 192.0.2.0/24"),
        ({"Floating": "192.0.2.255"}, "is no address of the pool"),
        ({"Routed": ["10.1.0.9"]}, "is no address of the pool"),
        ({"Floating": ONE, "Routed": [ONE]}, "cannot be both in Floating and in Routed"),
    ],
)
def test_behaviour_49_an_address_that_cannot_be_is_refused(
    world: WatchedWorld, properties: dict[str, Json], words: str
) -> None:
    assert words in world.run(*net(nic("Nic", **properties))).last_message
    assert world.outside() == {}


def test_a_wrong_update_leaves_an_interface_as_it_was(world: WatchedWorld) -> None:
    world.run(*net(nic("Nic", Floating=ONE)))
    process = world.update(*net(nic("Nic", Floating="198.51.100.1")))
    assert "is no address of the pool" in process.last_message
    assert (world.the("Nic").state, world.floats("Nic")) == ("created", ONE)
    world.system.commands.resume("shop")
    world.update(*net(nic("Nic", Floating=TWO)))
    assert world.floats("Nic") == TWO
    assert world.store.claim(f"outside {ZONE}", ONE) is None


def test_routed_addresses_come_and_go(world: WatchedWorld) -> None:
    world.run(*net(nic("Nic", Routed=[ONE, TWO]), nic("Other", Floating=True)))
    [wire] = next(spec.wiring for spec in world.specs() if spec.object_id == world.the("Nic").object_id)
    assert (wire.routed, wire.floating) == ((ONE, TWO), "")
    world.update(*net(nic("Nic", Routed=[TWO]), nic("Other", Floating=ONE)))
    assert world.floats("Other") == ONE
    world.update(*net(nic("Nic", Routed=[TWO], Floating=True), nic("Other", Floating=ONE)))
    assert world.the("Nic").attributes["FloatingAddress"] not in (ONE, TWO, "")


@pytest.mark.parametrize("wanted", [{"Floating": ONE}, {"Routed": [ONE]}])
def test_an_address_that_leads_to_an_interface_of_no_object_is_given_once_that_is_gone(
    world: WatchedWorld, wanted: dict[str, Json]
) -> None:
    """The interface came after the backup from which the database was restored, and its host holds it still."""
    stray = strayed(world, floating=ONE)
    world.system.commands.run(world.submitted(*net(nic("Nic", **wanted))), alias="shop")
    world.advance(30)
    assert world.outside() == {stray: ONE}
    told = str(world.system.queries.explain("shop"))
    assert f"{ONE} leads to an interface on the host h1" in told
    assert "node purge h1" in told
    world.hosts.remove(ZONE, [stray])
    world.settled()
    assert world.outside() == {world.the("Nic").object_id: ONE}


def test_any_free_address_is_none_that_leads_to_an_interface_of_no_object(world: WatchedWorld) -> None:
    left = "192.0.2.77"
    taken = [f"192.0.2.{number}" for number in range(1, 255) if number != 77]
    stray = strayed(world, routed=tuple(taken))
    world.run(*net(nic("Nic", Floating=True)))
    assert world.floats("Nic") == left
    world.system.commands.run(world.submitted(*net(nic("Nic", Floating=True))), alias="second")
    world.advance(30)
    assert world.floats("Nic") == left
    world.hosts.remove(ZONE, [stray])
    world.settled("second")
    assert len(world.outside()) == 2


def strayed(world: WatchedWorld, floating: str = "", routed: tuple[str, ...] = ()) -> ObjectId:
    """An interface on a host that the database does not know."""
    wire = Wire(
        interface=ObjectId("of-yesterday"),
        vni=7,
        cidr="10.9.0.0/24",
        mac="02:11:11:11:11:11",
        address="10.9.0.9",
        gateway_host="h1",
        floating=floating,
        routed=routed,
    )
    spec = Spec(
        type=INTERFACE,
        object_id=wire.interface,
        account="default",
        owner=None,
        host=wire.gateway_host,
        properties={"Routed": list(routed)},
        attributes={"FloatingAddress": floating},
        wiring=(wire,),
    )
    assert world.hosts.ensure(ZONE, [spec]) == {}
    return spec.object_id


def test_an_address_on_a_silent_host_stays_where_it_is(world: WatchedWorld) -> None:
    world.run(*net(nic("A", Floating=ONE), nic("B")))
    host, holder = str(world.the("A").attributes["GatewayHost"]), world.the("A").object_id
    world.hosts.set_host(ZONE, host, is_up=False)
    world.system.commands.update("shop", world.submitted(*net(nic("A"), nic("B", Floating=ONE))))
    world.advance(60)
    held = world.store.claim(f"outside {ZONE}", ONE)
    assert held is not None
    assert held.object_id == holder
    world.hosts.set_host(ZONE, host, is_up=True)
    world.settled()
    assert world.outside() == {world.the("B").object_id: ONE}


def test_behaviour_49_the_addresses_of_a_lost_gateway_move_with_its_network(world: WatchedWorld) -> None:
    world.run(*net(nic("A", Floating=ONE)))
    gateway = str(world.the("Net").attributes["GatewayHost"])
    world.advance(300)
    world.hosts.set_host(ZONE, gateway, is_up=False)
    world.advance(1600)
    world.settled()
    assert str(world.the("Net").attributes["GatewayHost"]) != gateway
    assert world.outside() == {world.the("A").object_id: ONE}
    [host] = {spec.host for spec in world.specs() if spec.type == INTERFACE}
    assert host != gateway
    world.hosts.set_host(ZONE, gateway, is_up=True)
    world.advance(300)
    assert world.outside() == {world.the("A").object_id: ONE}
