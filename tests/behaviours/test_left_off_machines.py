"""Machines that their guests turned off and that stay off: what they refuse, and where that is told."""

import pytest
from left_off_world import LeftOffWorld
from local_world import shop

from tenuto.errors import NotAllowedError
from tenuto.model.ids import JsonMap, LogicalId
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.rules.machines.power import OFF_BY_GUEST
from tenuto.providers.local.types import INSTANCE
from tenuto.service.objects.declared_objects import declared_document
from tenuto.service.views.process_view import view_message

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


def test_every_view_of_the_machine_tells_that_it_is_off_though_nothing_differs(world: LeftOffWorld) -> None:
    web = world.the("Web").object_id
    note = f"its machine is {OFF_BY_GUEST}, and stays so (Restart: on-failure). "
    note += f"'tenuto instance power {web} on' starts it"
    queries, insights = world.system.queries, world.system.insights
    [shown] = queries.declared([INSTANCE], is_seen=lambda _: True)
    assert declared_document(shown)["message"] == note
    [resource] = [one for one in queries.process("shop").resources if one.logical_id == "Web"]
    assert (view_message(resource), resource.drift) == (note, ())
    _, told = queries.explain("shop", [LogicalId("Web")])
    for lines in (told.resources[LogicalId("Web")], insights.explained("shop", "Web")):
        assert f"The last sweep says: {note}." in lines
