"""The physical id of a thing that a provider has made is not replaced by a plugin."""

from typing import Any

import pytest

from tenuto.model.ids import PhysicalId
from tenuto.model.phase_map import PhaseStatus
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase


def identifies(name: str, *, saves: bool = False) -> Any:
    def script(run: Any, node: Any) -> None:
        node.physical_id = PhysicalId(name)
        if saves:
            run.checkpoint(node)
        run.complete(node)

    return script


@pytest.mark.parametrize("saves", [False, True])
def test_a_plugin_that_sets_another_physical_id_on_a_providers_node_fails_and_the_id_stays(saves: bool) -> None:
    made = ScriptedPhase("resource.create", script=identifies("srv-1"))
    tagged = ScriptedPhase("Acme.Tag", "Configuration", script=identifies("i-9", saves=saves))
    world = PhaseWorld(made.plugin, tagged.plugin)
    world.add("node", provider="simulated")
    world.settle()
    entry = world.entry("node", "Acme.Tag")
    assert (entry.status, world.get("node").physical_id) == (PhaseStatus.FAILED, "srv-1")
    assert "set physical_id to 'i-9', but simulated made srv-1" in entry.message


def test_a_plugin_may_set_the_same_id_again_and_that_of_a_node_that_plugins_make() -> None:
    made = ScriptedPhase("Acme.Create", script=identifies("i-1"))
    same = ScriptedPhase("Acme.Same", "Configuration", script=identifies("i-1"))
    other = ScriptedPhase("Acme.Other", "Installation", script=identifies("i-2"))
    world = PhaseWorld(made.plugin, same.plugin, other.plugin)
    world.add("node", provider="simulated", desired={"Provider": "acme"})
    world.settle()
    assert (world.get("node").state, world.get("node").physical_id) == ("Started", "i-2")
