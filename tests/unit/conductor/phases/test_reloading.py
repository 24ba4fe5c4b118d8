"""Plugins that are read again while the Conductor runs."""

from pathlib import Path

import pytest

from tenuto.conductor.phases.listeners import InlineListeners
from tenuto.conductor.phases.plugins import find_plugins
from tenuto.conductor.phases.reloading import LoadedPlugins, PluginShelf
from tenuto.plugins import PhaseRun, phase
from tenuto_testing.phase_world import PhaseWorld

PLUGIN = """
from tenuto.plugins import phase
{more}

@phase("{name}", states="Allocation", types="Cloud.Node", dependencies={after!r})
def handle(run):
    for node in run.resources:
        node["by"] = {by}
        run.complete(node)
"""


def write(folder: Path, file: str, *, name: str = "P", by: str = "'old'", more: str = "", after: str = "") -> None:
    text = PLUGIN.format(name=name, by=by, more=more, after=[after] if after else [])
    (folder / f"{file}.py").write_text(text, encoding="utf-8")


def loaded(folder: Path) -> LoadedPlugins:
    return LoadedPlugins(shelf=PluginShelf([folder]), listeners=InlineListeners)


def done_by(world: PhaseWorld, name: str) -> object:
    return world.get(name).attributes["by"]


def test_a_run_under_way_ends_with_the_old_code_and_the_next_has_the_new(tmp_path: Path) -> None:
    write(tmp_path, "p")
    world = PhaseWorld(shelf=PluginShelf([tmp_path]))
    world.add("first")
    runs = world.collect()
    write(tmp_path, "p", by="'new'")
    reload = world.plugins.reload()
    world.add("second")
    world.perform(runs.values())
    world.settle()
    assert (reload.loaded, reload.removed, reload.errors) == (("P",), (), ())
    assert (done_by(world, "first"), done_by(world, "second")) == ("old", "new")


def test_a_plugin_that_cannot_be_loaded_any_more_leaves_the_old_one_in_force_and_says_so(tmp_path: Path) -> None:
    write(tmp_path, "p")
    write(tmp_path, "q", name="Q")
    world = PhaseWorld(shelf=PluginShelf([tmp_path]))
    (tmp_path / "p.py").write_text(
        "from tenuto.plugins import phase\nraise RuntimeError('no licence')", encoding="utf-8"
    )
    write(tmp_path, "q", name="Q", by="'new'")
    for _ in range(2):
        reload = world.plugins.reload()
        assert (reload.loaded, reload.kept, reload.removed) == (("Q",), ("P",), ())
        assert "p.py was refused: it raised RuntimeError when it was loaded: no licence" in reload.errors[0]
    world.add("node")
    world.settle()
    assert world.get("node").state == "Started"


def test_a_phase_that_is_refused_beside_the_others_leaves_the_old_one_in_force(tmp_path: Path) -> None:
    write(tmp_path, "p")
    plugins = loaded(tmp_path)
    write(tmp_path, "p", by="'new'", after="Nowhere")
    reload = plugins.reload()
    assert reload.kept == ("P",)
    assert "it depends on Nowhere, and no phase of that name is loaded" in reload.errors[0]
    assert plugins.phases.definitions["P"].dependencies == ()
    write(tmp_path, "p", by="'new'")
    assert plugins.reload().loaded == ("P",)


def test_an_old_phase_whose_dependency_went_is_refused_and_told(tmp_path: Path) -> None:
    write(tmp_path, "p")
    write(tmp_path, "q", name="Q", after="P")
    plugins = loaded(tmp_path)
    (tmp_path / "p.py").unlink()
    reload = plugins.reload()
    assert (reload.loaded, reload.removed) == ((), ("P", "Q"))
    assert "phase Q was refused: it depends on P" in reload.errors[0]


def test_objects_wait_in_a_phase_whose_plugin_went_until_it_is_back(tmp_path: Path) -> None:
    write(tmp_path, "p")
    world = PhaseWorld(shelf=PluginShelf([tmp_path]))
    world.add("node")
    text = (tmp_path / "p.py").read_text(encoding="utf-8")
    (tmp_path / "p.py").unlink()
    assert world.plugins.reload().removed == ("P",)
    world.settle()
    assert world.get("node").state == "Allocation"
    assert not world.record("P").is_loaded
    (tmp_path / "p.py").write_text(text, encoding="utf-8")
    assert world.plugins.reload().loaded == ("P",)
    world.settle()
    assert world.get("node").state == "Started"


