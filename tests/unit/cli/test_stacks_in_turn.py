"""Several stacks of an assembly in one command: all are compiled first, and a failure tells the rest."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from front import Front
from terminal import Ended, Shell

from tenuto.cli.compositions.compiling import Source, UnknownValueProblem
from tenuto.cli.compositions.in_turn import Ready, Turns
from tenuto.cli.compositions.stacks import Part
from tenuto.cli.terminal.exits import Exit
from tenuto.cli.terminal.session import Session
from tenuto.compositions.assemblies import Stack
from tenuto.compositions.compile import Compiled, compile_text
from tenuto.model.ids import JsonMap
from tenuto.settings import Settings

GOOD = {"Resources": {"Main": {"Type": "Simulated::Network", "Properties": {"CidrBlock": "10.0.0.0/16"}}}}
BAD = {"Resources": {"Main": {"Type": "Simulated::Network", "Properties": {"CidrBlok": "10.0.0.0/16"}}}}
DECIDED = {
    "Parameters": {"Stage": {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "/stage"}},
    "Conditions": {"Is": {"Fn::Equals": [{"Ref": "Stage"}, "production"]}},
    "Resources": {"Main": {**GOOD["Resources"]["Main"], "Condition": "Is"}},
}
GOES_ON = "goes on: it updates the processes that are there, and starts the others."


def assembly(tenuto: Shell, **templates: Any) -> str:
    folder = tenuto.folder / "cdk.out"
    folder.mkdir(exist_ok=True)
    artifacts = {}
    for name, template in templates.items():
        (folder / f"{name}.template.json").write_text(json.dumps(template))
        artifacts[name] = {
            "type": "aws:cloudformation:stack",
            "environment": "aws://unknown-account/unknown-region",
            "properties": {"templateFile": f"{name}.template.json"},
        }
    (folder / "manifest.json").write_text(json.dumps({"version": "1", "artifacts": artifacts}))
    return str(folder)


def running(tenuto: Shell) -> list[str]:
    return sorted(one["alias"] for one in tenuto("--json", "status").document["processes"])


@pytest.mark.parametrize("words", [("-y", "run"), ("-y", "apply"), ("run", "--dry-run"), ("apply", "--dry-run")])
def test_an_error_in_a_later_stack_keeps_the_first_from_being_sent(tenuto: Shell, words: tuple[str, ...]) -> None:
    folder = assembly(tenuto, Aaa=GOOD, Bbb=BAD)
    ended = tenuto(*words, folder)
    assert (ended.code, ended.out) == (3, "")
    assert ended.err.rstrip().endswith("Bbb.template.json: 1 error; nothing was sent.")
    assert "started" not in ended.err
    assert running(tenuto) == []


def test_the_errors_of_all_stacks_are_told_at_once(tenuto: Shell) -> None:
    folder = assembly(tenuto, Aaa=BAD, Bbb=GOOD, Ccc=BAD)
    ended = tenuto("-y", "run", folder)
    assert ended.code == 3
    assert "Aaa.template.json:" in ended.err
    assert "Ccc.template.json:" in ended.err
    assert f"{folder}: 2 of 3 stacks have errors (Aaa, Ccc); nothing was sent." in ended.err


def test_compile_tells_the_errors_of_all_stacks_and_prints_none(tenuto: Shell) -> None:
    folder = assembly(tenuto, Aaa=BAD, Bbb=GOOD, Ccc=BAD)
    ended = tenuto("compile", folder)
    assert (ended.code, ended.out) == (3, "")
    assert "Aaa.template.json:" in ended.err
    assert f"{folder}: 2 of 3 stacks have errors (Aaa, Ccc); nothing is printed." in ended.err


def test_after_a_correction_the_same_command_runs_all_stacks(tenuto: Shell) -> None:
    assert tenuto("-y", "run", assembly(tenuto, Aaa=GOOD, Bbb=BAD)).code == 3
    ended = tenuto("-y", "run", assembly(tenuto, Aaa=GOOD, Bbb=GOOD))
    assert (ended.code, running(tenuto)) == (0, ["Aaa", "Bbb"])
    assert "Note:" not in ended.err


def refused_at_the_second(tenuto: Shell, command: str, *more: str) -> Ended:
    """The second of three stacks has a name that is taken, or a process that is locked."""
    folder = assembly(tenuto, Aaa=GOOD, Bbb=GOOD, Ccc=GOOD)
    assert tenuto("-y", "run", folder, "--stack", "Bbb").code == 0
    assert tenuto("-y", "property", "Bbb", "lock", "--set", "on").code == 0
    changed = {**GOOD, "Outputs": {"Id": {"Value": {"Ref": "Main"}}}}
    ended = tenuto("-y", command, assembly(tenuto, Aaa=GOOD, Bbb=changed, Ccc=GOOD), *more)
    assert ended.code == 5
    return ended


def test_a_refusal_of_a_later_stack_tells_what_was_started_and_what_goes_on(tenuto: Shell) -> None:
    ended = refused_at_the_second(tenuto, "run")
    folder = tenuto.folder / "cdk.out"
    told = f"Note: Aaa was started before Bbb. Not started yet: Ccc. 'tenuto apply {folder}' {GOES_ON}"
    assert told in ended.err
    assert running(tenuto) == ["Aaa", "Bbb"]
    assert tenuto("-y", "property", "Bbb", "lock", "--set", "off").code == 0
    assert tenuto("-y", "apply", str(folder)).code == 0
    assert running(tenuto) == ["Aaa", "Bbb", "Ccc"]


def test_the_command_that_goes_on_has_the_options_of_the_one_that_failed(tenuto: Shell) -> None:
    ended = refused_at_the_second(tenuto, "apply", "--stack", "*", "--region", "us-east-1")
    assert "Aaa was applied before Bbb. Not applied yet: Ccc." in ended.err
    assert f"'tenuto apply {tenuto.folder / 'cdk.out'} --stack '*' --region us-east-1' goes on" in ended.err


def test_running_stacks_that_are_there_names_the_command_that_goes_on(tenuto: Shell) -> None:
    folder = assembly(tenuto, Aaa=GOOD, Bbb=GOOD)
    assert tenuto("-y", "run", folder).code == 0
    ended = tenuto("-y", "run", folder)
    assert ended.code == 5
    assert f"Note: None of the 2 stacks was started. 'tenuto apply {folder}' {GOES_ON}" in ended.err


def test_a_stack_that_does_not_become_ready_tells_those_that_are_left(tenuto: Shell) -> None:
    folder = assembly(tenuto, Aaa=GOOD, Bbb=GOOD)
    ended = tenuto("-y", "run", folder, "--wait=1")
    assert ended.code != 0
    assert f"Note: Aaa was started. Not started yet: Bbb. 'tenuto apply {folder} --wait' {GOES_ON}" in ended.err
    assert running(tenuto) == ["Aaa"]


def test_a_value_that_no_stack_before_is_waited_for_to_make_stops_all(tenuto: Shell) -> None:
    ended = tenuto("-y", "run", assembly(tenuto, Aaa=GOOD, Bbb=DECIDED))
    assert ended.code == 2
    assert "no value for /stage" in ended.err
    assert "Note: nothing was sent. If a stack before Bbb makes the value that is missing, use --wait" in ended.err
    assert running(tenuto) == []


def test_a_value_that_is_there_is_looked_up_before_anything_is_sent(tenuto: Shell, front: Front) -> None:
    front.conductor.looked_up = {"/stage": "production"}
    assert tenuto("-y", "run", assembly(tenuto, Aaa=GOOD, Bbb=DECIDED)).code == 0
    assert running(tenuto) == ["Aaa", "Bbb"]


class Work:
    """Compilation and sending of parts, written down in their order. `early` names a stack whose value is missing as
    long as nothing was sent."""

    def __init__(self, folder: Path, *, early: str = "") -> None:
        self.acts: list[str] = []
        self.later: list[str] = []
        self._early = early
        self._compiled: Compiled = compile_text(json.dumps(GOOD), file="x", parameters={}, region="eu-west-1")
        source = Source(file=folder / "x", region=None, account=None, parameters={}, werror=False)
        self.turns = Turns(
            session=Session(Settings.load({})), given=source, parts=tuple(map(self._part, "AB")), is_waiting=True
        )

    def _part(self, name: str) -> Part:
        source = Source(file=Path(name), region=None, account=None, parameters={}, werror=False)
        return Part(source=source, stack=Stack(name=name, shown=name, template=Path(name)))

    def compile(self, part: Part) -> Ready:
        name = str(part.source.file)
        if name == self._early and not any(one.startswith("send") for one in self.acts):
            raise UnknownValueProblem({"code": "user", "detail": "no value"})
        self.acts.append(f"compile {name}")
        self.later += [name] if part.source.is_after_others else []
        return Ready(part=part, source=part.source, compiled=self._compiled)

    def send(self, ready: Ready) -> JsonMap:
        self.acts.append(f"send {ready.source.file}")
        return {}

    def take(self, **changes: Any) -> int:
        return replace(self.turns, **changes).take(self.compile, self.send, lambda _: Exit.DONE)


def test_a_stack_that_needs_a_value_of_one_that_is_waited_for_is_compiled_in_its_turn(tmp_path: Path) -> None:
    work = Work(tmp_path, early="B")
    assert work.take() == 0
    assert (work.acts, work.later) == (["compile A", "send A", "compile B", "send B"], ["B"])


def test_a_dry_run_shows_the_plans_before_a_stack_whose_value_is_missing(tmp_path: Path) -> None:
    work = Work(tmp_path, early="B")
    assert work.take(is_dry_run=True, is_waiting=False) == 0
    assert (work.acts, work.later) == (["compile A", "send A", "compile B", "send B"], [])


def test_a_first_stack_whose_value_is_missing_stops_all(tmp_path: Path) -> None:
    work = Work(tmp_path, early="A")
    with pytest.raises(UnknownValueProblem):
        work.take()
    assert work.acts == []


def test_a_stack_whose_export_is_imported_tells_that_the_importers_come_first(tenuto: Shell) -> None:
    exporting = {**GOOD, "Outputs": {"Net": {"Value": {"Ref": "Main"}, "Export": {"Name": "net"}}}}
    subnet = {"NetworkId": {"Fn::ImportValue": "net"}, "CidrBlock": "10.0.1.0/24"}
    importing = {"Resources": {"Main": {"Type": "Simulated::Subnet", "Properties": subnet}}}
    assert tenuto("-y", "run", assembly(tenuto, Aaa=exporting, Bbb=importing)).code == 0
    folder = assembly(tenuto, Aaa=GOOD, Bbb=GOOD)
    ended = tenuto("-y", "apply", folder)
    assert ended.code == 5
    assert "Process Aaa exports net, imported by Bbb (Main)" in ended.err
    first = f"First apply the stacks of {folder} that import the export, by --stack, and wait for them."
    assert f"Note: None of the 2 stacks was applied. {first} 'tenuto apply {folder}' {GOES_ON}" in ended.err
