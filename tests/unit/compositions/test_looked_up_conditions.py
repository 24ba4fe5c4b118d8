"""Conditions on values of the parameter store: asked for, decided, and held to what decided them."""

from pathlib import Path

import pytest

from tenuto.compositions.compile import Compiled, compile_file
from tenuto.compositions.documents.assertions import failed_assertions
from tenuto.errors import CompileError
from tenuto.model.composition import Parameter
from tenuto.model.ids import Json, JsonMap

HEAD = """
Parameters:
  Stage: {Type: 'AWS::SSM::Parameter::Value<String>', Default: /stage}
  Zones: {Type: 'AWS::SSM::Parameter::Value<List<String>>', Default: /zones}
"""
TEMPLATE = f"""{HEAD}
Conditions:
  IsProduction: !Equals [!Ref Stage, production]
  HasTwo: !Equals [!Select [1, !Ref Zones], b]
Resources:
  Queue: {{Type: AWS::SQS::Queue, Properties: {{QueueName: !Ref Stage}}}}
  Extra: {{Type: AWS::SQS::Queue, Condition: IsProduction}}
  Second: {{Type: AWS::SQS::Queue, Condition: HasTwo}}
"""


def compiled(folder: Path, text: str, **looked_up: Json) -> Compiled:
    file = folder / "app.yaml"
    file.write_text(text, encoding="utf-8")
    values = {f"/{key}": value for key, value in looked_up.items()}
    return compile_file(file, parameters={}, region="eu-west-1", looked_up=values)


def refused(folder: Path, text: str, **looked_up: Json) -> CompileError:
    with pytest.raises(CompileError) as failed:
        compiled(folder, text, **looked_up)
    return failed.value


def test_a_condition_tells_the_keys_that_it_waits_for(tmp_path: Path) -> None:
    error = refused(tmp_path, TEMPLATE)
    assert set(error.waits) == {"/stage", "/zones"}
    assert "T403" in str(error.diagnostics)


def test_a_value_that_decides_nothing_is_not_asked_for(tmp_path: Path) -> None:
    error = refused(tmp_path, TEMPLATE.replace("[!Select [1, !Ref Zones], b]", "[a, b]"))
    assert error.waits == ("/stage",)


@pytest.mark.parametrize(("stage", "zones", "there"), [("test", "a,b", {"Second"}), ("production", "a,c", {"Extra"})])
def test_the_values_decide_which_resources_there_are(tmp_path: Path, stage: str, zones: str, there: set[str]) -> None:
    found = compiled(tmp_path, TEMPLATE, stage=stage, zones=zones).composition
    assert {one.logical_id for one in found.resources} == {"Queue", *there}
    # The value stays a reference where it is used, so that an update finds a new one.
    queue = next(one for one in found.resources if one.logical_id == "Queue")
    assert queue.properties == {"QueueName": {"Ref": "Stage"}}
    assert found.parameters["Stage"] == Parameter(name="Stage", lookup="/stage")


@pytest.mark.parametrize(
    ("lookups", "rules"),
    [
        ({"Stage": "test", "Zones": "a,b"}, []),
        ({"Stage": "production", "Zones": "a,b"}, ["Stage"]),
        ({"Stage": "test", "Zones": "a, c"}, ["Zones"]),
    ],
)
def test_the_composition_runs_with_the_values_that_decided_it_alone(
    tmp_path: Path, lookups: JsonMap, rules: list[str]
) -> None:
    found = compiled(tmp_path, TEMPLATE, stage="test", zones="a,b").composition
    failed = failed_assertions(found.assertions, lookups)
    assert [one.subject for one in failed] == rules
    assert all("another value now" in one.detail and one.position is not None for one in failed)


def test_a_nested_template_decides_by_the_value_that_is_passed_to_it(tmp_path: Path) -> None:
    (tmp_path / "inner.yaml").write_text(
        "Parameters: {Stage: {Type: String}}\n"
        "Conditions: {IsProduction: !Equals [!Ref Stage, production]}\n"
        "Resources:\n"
        "  Extra: {Type: AWS::SQS::Queue, Condition: IsProduction}\n"
        "  Always: {Type: AWS::SQS::Queue}\n",
        encoding="utf-8",
    )
    text = f"""{HEAD}
Resources:
  Inner:
    Type: AWS::CloudFormation::Stack
    Properties: {{TemplateURL: {tmp_path}/inner.yaml, Parameters: {{Stage: !Ref Stage}}}}
"""
    assert refused(tmp_path, text).waits == ("/stage",)
    found = compiled(tmp_path, text, stage="production").composition
    assert {one.logical_id for one in found.resources} == {"Inner.Always", "Inner.Extra"}


def test_the_list_of_a_loop_may_be_looked_up(tmp_path: Path) -> None:
    text = f"""Transform: AWS::LanguageExtensions
{HEAD}
Resources:
  Fn::ForEach::Zone:
    - Name
    - !Ref Zones
    - Queue${{Name}}: {{Type: AWS::SQS::Queue}}
"""
    assert refused(tmp_path, text).waits == ("/zones",)
    found = compiled(tmp_path, text, zones="a,b").composition
    assert {one.logical_id for one in found.resources} == {"Queuea", "Queueb"}
    assert [one.rule for one in found.assertions] == ["Zones"]
