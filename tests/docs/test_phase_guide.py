"""Every block of code in the guide to phases is loaded and run as a reader would."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tenuto.conductor.phases.plugins import Assembly, Found, assemble, find_plugins
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.phase_map import PhaseStatus
from tenuto_testing.phase_world import PhaseWorld

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "phases.md"
BLOCK = re.compile(r"```python\n# (\S+)\n(.*?)```", re.DOTALL)


def blocks() -> dict[str, str]:
    return dict(BLOCK.findall(GUIDE.read_text(encoding="utf-8")))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The guide's plugin files in a folder, beside the fictional cloud."""
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    for name, text in blocks().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(plugins))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def acme() -> ModuleType:
    return __import__("acme")


def loaded(folder: Path) -> tuple[Found, Assembly]:
    found = find_plugins([folder / "plugins"], [])
    return found, assemble(found, CATALOGUE)


def test_the_guide_has_a_synchronous_an_asynchronous_and_a_conditional_example_and_a_listener() -> None:
    assert list(blocks()) == [
        "plugins/acme.py",
        "plugins/acme_create.py",
        "plugins/acme_tag.py",
        "plugins/acme_delete.py",
        "plugins/acme_install.py",
        "plugins/acme_volume.py",
        "plugins/acme_public_ip.py",
        "plugins/acme_boot.py",
        "plugins/announce.py",
        "plugins/acme_backup.py",
        "test_acme_install.py",
        "test_acme_volume_is_a_phase.py",
    ]


def test_every_plugin_of_the_guide_is_loaded(folder: Path) -> None:
    _, assembly = loaded(folder)
    assert assembly.errors == ()
    assert len(assembly.handlers) == 8
    assert [plugin.definition.name for plugin in assembly.listeners] == ["Announce"]


def test_the_plugins_of_the_guide_start_a_node_together(folder: Path) -> None:
    found, _ = loaded(folder)
    world = PhaseWorld(*found.phases, *found.listeners)
    world.add("public", provider="acme", desired={"MachineType": "small", "FixedPublicIp": "192.0.2.1"})
    world.add("plain", provider="acme", desired={"MachineType": "small"})
    world.advance(15)
    assert {world.get(name).state for name in ("public", "plain")} == {"Installation"}
    acme().finish_scripts()
    world.settle()
    assert {world.get(name).state for name in ("public", "plain")} == {"Started"}
    calls = acme().calls
    assert [call for call in calls if call[0] == "attach"] == [
        ("attach", world.get("public").attributes["InstanceId"], "192.0.2.1")
    ]
    assert sorted(call[2] for call in calls if call[0] == "boot") == ["boot-plain", "boot-public"]
    assert ("announce", "world: plain, public Started") in calls
    assert len([call for call in calls if call[0] == "tag"]) == 1


def test_the_synchronous_example_fails_one_node_and_not_the_other(folder: Path) -> None:
    found, _ = loaded(folder)
    world = PhaseWorld(next(plugin for plugin in found.phases if plugin.definition.name == "Acme.CreateInstance"))
    world.add("big", provider="acme", desired={"MachineType": "huge"})
    world.add("small", provider="acme", desired={"MachineType": "small"})
    world.settle()
    entry = world.entry("big", "Acme.CreateInstance")
    assert (entry.status, entry.message) == (PhaseStatus.FAILED, "Acme did not create an instance: out of capacity")
    assert world.get("small").state == "Started"


@pytest.mark.parametrize("name", ["test_acme_install", "test_acme_volume_is_a_phase"])
def test_the_tests_of_the_guide_pass(folder: Path, name: str) -> None:
    module = __import__(name)
    for part, value in vars(module).items():
        if part.startswith("test_"):
            acme().reset()
            value()
        elif part.startswith("Test"):
            suite = value()
            for method in dir(suite):
                if method.startswith("test_"):
                    getattr(suite, method)()


def test_the_upkeep_of_the_guide_verifies_a_node_each_hour_and_tells_what_it_misses(folder: Path) -> None:
    found, _ = loaded(folder)
    world = PhaseWorld(*found.phases)
    world.add("plain", provider="acme", desired={"MachineType": "small"})
    world.advance(15)
    acme().finish_scripts()
    world.settle()
    world.advance(3600)
    assert (world.entry("plain", "Acme.VerifyBackup").runs, world.entry("plain", "Acme.VerifyBackup").failures) == (
        1,
        0,
    )
    acme().delete_instance(world.get("plain").attributes["InstanceId"])
    world.advance(3600)
    assert world.entry("plain", "Acme.VerifyBackup").failures == 1
    assert world.get("plain").is_settled
