"""An update that keeps parameters: what is not given stays as the process has it, secrets that nobody can tell too."""

from pathlib import Path

import pytest

from tenuto.compositions.cloudformation.sections.parameters import Kept
from tenuto.compositions.compile import Compiled, compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.errors import CompileError, UserError
from tenuto.model.ids import JsonMap
from tenuto.service.intake.composition import Submission
from tenuto.service.views.process_view import process_detail_document
from tenuto_testing.world import World

TEMPLATE = """
Parameters:
  Label: {Type: String, Default: one}
  Zones: {Type: CommaDelimitedList, Default: "a,b"}
  Password: {Type: String, NoEcho: true, MinLength: 4}
Resources:
  Net:
    Type: Simulated::Network
    Properties: {CidrBlock: 10.0.0.0/16, Label: !Join ["-", [!Ref Label, !Select [1, !Ref Zones]]]}
  Other: {Type: Simulated::Network, Properties: {CidrBlock: 10.9.0.0/16, Label: !Ref Password}}
"""
KEPT = {"Label": Kept(value="two"), "Password": Kept(value=None), "Gone": Kept(value="of an older template")}


@pytest.fixture
def world() -> World:
    return World()


def compiled(folder: Path, text: str = TEMPLATE, kept: dict[str, Kept] | None = None, **given: str) -> Compiled:
    file = folder / "web.yaml"
    file.write_text(text)
    return compile_file(file, parameters=given, region="sim-1", kept=kept)


def submission(made: Compiled) -> Submission:
    return Submission(document=to_document(made.composition), secrets=made.secrets)


def running(world: World, folder: Path) -> World:
    world.system.commands.run(submission(compiled(folder, Label="two", Password="hunter2")), alias="web")
    assert world.settle()
    return world


def labels(world: World) -> list[object]:
    return sorted(str(thing.properties["Label"]) for thing in world.cloud.things())


def detail(world: World) -> JsonMap:
    return process_detail_document(world.system.queries.process("web"))


def test_a_process_tells_its_parameters_and_no_secret(world: World, tmp_path: Path) -> None:
    assert detail(running(world, tmp_path))["parameters"] == {"Label": "two", "Password": None, "Zones": ["a", "b"]}


def test_nothing_is_to_do_when_everything_is_kept(world: World, tmp_path: Path) -> None:
    running(world, tmp_path)
    before = detail(world)["composition"]
    world.advance(86_400)
    made = compiled(tmp_path, kept=KEPT)
    assert not made.secrets
    world.system.commands.update("web", submission(made))
    assert world.settle()
    assert detail(world)["composition"] == before
    assert labels(world) == ["hunter2", "two-b"]


def test_what_is_given_goes_before_what_is_kept(world: World, tmp_path: Path) -> None:
    running(world, tmp_path)
    world.system.commands.update("web", submission(compiled(tmp_path, kept=KEPT, Label="three")))
    assert world.settle()
    assert labels(world) == ["hunter2", "three-b"]
    world.system.commands.update("web", submission(compiled(tmp_path, kept=KEPT, Password="another")))
    assert world.settle()
    assert labels(world) == ["another", "two-b"]


def test_a_kept_value_is_judged_by_the_new_template(tmp_path: Path) -> None:
    narrower = TEMPLATE.replace("Default: one", "AllowedValues: [one, three]")
    with pytest.raises(CompileError) as caught:
        compiled(tmp_path, narrower, kept=KEPT)
    assert [one.code for one in caught.value.diagnostics] == ["T206"]


def test_a_condition_cannot_ask_for_a_kept_secret(tmp_path: Path) -> None:
    asking = TEMPLATE.replace("Other: {", "Other: {Condition: Odd, ")
    asking += 'Conditions: {Odd: !Equals [!Ref Password, "odd"]}\n'
    with pytest.raises(CompileError) as caught:
        compiled(tmp_path, asking, kept=KEPT)
    [found] = caught.value.diagnostics
    assert (found.code, "give its value with the command" in found.hint) == ("T403", True)


def test_a_secret_that_the_template_calls_none_has_to_be_given(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        compiled(tmp_path, TEMPLATE.replace("NoEcho: true, ", ""), kept=KEPT)
    assert [one.code for one in caught.value.diagnostics] == ["T204"]


def test_there_is_nothing_to_keep_of_a_new_parameter(world: World, tmp_path: Path) -> None:
    running(world, tmp_path)
    text = TEMPLATE.replace("Password", "Token")
    made = compiled(tmp_path, text, kept={"Token": Kept(value=None)}, Label="two")
    with pytest.raises(UserError, match="no value to keep of the NoEcho parameter Token"):
        world.system.commands.update("web", submission(made))
    with pytest.raises(UserError, match="no value to keep"):
        world.system.commands.run(submission(compiled(tmp_path, kept=KEPT)), alias="new")


def test_a_plan_with_a_kept_secret_is_executed_later(world: World, tmp_path: Path) -> None:
    running(world, tmp_path)
    file = world.system.commands.dry_runs.update("web", submission(compiled(tmp_path, kept=KEPT, Label="four"))).file
    assert file is not None
    world.system.commands.execute("web", file)
    assert world.settle()
    assert labels(world) == ["four-b", "hunter2"]


def test_a_kept_secret_may_be_empty_for_all_that_the_client_knows(tmp_path: Path) -> None:
    text = """
Parameters: {Token: {Type: String, NoEcho: true}}
Conditions: {HasToken: !Not [!Equals [!Ref Token, '']]}
Resources: {Topic: {Type: AWS::SNS::Topic, Condition: HasToken}}
"""
    with pytest.raises(CompileError) as refused:
        compiled(tmp_path, text, kept={"Token": Kept(value=None)})
    assert [one.code for one in refused.value.diagnostics] == ["T403"]
