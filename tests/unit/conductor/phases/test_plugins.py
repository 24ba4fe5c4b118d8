"""Finding plugins in folders and entry points (P0 41)."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tenuto.conductor.phases.plugins import Assembly, Found, assemble, find_plugins
from tenuto.errors import PluginError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.plugins import PhasePlugin, listener, phase

GOOD = """
from tenuto.plugins import listener, phase

@phase("{name}", states="Allocation", types="Cloud.Node")
def handle(run):
    run.complete(run.resources)
"""


def load(folder: Path, **files: str) -> Assembly:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return assemble(find_plugins([folder], []), CATALOGUE)


def test_phases_and_listeners_of_a_folder_are_found_in_the_order_of_the_files(tmp_path: Path) -> None:
    both = GOOD.format(name="B") + (
        '\n@listener("told", states=["Started"], types=["Cloud.Node"])\nclass Told:\n'
        "    def on_state_transition(self, event):\n        pass\n"
    )
    assembly = load(tmp_path, b=both, a=GOOD.format(name="A"), _helper="raise RuntimeError")
    assert list(assembly.phases.definitions) == ["A", "B"]
    assert set(assembly.handlers) == {"A", "B"}
    assert [plugin.definition.name for plugin in assembly.listeners] == ["told"]
    assert assembly.errors == ()


def test_p0_41_a_file_that_cannot_be_loaded_is_named_and_the_others_are_loaded(tmp_path: Path) -> None:
    assembly = load(
        tmp_path,
        broken="def f(:",
        raising="raise RuntimeError('no licence')",
        leaving="raise SystemExit(1)",
        empty="X = 1",
        misspelt='from tenuto.plugins import phase\n@phase("P", state="Allocation")\ndef f(run): pass\n',
        good=GOOD.format(name="Good"),
    )
    assert list(assembly.phases.definitions) == ["Good"]
    messages = [str(error) for error in assembly.errors]
    assert [message.split(":")[0].split(" ")[0] for message in messages] == [
        str(tmp_path / f"{name}.py") for name in ("broken", "empty", "leaving", "misspelt", "raising")
    ]
    assert "it declares no plugin" in messages[1]
    assert "no licence" in messages[4]


def test_p0_41_the_second_file_with_a_name_that_is_taken_is_refused_and_both_places_are_named(tmp_path: Path) -> None:
    assembly = load(tmp_path, one=GOOD.format(name="P"), two=GOOD.format(name="P"))
    assert list(assembly.phases.definitions) == ["P"]
    (error,) = assembly.errors
    assert "phase P was refused: a phase of this name is loaded already" in str(error)
    assert str(tmp_path / "one.py") in str(error)
    assert str(tmp_path / "two.py") in str(error)


def test_two_files_of_one_name_in_two_folders_do_not_meet(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "acme.py").write_text(GOOD.format(name=name), encoding="utf-8")
    found = find_plugins([tmp_path / "x", tmp_path / "y"], [])
    assert [plugin.definition.name for plugin in found.phases] == ["x", "y"]


def test_a_folder_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    found = find_plugins([tmp_path / "nowhere"], [])
    assert "nowhere was not read" in str(found.errors[0])


def test_an_entry_point_may_name_a_plugin_or_a_module_and_a_bad_one_is_named() -> None:
    points = [
        EntryPoint(name="one", value=f"{__name__}:SHOWN", group="tenuto.plugins"),
        EntryPoint(name="gone", value="no_such_module_anywhere", group="tenuto.plugins"),
        EntryPoint(name="wrong", value="os:sep.join", group="tenuto.plugins"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        module = ModuleType(__name__)
        module.SHOWN = SHOWN  # type: ignore[attr-defined]
        patch.setitem(sys.modules, __name__, module)
        found = find_plugins([], points)
    assert [plugin.definition.name for plugin in found.phases] == ["Shown"]
    assert found.phases[0].origin == f"entry point one ({__name__}:SHOWN)"
    assert ["entry point gone" in str(found.errors[0]), "entry point wrong" in str(found.errors[1])] == [True, True]


def test_both_sets_of_attribute_names_declare_the_same_phase() -> None:
    ours = phase("P", states=["Allocation"], types=["Cloud.Node"], provider="acme", applies=bool)(print)
    theirs = phase(
        "P", handles_states="Allocation", resource_type="Cloud.Node", for_provider="acme", resource_constraint=bool
    )(print)
    assert ours.definition == theirs.definition


def test_one_attribute_given_twice_and_differently_is_refused() -> None:
    with pytest.raises(PluginError, match="provider is given twice"):
        phase("P", states="Allocation", types="Cloud.Node", handles_provider="acme", for_provider="other")


def test_a_class_is_made_once_and_a_class_that_cannot_be_made_is_refused() -> None:
    class Phase:
        def handle(self, run: object) -> None: ...

    class Broken(Phase):
        def __init__(self) -> None:
            raise OSError("no disk")

    declare = phase("P", states="Allocation", types="Cloud.Node")
    assert isinstance(declare(Phase).handler, Phase)
    with pytest.raises(PluginError, match="no disk"):
        declare(Broken)
    with pytest.raises(PluginError, match="neither a function nor a class"):
        declare(7)


def test_listeners_are_checked_as_a_set_too() -> None:
    declared = [
        listener("ear", states="Started", types="Cloud.Node")(print),
        listener("ear", states="Started", types="Cloud.Node")(print),
        listener("deaf", states="Nowhere", types="Cloud.Node")(print),
        listener("empty", states="Started")(print),
    ]
    assembly = assemble(Found(listeners=tuple(declared)), CATALOGUE)
    assert [plugin.definition.name for plugin in assembly.listeners] == ["ear"]
    assert len(assembly.errors) == 3
    assert "there is no state Nowhere" in str(assembly.errors[1])


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"delay": "soon"}, "its delay is 'soon', which is no number of seconds"),
        ({"delay": float("nan")}, "its delay is nan seconds"),
        ({"delay": None}, "its delay is None, which is no number of seconds"),
        ({"timeout": "x"}, "its timeout is 'x', which is no number of seconds"),
        ({"every": "5"}, "its every is '5', which is no number of seconds"),
        ({"every": float("inf")}, "its every is inf seconds"),
        ({"batch": "5"}, "its batch is '5'; give a whole number"),
        ({"batch": True}, "its batch is True; give a whole number"),
        ({"acts": "no"}, "its acts is 'no'; give True or False"),
        ({"description": 7}, "its description is 7; give a text"),
        ({"description": "\ud800"}, "its description is '\\ud800'; give a text"),
        ({"types": [7]}, "its types is 7; give a text, or several"),
        ({"states": 7}, "its states are 7; give a text, or several"),
        ({"dependencies": [None]}, "its dependencies is None; give a text, or several"),
        ({"provider": 7}, "its provider is 7; give the name of a provider"),
        ({"applies": "x"}, "its applies is 'x'; give a function of the object"),
        ({"extra": {"a": 7}}, "its extra['a'] is 7; give a text"),
        ({"extra": ["a"]}, "its extra is ['a']; give texts by their names"),
        ({"heading": "up"}, "there is no heading up"),
    ],
)
def test_a_phase_with_a_value_of_a_wrong_kind_is_refused_by_name(given: dict[str, Any], problem: str) -> None:
    declared: dict[str, Any] = {"states": "Allocation", "types": "Cloud.Node"}
    with pytest.raises(PluginError) as refused:
        phase("Acme.Create", **(declared | given))
    assert str(refused.value).startswith(f"phase Acme.Create was refused: {problem}")


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        ("@phase('Acme.Create', states='Allocation', types='Cloud.Node', delay='soon')\ndef f(run): pass", "its delay"),
        ("@phase('Acme.Create', states='Allocation', types='Cloud.Node')\nasync def f(run): pass", "plain function"),
        ("@phase('Acme.Create', states='Allocation', types='Cloud.Node')\ndef f(run): yield", "plain function"),
        (
            "@phase('Acme.Create', states='Allocation', types='Cloud.Node')\n"
            "class F:\n    async def handle(self, run): pass",
            "plain function",
        ),
        ("@listener('Acme.Create', states='Started', types='*')\nasync def f(event): pass", "plain function"),
        ("object_type('Acme.Create', lifecycle='resource', summary=7)", "its summary is 7"),
        ("object_type('Acme.Create', lifecycle='resource', summary='', fields=[7])", "its fields is 7"),
        ("@listener('Acme.Create', states='Started', types=[7])\ndef f(event): pass", "its types"),
    ],
)
def test_a_file_with_a_wrong_declaration_is_named_and_the_others_are_loaded(
    tmp_path: Path, declared: str, words: str
) -> None:
    text = f"from tenuto.plugins import listener, object_type, phase\n{declared}\n"
    assembly = load(tmp_path, bad=text, good=GOOD.format(name="Good"))
    assert list(assembly.phases.definitions) == ["Good"]
    (error,) = assembly.errors
    assert str(tmp_path / "bad.py") in str(error)
    assert "Acme.Create" in str(error)
    assert words in str(error)


def test_a_file_that_is_no_python_is_told_with_its_line(tmp_path: Path) -> None:
    (error,) = load(tmp_path, bad="x = 1\ndef f(:").errors
    file = tmp_path / "bad.py"
    assert str(error) == f"{file} was refused: line 2 of {file} is no Python that can be read (invalid syntax)"


def _complete(run: object) -> None: ...


SHOWN: PhasePlugin = phase("Shown", states="Allocation", types="Cloud.Node")(_complete)
