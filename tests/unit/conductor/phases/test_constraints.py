"""A constraint that raises is told by the phase, and asked again when the phase runs."""

from typing import Any

import pytest

from tenuto.conductor.phases.unmet import KnownWords, warnings
from tenuto.errors import PluginError
from tenuto.model.ids import TypeName
from tenuto.model.phase_map import PhaseStatus
from tenuto_testing.phase_world import PhaseWorld
from tenuto_testing.scripted_phase import ScriptedPhase


class Corrected:
    """A constraint that raises until its plugin is corrected."""

    def __init__(self, answer: bool) -> None:
        self.answer: bool | None = None
        self.later = answer

    def __call__(self, node: Any) -> bool:
        if self.answer is None:
            raise KeyError("Imgae")
        return self.answer


def test_a_constraint_that_raises_fails_its_phase_with_the_error_and_no_other_object() -> None:
    attach = ScriptedPhase("Attach", applies=lambda node: node["Ip"] != "none")
    world = PhaseWorld(attach.plugin)
    world.add("plain")
    world.add("public", desired={"Ip": "192.0.2.1"})
    world.settle()
    entry = world.entry("plain", "Attach")
    assert (entry.status, attach.calls) == (PhaseStatus.FAILED, [["public"]])
    assert "its 'applies' raised KeyError: 'Ip'" in entry.message
    assert "'tenuto phases reload'" in entry.message
    assert world.get("plain").state == "Allocation"
    assert world.get("public").state == "Started"


@pytest.mark.parametrize("is_for_it", [True, False])
def test_a_retry_asks_a_corrected_constraint_again(is_for_it: bool) -> None:
    applies = Corrected(is_for_it)
    attach = ScriptedPhase("Attach", applies=applies)
    world = PhaseWorld(attach.plugin)
    world.add("plain")
    world.settle()
    applies.answer = is_for_it
    world.retry("plain")
    world.settle()
    assert world.get("plain").state == "Started"
    assert attach.calls == ([["plain"]] if is_for_it else [])


def test_an_answer_is_kept_when_the_resource_changes_later() -> None:
    volume = ScriptedPhase("Volume", script=fails_once, applies=lambda node: not node.is_defined("VolumeId"))
    world = PhaseWorld(volume.plugin)
    world.add("node")
    world.settle()
    world.retry("node")
    world.settle()
    assert volume.calls == [["node"], ["node"]]


def fails_once(run: Any, node: Any) -> None:
    if node.is_defined("VolumeId"):
        run.complete(node)
    else:
        node["VolumeId"] = "v-1"
        run.fail(node, "not attached")


def test_upkeep_whose_constraint_raises_tells_it_each_round_until_it_is_corrected() -> None:
    applies = Corrected(False)
    check = ScriptedPhase("Check", "Started", applies=applies, every=60)
    world = PhaseWorld(check.plugin)
    world.add("node")
    world.settle()
    world.advance(60)
    assert world.entry("node", "Check").failures == 1
    assert "raised KeyError: 'Imgae'" in world.entry("node", "Check").message
    applies.answer = False
    world.advance(300)
    assert world.entry("node", "Check").message == "it does not apply"
    assert check.calls == []


def test_the_text_of_a_property_with_a_secret_is_refused() -> None:
    told: list[str] = []

    def read(run: Any, node: Any) -> None:
        with pytest.raises(PluginError) as refused:
            node.get_as_string("Password")
        told.append(str(refused.value))
        run.complete(node)

    world = PhaseWorld(ScriptedPhase("Read", script=read).plugin)
    world.add("node", desired={"Password": {"Ref": "P"}})
    world.settle()
    assert "Password of node holds a secret, which plugins are not given" in told[0]


def words(**how: Any) -> list[str]:
    known = KnownWords(
        is_offered=lambda name: name == "Simulated::Server",
        listed=(TypeName("Simulated::Server"),),
        providers=frozenset({"simulated"}),
    )
    create = ScriptedPhase("Acme.Create", provider="acme").plugin.definition
    definition = ScriptedPhase("Acme.Tag", "Configuration", **how).plugin.definition
    return list(warnings([create, definition], known)[definition.name])


def test_a_phase_for_a_type_or_provider_that_is_not_known_is_warned_about_with_the_nearest() -> None:
    assert words(types=["Cloud.Node", "Simulated::Server", "*"], provider="simulated") == []
    assert words(types="Cloud.Node", provider="acme") == []
    (node,) = words(types="Cloud.Nod")
    assert node == (
        "Acme.Tag is for the type Cloud.Nod, which no provider or plugin of this Conductor offers. "
        "Did you mean Cloud.Node?"
    )
    assert "Did you mean Simulated::Server?" in words(types="Simulated::Sever")[0]
    (maker,) = words(types="Cloud.Node", provider="acmee")
    assert maker.endswith("and no phase of Allocation makes machines for it. Did you mean acme?")
    assert words(types="Simulated::Server", provider="simulatd")[0].endswith("Did you mean simulated?")