def test_a_helper_module_is_imported_from_the_folder_and_read_again(tmp_path: Path) -> None:
    helper = tmp_path / "helper_of_p.py"
    helper.write_text("WHO = 'aaa'\n", encoding="utf-8")
    write(tmp_path, "p", more="import helper_of_p", by="helper_of_p.WHO")
    shelf = PluginShelf([tmp_path])
    assert shelf.found.errors == ()
    world = PhaseWorld(shelf=shelf)
    world.add("first")
    world.settle()
    # Of the same size, and within the same second: the compiled form could not be told from the source.
    helper.write_text("WHO = 'bbb'\n", encoding="utf-8")
    world.plugins.reload()
    world.add("second")
    world.settle()
    assert (done_by(world, "first"), done_by(world, "second")) == ("aaa", "bbb")
    assert not (tmp_path / "__pycache__").exists()


def test_a_helper_that_breaks_leaves_the_plugins_that_import_it_as_they_were(tmp_path: Path) -> None:
    helper = tmp_path / "helper_that_breaks.py"
    helper.write_text("WHO = 'old'\n", encoding="utf-8")
    write(tmp_path, "p", by="__import__('helper_that_breaks').WHO", more="import helper_that_breaks")
    world = PhaseWorld(shelf=PluginShelf([tmp_path]))
    helper.write_text("WHO = \n", encoding="utf-8")
    reload = world.plugins.reload()
    assert reload.kept == ("P",)
    assert len(reload.errors) == 2, "the helper itself, and the plugin that imports it"
    world.add("node")
    world.settle()
    assert done_by(world, "node") == "old"


@pytest.mark.parametrize("between", ["helper_between", "_helper_between"])
def test_a_helper_that_only_a_broken_file_imports_is_no_fault_of_its_own(tmp_path: Path, between: str) -> None:
    broken = tmp_path / f"{between}.py"
    names = (f"a_below_{between}", f"z_below_{between}")
    (tmp_path / f"{names[0]}.py").write_text("WHO = 'old'\n", encoding="utf-8")
    (tmp_path / f"{names[1]}.py").write_text(f"from {names[0]} import WHO\n", encoding="utf-8")
    broken.write_text(f"from {names[1]} import WHO\n", encoding="utf-8")
    write(tmp_path, "p", by=f"{between}.WHO", more=f"import {between}")
    world = PhaseWorld(shelf=PluginShelf([tmp_path]))
    assert world.plugins.assembly.errors == ()
    broken.write_text(f"from {names[1]} import WHO\nWHO = \n", encoding="utf-8")
    reload = world.plugins.reload()
    assert reload.kept == ("P",)
    assert any(f"{between}.py" in error for error in reload.errors)
    assert not [error for error in reload.errors for name in names if f"{name}.py" in error]
    (tmp_path / "lonely_beside.py").write_text("X = 1\n", encoding="utf-8")
    (error,) = [one for one in world.plugins.reload().errors if "declares no plugin" in one]
    assert "lonely_beside.py" in error, "a file that no broken one names"


def test_a_file_without_plugins_that_nothing_imports_is_named(tmp_path: Path) -> None:
    (tmp_path / "lonely.py").write_text("X = 1\n", encoding="utf-8")
    (error,) = find_plugins([tmp_path], []).errors
    assert "lonely.py: it declares no plugin" in str(error)


def test_own_phases_stay_first(tmp_path: Path) -> None:
    @phase("P", states="Allocation", types="Cloud.Node")
    def own(run: PhaseRun) -> None:
        run.complete(run.resources)

    plugins = LoadedPlugins(own=[own], shelf=PluginShelf([tmp_path]), listeners=InlineListeners)
    write(tmp_path, "p")
    reload = plugins.reload()
    assert "a phase of this name is loaded already" in reload.errors[0]
    assert plugins.handler(own.definition.name) is own.handler
    assert (reload.loaded, reload.kept) == ((), ())
