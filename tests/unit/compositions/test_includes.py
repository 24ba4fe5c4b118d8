"""`AWS::Include` of a local file, as a function and as a transform."""

from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

FUNCTION = "{Fn::Transform: {Name: AWS::Include, Parameters: {Location: LOCATION}}}"


def document(folder: Path, text: str, **parameters: str) -> Any:
    (folder / "main.yaml").write_text(text)
    return to_document(compile_file(folder / "main.yaml", parameters=parameters, region="eu-west-1").composition)


def said(folder: Path, text: str) -> list[Diagnostic]:
    with pytest.raises(CompileError) as failed:
        document(folder, text)
    return [one for one in failed.value.diagnostics if isinstance(one, Diagnostic)]


def test_a_file_takes_the_place_of_the_function(tmp_path: Path) -> None:
    (tmp_path / "queue.yaml").write_text("DelaySeconds: !Ref Delay\n")
    text = f"""
Parameters: {{Delay: {{Type: Number, Default: 5}}}}
Resources:
  Q: {{Type: AWS::SQS::Queue, Properties: {FUNCTION.replace("LOCATION", "queue.yaml")}}}
"""
    assert document(tmp_path, text)["resources"]["Q"]["properties"] == {"DelaySeconds": 5}


def test_the_keys_of_a_file_join_those_beside_it(tmp_path: Path) -> None:
    (tmp_path / "more.json").write_text('{"Made": {"Type": "AWS::SNS::Topic"}}')
    text = """
Resources:
  Fn::Transform: {Name: AWS::Include, Parameters: {Location: ./more.json}}
  Q: {Type: AWS::SQS::Queue, DependsOn: Made}
"""
    assert sorted(document(tmp_path, text)["resources"]) == ["Made", "Q"]


def test_a_transform_includes_sections(tmp_path: Path) -> None:
    (tmp_path / "maps.yaml").write_text("Mappings: {Sizes: {a: {delay: 3}}}\nResources: {T: {Type: AWS::SNS::Topic}}\n")
    text = """
Transform: {Name: AWS::Include, Parameters: {Location: maps.yaml}}
Resources:
  Q: {Type: AWS::SQS::Queue, Properties: {DelaySeconds: !FindInMap [Sizes, a, delay]}}
"""
    found = document(tmp_path, text)["resources"]
    assert (sorted(found), found["Q"]["properties"]) == (["Q", "T"], {"DelaySeconds": 3})


def test_a_function_may_call_a_list_of_macros(tmp_path: Path) -> None:
    (tmp_path / "delay.yaml").write_text("DelaySeconds: 5\n")
    (tmp_path / "size.yaml").write_text("MaximumMessageSize: 2048\n")
    delay, size = (f"{{Name: AWS::Include, Parameters: {{Location: {name}}}}}" for name in ("delay.yaml", "size.yaml"))
    text = "Resources: {Q: {Type: AWS::SQS::Queue, Properties: {Fn::Transform: [MACROS]}}}\n"
    found = document(tmp_path, text.replace("MACROS", f"{delay}, {size}"))["resources"]["Q"]["properties"]
    assert found == {"DelaySeconds": 5, "MaximumMessageSize": 2048}
    (one,) = said(tmp_path, text.replace("MACROS", f"{delay}, {{Name: Ours}}"))
    assert (one.code, one.detail.partition(",")[0]) == ("T702", "Fn::Transform calls Ours")


def test_the_location_may_have_parameters_in_it(tmp_path: Path) -> None:
    (tmp_path / "eu-west-1-test.yaml").write_text("DelaySeconds: 9\n")
    location = "!Sub '${AWS::Region}-${Stage}.yaml'"
    text = f"""
Parameters: {{Stage: {{Type: String, Default: test}}}}
Resources:
  Q:
    Type: AWS::SQS::Queue
    Properties:
      Fn::Transform:
        Name: AWS::Include
        Parameters:
          Location: {location}
"""
    assert document(tmp_path, text)["resources"]["Q"]["properties"] == {"DelaySeconds": 9}


def test_a_mistake_in_the_file_is_told_there(tmp_path: Path) -> None:
    (tmp_path / "queue.yaml").write_text("# ours\nDelaySecond: 5\n")
    text = f"Resources: {{Q: {{Type: AWS::SQS::Queue, Properties: {FUNCTION.replace('LOCATION', 'queue.yaml')}}}}}\n"
    (one,) = said(tmp_path, text)
    assert (one.code, one.position and one.position.file) == ("T504", str(tmp_path / "queue.yaml"))
    assert one.source_line == "DelaySecond: 5"


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("nowhere.yaml", "T115"),
        ("s3://bucket/queue.yaml", "T115"),
        ("!Ref AWS::StackName", "T403"),
        ("again.yaml", "T114"),
        ("broken.yaml", "T003"),
    ],
)
def test_what_cannot_be_included_is_told(tmp_path: Path, location: str, code: str) -> None:
    (tmp_path / "again.yaml").write_text(f"Made: {FUNCTION.replace('LOCATION', 'again.yaml')}\n")
    (tmp_path / "broken.yaml").write_text("a: [\n")
    text = f"Resources: {{Q: {{Type: AWS::SQS::Queue, Properties: {FUNCTION.replace('LOCATION', location)}}}}}\n"
    assert code in [one.code for one in said(tmp_path, text)]


def test_another_macro_is_told_with_the_way_to_expand_it(tmp_path: Path) -> None:
    found = said(tmp_path, "Transform: [Ours]\nResources: {Q: {Type: AWS::SQS::Queue}}\n")
    assert [one.code for one in found] == ["T701"]
    assert "--template-stage Processed" in found[0].hint
