"""Templates of AWS SAM, translated by the published library."""

from pathlib import Path
from typing import Any

import pytest

from tenuto.compositions.cloudformation.dialects.serverless import Serverless
from tenuto.compositions.cloudformation.reading.reader import read
from tenuto.compositions.compile import compile_file
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.documents.document import from_document, to_document
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic, Severity

pytest.importorskip("samtranslator")

HEAD = "Transform: AWS::Serverless-2016-10-31\n"
FUNCTION = """Globals:
  Function: {Runtime: python3.12, Timeout: 7}
Parameters:
  Stage: {Type: String, Default: test}
  Secret: {Type: String, NoEcho: true, Default: hunter2}
Resources:
  Job:
    Type: AWS::Serverless::Function
    Properties:
      Handler: index.run
      InlineCode: 'def run(event, context): return 1'
      Environment: {Variables: {PASSWORD: !Ref Secret, STAGE: !Ref Stage}}
      Policies: [AWSLambdaVPCAccessExecutionRole, {S3ReadPolicy: {BucketName: !Ref Data}}]
      Events:
        Hourly: {Type: Schedule, Properties: {Schedule: rate(1 hour)}}
  Data: {Type: AWS::S3::Bucket}
Outputs:
  Role: {Value: !GetAtt JobRole.Arn}
"""


def compiled(folder: Path, text: str, **parameters: str) -> Any:
    (folder / "app.yaml").write_text(text)
    return compile_file(folder / "app.yaml", parameters=parameters, region="eu-west-1")


def said(folder: Path, text: str) -> list[Diagnostic]:
    with pytest.raises(CompileError) as failed:
        compiled(folder, text)
    return [one for one in failed.value.diagnostics if isinstance(one, Diagnostic)]


def test_a_function_becomes_what_the_library_makes_of_it(tmp_path: Path) -> None:
    found = to_document(compiled(tmp_path, HEAD + FUNCTION).composition)
    from_document(found)
    assert {name: one["type"] for name, one in found["resources"].items()} == {
        "Data": "AWS::S3::Bucket",
        "Job": "AWS::Lambda::Function",
        "JobHourly": "AWS::Events::Rule",
        "JobHourlyPermission": "AWS::Lambda::Permission",
        "JobRole": "AWS::IAM::Role",
    }
    job = found["resources"]["Job"]["properties"]
    assert (job["Timeout"], job["Runtime"]) == (7, "python3.12")
    policies = found["resources"]["JobRole"]["properties"]["ManagedPolicyArns"]
    assert "arn:aws:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole" in policies


def test_what_the_library_makes_stands_where_it_was_asked_for(tmp_path: Path) -> None:
    positions = to_document(compiled(tmp_path, HEAD + FUNCTION).composition)["positions"]
    assert {positions[name]["line"] for name in ("Job", "JobRole", "JobHourly")} == {8}
    assert positions["Data"]["line"] == 17


def test_names_that_only_the_library_knows_mean_what_it_makes(tmp_path: Path) -> None:
    text = FUNCTION.replace("      Handler: index.run\n", "      Handler: index.run\n      AutoPublishAlias: live\n")
    text += "  Alias: {Value: !Ref Job.Alias}\n"
    found = to_document(compiled(tmp_path, HEAD + text).composition)
    assert found["outputs"]["Alias"]["value"] == {"Ref": "JobAliaslive"}
    assert found["resources"]["JobAliaslive"]["type"] == "AWS::Lambda::Alias"


def test_a_secret_is_not_written_down_by_the_library(tmp_path: Path) -> None:
    whole = compiled(tmp_path, HEAD + FUNCTION)
    assert whole.secrets == {"Secret": "hunter2"}
    assert "hunter2" not in str(to_document(whole.composition))


def test_a_property_that_is_wrong_is_told_at_its_line(tmp_path: Path) -> None:
    (one,) = said(tmp_path, HEAD + FUNCTION.replace("Timeout: 7", "Timeout: 7000"))
    assert (one.code, one.position and one.position.line) == ("T509", 10)


def test_a_complaint_of_the_library_is_told_at_the_resource(tmp_path: Path) -> None:
    found = said(tmp_path, HEAD + FUNCTION.replace("Type: Schedule,", "Type: Schedul,"))
    assert [(one.code, one.position and one.position.line) for one in found] == [("T712", 8)]
    assert "Schedul" in found[0].detail


def test_code_on_this_machine_must_be_packaged(tmp_path: Path) -> None:
    found = said(tmp_path, HEAD + FUNCTION.replace("InlineCode: 'def run(event, context): return 1'", "CodeUri: src/"))
    assert [one.code for one in found] == ["T713"]
    assert "aws cloudformation package" in found[0].hint


def test_a_function_of_an_image_needs_no_code_in_a_bucket(tmp_path: Path) -> None:
    text = """Resources:
  F:
    Type: AWS::Serverless::Function
    Properties: {PackageType: Image, CodeUri: ., ImageUri: '123456789012.dkr.ecr.us-east-1.amazonaws.com/app:1'}
"""
    found = to_document(compiled(tmp_path, HEAD + text).composition)["resources"]["F"]["properties"]
    assert found["Code"] == {"ImageUri": "123456789012.dkr.ecr.us-east-1.amazonaws.com/app:1"}


def test_a_definition_in_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "steps.json").write_text('{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}')
    text = """Resources:
  Steps:
    Type: AWS::Serverless::StateMachine
    Properties: {DefinitionUri: steps.json, Role: 'arn:aws:iam::123456789012:role/r'}
"""
    found = to_document(compiled(tmp_path, HEAD + text).composition)["resources"]["Steps"]
    assert '"StartAt"' in str(found["properties"]["DefinitionString"])


