"""Echoes on simulated networks: asked from the gateway, of addresses on the network alone."""

import pytest
from local_world import LocalWorld, a

from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.resource import ManagedObject

ZONE = "us-east-1"
NET = a("Net", "Network", CidrBlock="10.1.0.0/24")
NIC = a("Nic", "NetworkInterface", "Net", Network={"Ref": "Net"}, Address="10.1.0.5")


def web(**more: object) -> object:
    return a("Web", "Instance", "Nic", Vcpus=1, MemoryMiB=512, Interfaces=[{"Ref": "Nic"}], **more)


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.run(NET, NIC, web())
    return made


def asked(world: LocalWorld, address: str, thing: str = "Net", **more: object) -> ManagedObject:
    command: JsonMap = {"Ping": address, **more}
    fields = {"Instance": world.the(thing).object_id, "Commands": [command]}
    made = world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id
    world.advance(10)
    return world.system.objects.find(ObjectId(made))


def test_a_machine_and_the_router_answer_and_a_free_address_does_not(world: LocalWorld) -> None:
    router = str(world.the("Net").attributes["Router"])
    for address, received in (("10.1.0.5", 3), (router, 3), ("10.1.0.77", 0)):
        done = asked(world, address)
        assert done.state == "complete", done.message
        [result] = done.attributes["Results"]
        assert (result["Address"], result["Sent"], result["Received"]) == (address, 3, received)
        assert len([one for one in result["Milliseconds"] if one is not None]) == received
    assert len(asked(world, "10.1.0.5", Count=1).attributes["Results"][0]["Milliseconds"]) == 1


def test_a_machine_that_is_off_does_not_answer(world: LocalWorld) -> None:
    world.update(NET, NIC, web(PowerState="off"))
    assert asked(world, "10.1.0.5").attributes["Results"][0]["Received"] == 0


@pytest.mark.parametrize(
    ("address", "more", "why"),
    [
        ("10.2.0.5", {}, "10.2.0.5 is not on the network, whose block is 10.1.0.0/24"),
        ("169.254.169.254", {}, "is not on the network"),
        ("10.1.0.5; reboot", {}, "is no IPv4 address"),
        ("web", {}, "is no IPv4 address"),
        ("10.1.0.5", {"Count": 6}, "a whole number from 1 to 5"),
        ("10.1.0.5", {"Count": True}, "a whole number from 1 to 5"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_there_is_an_operation(
    world: LocalWorld, address: str, more: JsonMap, why: str
) -> None:
    with pytest.raises(UserError, match=why):
        asked(world, address, **more)


def test_an_instance_is_no_network_and_a_network_takes_no_other_command(world: LocalWorld) -> None:
    with pytest.raises(NotFoundError, match="no network"):
        asked(world, "10.1.0.5", "Web")
    net = world.the("Net").object_id
    for commands, why in (
        ([{"Exec": ["true"]}], "no instance"),
        ([{"Ping": "10.1.0.5"}, {"Exec": ["true"]}], "no other command"),
    ):
        with pytest.raises((NotFoundError, UserError), match=why):
            world.system.objects.create("AgentOperation", fields={"Instance": net, "Commands": commands}, region=ZONE)


def test_a_network_of_another_namespace_is_not_there(world: LocalWorld) -> None:
    world.system.objects.create("Namespace", "red", region=ZONE)
    fields = {"Instance": world.the("Net").object_id, "Commands": [{"Ping": "10.1.0.5"}]}
    with pytest.raises(NotFoundError, match="no network"):
        world.system.objects.create("AgentOperation", fields=fields, account="red", region=ZONE)


def test_a_gateway_that_is_silent_is_waited_for_until_the_deadline(world: LocalWorld) -> None:
    host = str(world.the("Net").attributes["GatewayHost"])
    world.hosts.set_host(ZONE, host, is_up=False)
    fields = {"Instance": world.the("Net").object_id, "Commands": [{"Ping": "10.1.0.5"}], "DeadlineSeconds": 30}
    made = world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item.object_id
    world.advance(10)
    assert world.system.objects.find(made).state == "executing"
    world.advance(60)
    assert world.system.objects.find(made).state == "error"
    assert "expired" in world.system.objects.find(made).message


def test_a_network_that_is_going_is_not_asked(world: LocalWorld) -> None:
    net = world.the("Net").object_id
    world.system.commands.kill("shop")
    world.advance(60)
    fields = {"Instance": net, "Commands": [{"Ping": "10.1.0.5"}]}
    with pytest.raises(NotAllowedError, match="is asked only when it is created"):
        world.system.objects.create("AgentOperation", fields=fields, region=ZONE)
