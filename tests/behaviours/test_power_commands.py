"""Power commands beside what a process holds: carried out with an event, or refused, and never a fight."""

from dataclasses import replace

import pytest
from local_world import LocalWorld, a, shop

from tenuto.errors import NotAllowedError
from tenuto.model.command import ProcessState
from tenuto.model.event import EventType
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_reads import EventQuery

ZONE = "us-east-1"


@pytest.fixture
def world() -> LocalWorld:
    made = LocalWorld()
    made.run(*shop())
    return made


def told(world: LocalWorld, command: JsonMap) -> ManagedObject:
    fields = {"Instance": world.the("Web").object_id, "Commands": [command]}
    operation = world.system.objects.create("AgentOperation", fields=fields, region=ZONE, actor="ann").item.object_id
    world.advance(5)
    return world.system.objects.find(operation)


def power(world: LocalWorld, word: str) -> JsonMap:
    done = told(world, {"Power": word})
    assert done.state == "complete", done.message
    [result] = done.attributes["Results"]
    return dict(result)


def is_web(world: LocalWorld) -> str:
    return world.things()[world.the("Web").object_id]


def given(world: LocalWorld) -> list[tuple[str, str, ObjectId | None]]:
    """The commands of the machine in the history of its process, with who gave each."""
    events = world.store.events(EventQuery(fid=world.fid("shop"), types=(EventType.COMMAND_GIVEN,)))
    return [(str(one.data["command"]), one.actor, one.object_id) for one in events if one.subject == "Web"]


def test_behaviour_37_power_commands_change_the_power_and_leave_an_event(world: LocalWorld) -> None:
    world.system.commands.suspend("shop")
    world.settled()
    for word, expected in (("off", "off"), ("on", "on"), ("pause", "paused"), ("unpause", "on")):
        assert power(world, word) == {"PowerState": expected, "Declared": "on"}
        assert is_web(world) == expected
    assert told(world, {"Reboot": "reset"}).state == "complete"
    web = world.the("Web").object_id
    words = ("off", "on", "pause", "unpause", "reboot")
    assert given(world) == [(f"instance power {word}", "ann", web) for word in words]


@pytest.mark.parametrize("word", ["off", "pause"])
def test_behaviour_37_what_the_process_would_set_right_is_refused_with_the_ways_to_do_it(
    world: LocalWorld, word: str
) -> None:
    with pytest.raises(NotAllowedError) as refused:
        power(world, word)
    for way in ("holds Web at PowerState on", "tenuto update shop", "tenuto suspend shop", "enforcement --set off"):
        assert way in str(refused.value)
    world.advance(60)
    assert (is_web(world), given(world)) == ("on", [])


def test_a_machine_that_was_killed_is_turned_on_by_hand_before_its_process_does_it(world: LocalWorld) -> None:
    world.hosts.stop_machine(world.the("Web").object_id)
    assert power(world, "on") == {"PowerState": "on", "Declared": "on"}
    assert is_web(world) == "on"


@pytest.mark.parametrize("word", ["pause", "unpause"])
def test_one_that_is_off_is_not_paused_and_does_not_go_on(world: LocalWorld, word: str) -> None:
    world.update(*shop(PowerState="off"))
    with pytest.raises(NotAllowedError, match="its machine is off: only one that runs can be paused"):
        power(world, word)


@pytest.mark.parametrize("after_s", [1, 90, 86400])
def test_a_machine_that_was_turned_off_stays_so_until_its_process_holds_it_again(
    world: LocalWorld, after_s: float
) -> None:
    world.system.commands.suspend("shop")
    world.settled()
    power(world, "off")
    world.advance(after_s)
    assert is_web(world) == "off"
    world.system.commands.resume("shop")
    assert world.settled().state is ProcessState.RUNNING
    world.advance(600)
    assert is_web(world) == "on"
    events = world.store.events(EventQuery(types=(EventType.RESOURCE_HELD,)))
    assert events == (), "one correction is no fight"


def test_without_enforcement_it_stays_as_it_is_put(world: LocalWorld) -> None:
    world.system.commands.set_property("shop", "enforcement", "off")
    power(world, "off")
    world.advance(3600)
    assert is_web(world) == "off"
    world.system.commands.set_property("shop", "enforcement", "on")
    world.advance(120)
    assert is_web(world) == "on"


def test_a_composition_that_ignores_the_power_leaves_it_to_commands() -> None:
    world = LocalWorld()
    net, nic, web = shop()
    world.run(net, nic, replace(web, metadata={"Tenuto": {"ignore": ["PowerState"]}}))
    power(world, "off")
    world.advance(600)
    assert is_web(world) == "off"
    power(world, "on")
    assert is_web(world) == "on"


def test_behaviour_40_the_console_is_read_in_parts_and_emptied(world: LocalWorld) -> None:
    def console(**parts: int) -> JsonMap:
        [result] = told(world, {"Console": "read", **parts}).attributes["Results"]
        return dict(result)

    assert console() == {"Out": "web login:\n", "From": 0, "Next": 11}
    assert console(Bytes=7) == {"Out": "login:\n", "From": 4, "Next": 11}
    assert console(From=0, Bytes=3) == {"Out": "web", "From": 0, "Next": 3}
    assert console(From=3) == {"Out": " login:\n", "From": 3, "Next": 11}
    assert console(From=11) == console(From=4000) == {"Out": "", "From": 11, "Next": 11}
    assert told(world, {"Console": "clear"}).attributes["Results"] == [{"Out": "", "From": 0, "Next": 11}]
    assert console() == console(From=0) == {"Out": "", "From": 11, "Next": 11}


def test_what_a_machine_shows_after_another_boot_is_read_again_once_and_reaches_what_refers_to_it() -> None:
    world = LocalWorld()
    world.run(
        *shop(), a("Log", "Instance", "Web", Vcpus=1, MemoryMiB=512, UserData={"Fn::GetAtt": ["Web", "BootedAt"]})
    )
    first = world.the("Web").attributes["BootedAt"]
    assert world.the("Log").desired["UserData"] == first
    world.system.commands.suspend("shop")
    world.settled()
    for word in ("off", "on"):
        power(world, word)
    world.system.commands.resume("shop")
    world.advance(120)
    again = world.the("Web").attributes["BootedAt"]
    assert again != first
    assert world.the("Log").desired["UserData"] == again
    planned = world.system.queries.plan("shop")
    assert planned.planning.plan.operations == (), "nothing is read again at every job"
