"""The names that a network serves, on simulated hosts: those of its machines, and declared ones."""

import pytest
from local_world import LocalWorld, a

from tenuto.errors import CompileError
from tenuto.model.composition import Declaration
from tenuto.model.ids import Json
from tenuto.providers.local.types import NETWORK


@pytest.fixture
def world() -> LocalWorld:
    return LocalWorld()


def net(**properties: Json) -> Declaration:
    return a("Net", "Network", CidrBlock="10.1.0.0/24", **properties)


def machine(name: str, last: int, **properties: Json) -> tuple[Declaration, Declaration]:
    return (
        a(f"{name}Nic", "NetworkInterface", "Net", Network={"Ref": "Net"}, Address=f"10.1.0.{last}"),
        a(name, "Instance", f"{name}Nic", Vcpus=1, MemoryMiB=128, Interfaces=[{"Ref": f"{name}Nic"}], **properties),
    )


def names(world: LocalWorld) -> list[list[str]]:
    """What the gateway was told last."""
    [found] = [spec.attributes["Names"] for spec in world.specs() if spec.type == NETWORK]
    return found


def test_behaviour_53_machines_have_names_as_long_as_they_are_there(world: LocalWorld) -> None:
    world.run(net(Dns=True), *machine("Web", 10), *machine("Db", 11, Name="base"))
    world.advance(10)
    assert names(world) == [["base", "10.1.0.11"], ["web", "10.1.0.10"]]
    assert world.the("Net").attributes["Domain"] == "default.us-east-1"
    world.update(net(Dns=True), *machine("Web", 10))
    world.advance(10)
    assert names(world) == [["web", "10.1.0.10"]]
    assert {one.incarnation for one in world.objects()} == {1}


def test_behaviour_53_declared_names_go_before_those_of_machines(world: LocalWorld) -> None:
    records = {"db": "10.1.0.99", "web": "10.1.0.98", "api.example.org": "192.0.2.1"}
    world.run(net(Dns=True, DnsRecords=records), *machine("Web", 10))
    world.advance(10)
    assert names(world) == [["api.example.org", "192.0.2.1"], ["db", "10.1.0.99"], ["web", "10.1.0.98"]]
    world.update(net(Dns=True, DnsRecords={"db": "10.1.0.99"}), *machine("Web", 10))
    world.advance(10)
    assert names(world) == [["db", "10.1.0.99"], ["web", "10.1.0.10"]]
    world.update(net(Dns=True), *machine("Web", 10))
    world.advance(10)
    assert names(world) == [["web", "10.1.0.10"]]


def test_behaviour_44_a_network_without_dns_has_no_names(world: LocalWorld) -> None:
    world.run(net(), *machine("Web", 10))
    world.advance(60)
    assert names(world) == []
    world.update(net(Dns=True), *machine("Web", 10))
    assert names(world) == [["web", "10.1.0.10"]]
    world.update(net(Dns=False), *machine("Web", 10))
    world.advance(60)
    assert names(world) == []


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"Dns": True, "DnsRecords": {"a b": "10.1.0.9"}}, "'a b' is no name such as db"),
        ({"Dns": True, "DnsRecords": {"x\n10.1.0.1 y": "10.1.0.9"}}, "is no name such as db"),
        ({"Dns": True, "DnsRecords": {"db": "nowhere"}}, "the name db has 'nowhere', which is no IPv4 address"),
    ],
)
def test_behaviour_53_names_that_cannot_be_served_are_refused(
    world: LocalWorld, properties: dict[str, Json], words: str
) -> None:
    with pytest.raises(CompileError) as refused:
        world.run(net(**properties))
    assert words in str(refused.value)
    assert world.store.processes() == ()


def test_names_without_a_server_are_refused_and_nothing_is_made(world: LocalWorld) -> None:
    with pytest.raises(CompileError, match="the network serves none: set Dns to true"):
        world.run(net(DnsRecords={"db": "10.1.0.9"}))
    assert (world.store.processes(), world.things()) == ((), {})


def test_a_gateway_that_was_silent_is_told_when_it_is_back(world: LocalWorld) -> None:
    world.run(net(Dns=True), *machine("Web", 10))
    world.advance(10)
    host = str(world.the("Net").attributes["GatewayHost"])
    world.hosts.set_host("us-east-1", host, is_up=False)
    world.system.commands.update("shop", world.submitted(net(Dns=True)))
    world.advance(60)
    world.hosts.set_host("us-east-1", host, is_up=True)
    world.settled()
    world.advance(30)
    assert names(world) == []