def test_a_definition_whose_file_is_missing_is_told_once(tmp_path: Path) -> None:
    text = """Resources:
  Steps:
    Type: AWS::Serverless::StateMachine
    Properties: {DefinitionUri: steps.json, Role: 'arn:aws:iam::123456789012:role/r'}
"""
    [found] = said(tmp_path, HEAD + text)
    assert (found.code, "which is no file" in found.detail, found.hint) == ("T713", True, "Correct the path.")
    (tmp_path / "Steps.json").write_text("{}")
    [found] = said(tmp_path, HEAD + text)
    assert found.hint == "Did you mean Steps.json?"


def test_an_application_in_a_file_is_a_nested_template(tmp_path: Path) -> None:
    (tmp_path / "inner.yaml").write_text(HEAD + "Resources: {T: {Type: AWS::Serverless::SimpleTable}}\n")
    text = "Resources: {A: {Type: AWS::Serverless::Application, Properties: {Location: inner.yaml}}}\n"
    found = to_document(compiled(tmp_path, HEAD + text).composition)["resources"]
    assert {name: one["type"] for name, one in found.items()} == {"A.T": "AWS::DynamoDB::Table"}


LOCATION = "{ApplicationId: 'arn:aws:serverlessrepo:us-east-1:1:applications/x', SemanticVersion: 1.0.0}"


def test_an_application_of_a_repository_stays_and_its_outputs_can_be_asked_for(tmp_path: Path) -> None:
    text = f"""Globals: {{Function: {{Runtime: python3.12}}}}
Mappings: {{Versions: {{aws: {{one: 1.0.0}}}}}}
Resources:
  Alert:
    Type: AWS::Serverless::Application
    Properties:
      Location:
        ApplicationId: arn:aws:serverlessrepo:us-east-1:1:applications/x
        SemanticVersion: !FindInMap [Versions, !Ref 'AWS::Partition', one]
      Parameters: {{Where: !Ref Table}}
  Table: {{Type: AWS::Serverless::SimpleTable, DependsOn: Other}}
  Other: {{Type: AWS::Serverless::Application, Properties: {{Location: {LOCATION}}}}}
  Queue: {{Type: AWS::SQS::Queue, Properties: {{QueueName: !Sub '${{Alert.Outputs.Name}}-x'}}}}
"""
    found = to_document(compiled(tmp_path, HEAD + text).composition)["resources"]
    assert {name: one["type"] for name, one in found.items()} == {
        "Alert": "AWS::Serverless::Application",
        "Other": "AWS::Serverless::Application",
        "Queue": "AWS::SQS::Queue",
        "Table": "AWS::DynamoDB::Table",
    }
    assert found["Alert"]["properties"]["Location"]["SemanticVersion"] == "1.0.0"
    assert (found["Table"]["depends_on"], found["Queue"]["depends_on"]) == (["Other"], ["Alert"])


def test_a_template_of_applications_alone_needs_no_translator(tmp_path: Path) -> None:
    text = f"Resources: {{A: {{Type: AWS::Serverless::Application, Properties: {{Location: {LOCATION}}}}}}}\n"
    assert [*to_document(compiled(tmp_path, HEAD + text).composition)["resources"]] == ["A"]


def test_an_application_is_judged_like_any_other_resource(tmp_path: Path) -> None:
    text = f"""Resources:
  A: {{Type: AWS::Serverless::Application, Properties: {{Location: {LOCATION}, Paramters: {{}}}}}}
  Q: {{Type: AWS::SQS::Queue, Properties: {{QueueName: !GetAtt A.Arn}}}}
"""
    assert {(one.code, one.subject.rpartition(".")[2]) for one in said(tmp_path, HEAD + text)} == {
        ("T504", "Paramters"),
        ("T305", "Arn"),
    }


@pytest.mark.parametrize("kind", ["AWS::Serverless::Function", "My::Own::Bucket::MODULE"])
def test_names_that_another_program_would_have_made_are_not_told_beside_it(tmp_path: Path, kind: str) -> None:
    text = f"""Resources:
  Shop: {{Type: '{kind}'}}
  Queue: {{Type: AWS::SQS::Queue, Properties: {{QueueName: !GetAtt ShopRole.Arn}}}}
  Other: {{Type: AWS::SQS::Queue, Properties: {{QueueName: !GetAtt Sop.Arn}}}}
"""
    found = [one for one in said(tmp_path, text) if one.severity is Severity.ERROR]
    assert [one.subject for one in found] == ["Shop", "Sop"]


@pytest.mark.parametrize("text", ["Resources: {F: x}\n", "Resources: {F: {Type: AWS::Serverless::Function}}\n"])
def test_a_template_that_breaks_the_library_is_told(tmp_path: Path, text: str) -> None:
    assert {one.code for one in said(tmp_path, HEAD + text)} & {"T104", "T712"}


def test_without_the_library_it_says_how_to_install_it() -> None:
    text = HEAD + FUNCTION
    problems = Problems("app.yaml", text)
    root = read(text, problems)
    assert root is not None
    found = Serverless(None, file="app.yaml", region="eu-west-1", parameters={}, problems=problems).translated(root)
    assert found is None
    (one,) = problems.diagnostics()
    assert (one.code, one.hint) == ("T711", "Install it with: pip install 'tenuto[sam]'")


@pytest.mark.parametrize("properties", ["3", "text", "[a]"])
def test_properties_that_are_no_mapping_are_told_and_end_nothing(tmp_path: Path, properties: str) -> None:
    text = f"{HEAD}Resources:\n  Job: {{Type: AWS::Serverless::Function, Properties: {properties}}}\n"
    assert {one.severity for one in said(tmp_path, text)} == {Severity.ERROR}
