"""Machines that their guests turned off and that stay off: what they refuse, and where that is told."""

import pytest
from left_off_world import LeftOffWorld
from local_world import shop

from tenuto.errors import NotAllowedError
from tenuto.model.ids import JsonMap
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.rules.machines.power import OFF_BY_GUEST

ZONE = "us-east-1"


@pytest.fixture
def world() -> LeftOffWorld:
    made = LeftOffWorld()
    made.run(*shop())
    made.turn_off("Web")
    return made


def asked(world: LeftOffWorld, command: JsonMap) -> ManagedObject:
    fields = {"Instance": world.the("Web").object_id, "Commands": [command]}
    return world.system.objects.create("AgentOperation", fields=fields, region=ZONE).item


@pytest.mark.parametrize(
    "command", [{"Exec": ["true"]}, {"Snapshot": "saved"}, {"Power": "pause"}], ids=["exec", "snapshot", "pause"]
)
def test_a_command_that_needs_a_running_machine_is_refused_at_once(world: LeftOffWorld, command: JsonMap) -> None:
    with pytest.raises(NotAllowedError) as refused:
        asked(world, command)
    assert f"its machine is {OFF_BY_GUEST}" in str(refused.value)
    assert f"'tenuto instance power {world.the('Web').object_id} on' turns it on" in str(refused.value)


def test_the_command_that_turns_it_on_is_taken(world: LeftOffWorld) -> None:
    operation = asked(world, {"Power": "on"})
    world.advance(5)
    assert world.system.objects.find(operation.object_id).state == "complete"
