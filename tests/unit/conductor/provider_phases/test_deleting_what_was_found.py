"""A thing that is found only when it is to be deleted is deleted with all that the provider shows of it.

The private key of a key pair is in a parameter that is named by the pair's id: without it, the key stayed for ever.
"""

from collections.abc import Sequence

import pytest
from web_world import WebWorld, composed, declare

from tenuto.model.ids import JsonMap, Partition
from tenuto.model.outcome import Outcome, Request
from tenuto.providers.simulated.provider import SimulatedProvider
from tenuto_testing.mortality import Blow, Crash


def test_a_deletion_after_a_lost_creation_tells_the_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[JsonMap] = []
    delete = SimulatedProvider.delete

    def noted(self: SimulatedProvider, partition: Partition, requests: Sequence[Request]) -> Sequence[Outcome]:
        asked.extend(one.attributes for one in requests)
        return delete(self, partition, requests)

    monkeypatch.setattr(SimulatedProvider, "delete", noted)
    world = WebWorld()
    world.run(composed(declare("Net", "Network", CidrBlock="10.0.0.0/16")))
    world.fate.arm(Blow(operation="create", is_after=True))
    with pytest.raises(Crash):
        world.system.conductor.step()
    world.crash()
    world.system.commands.kill("web")
    world.settled()
    assert [one["NetworkId"] for one in asked[:1]] == ["net-1"]
