"""`HostedRotationLambda`: a function of AWS that becomes an application of its repository."""

from typing import Any

import pytest

from tenuto.compositions.checks.managed import managed_of
from tenuto.compositions.compile import Compiled, compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Severity
from tenuto.providers.aws.types.catalogue import FACTS

TEXT = """Transform: AWS::SecretsManager-2020-07-23
Parameters: {Users: {Type: String, Default: MySQLSingleUser}}
Conditions: {Turns: !Equals [!Ref 'AWS::Region', us-east-1]}
Resources:
  Secret: {Type: AWS::SecretsManager::Secret}
  Main: {Type: AWS::SecretsManager::Secret}
  Turn:
    Type: AWS::SecretsManager::RotationSchedule
    Properties:
      SecretId: !Ref Secret
      HostedRotationLambda: HOSTED
      RotationRules: {AutomaticallyAfterDays: 30}
"""


def compilation(hosted: str, region: str, text: str) -> Compiled:
    text = text.replace("HOSTED", hosted)
    return compile_text(text, file="app.yaml", parameters={}, region=region, managed=managed_of(FACTS))


def compiled(hosted: str, region: str = "us-east-1", text: str = TEXT) -> dict[str, Any]:
    found = compilation(hosted, region, text).composition
    resources: dict[str, Any] = to_document(found)["resources"]
    return resources


@pytest.mark.parametrize(
    ("kind", "region", "application"),
    [
        (
            "MySQLSingleUser",
            "us-east-1",
            "aws:serverlessrepo:us-east-1:297356227824:applications/SecretsManagerRDSMySQL",
        ),
        (
            "MongoDBSingleUser",
            "eu-west-1",
            "aws:serverlessrepo:us-east-1:297356227824:applications/SecretsManagerMongoDB",
        ),
        (
            "RedshiftSingleUser",
            "us-gov-west-1",
            "aws-us-gov:serverlessrepo:us-gov-west-1:023102451235:applications/SecretsManagerRedshift",
        ),
    ],
)
def test_a_hosted_function_is_an_application_of_its_partition(kind: str, region: str, application: str) -> None:
    made = compiled(f"{{RotationType: {kind}}}", region)
    assert made["TurnFunction"]["type"] == "AWS::Serverless::Application"
    assert made["TurnFunction"]["properties"]["Location"] == {"ApplicationId": f"arn:{application}RotationSingleUser"}
    assert made["Turn"]["properties"] == {
        "SecretId": {"Ref": "Secret"},
        "RotationLambdaARN": {"Fn::GetAtt": ["TurnFunction", "Outputs.RotationLambdaARN"]},
        "RotationRules": {"AutomaticallyAfterDays": 30},
    }


def test_what_is_declared_of_the_function_are_parameters() -> None:
    made = compiled(
        "{RotationType: PostgreSQLMultiUser, SuperuserSecretArn: !Ref Main, ExcludeCharacters: '/@', "
        "VpcSubnetIds: 'subnet-1,subnet-2', RotationLambdaName: turner}"
    )
    assert made["TurnFunction"]["properties"]["Parameters"] == {
        "endpoint": "https://secretsmanager.us-east-1.amazonaws.com",
        "functionName": "turner",
        "masterSecretArn": {"Ref": "Main"},
        "excludeCharacters": "/@",
        "vpcSubnetIds": "subnet-1,subnet-2",
    }
    named = compiled("{RotationType: PostgreSQLSingleUser}")["TurnFunction"]["properties"]["Parameters"]
    assert named["functionName"] == {"Fn::Join": ["", [{"Ref": "AWS::StackName"}, "-Turn"]]}


def test_the_function_is_there_when_its_schedule_is_and_has_a_name_of_its_own() -> None:
    text = TEXT.replace(
        "    Properties:\n      SecretId: !Ref Secret\n",
        "    Condition: Turns\n    Properties:\n      SecretId: !Ref Secret\n",
    )
    assert {*compiled("{RotationType: MySQLSingleUser}", text=text)} == {"Secret", "Main", "Turn", "TurnFunction"}
    assert {*compiled("{RotationType: MySQLSingleUser}", "eu-west-1", text)} == {"Secret", "Main"}
    taken = TEXT.replace("  Main:", "  TurnFunction: {Type: AWS::SNS::Topic}\n  Main:")
    assert "TurnFunctionX" in compiled("{RotationType: MySQLSingleUser}", text=taken)


def test_the_runtime_is_the_one_of_the_application_and_that_is_told() -> None:
    told = compilation("{RotationType: MySQLSingleUser, Runtime: python3.9}", "us-east-1", TEXT).diagnostics
    assert [(one.code, one.subject, one.severity) for one in told] == [("T803", "Turn", Severity.WARNING)]


@pytest.mark.parametrize("hosted", ["{RotationType: !Ref Users}", "{RotationType: CassandraSingleUser}"])
def test_a_function_that_aws_does_not_publish_is_refused_with_advice(hosted: str) -> None:
    with pytest.raises(CompileError) as failed:
        compiled(hosted)
    told = [one for one in failed.value.diagnostics if one.code == "T710"]
    assert ["RotationLambdaARN" in one.hint for one in told] == [True], failed.value.diagnostics


def test_another_transform_is_still_a_program_of_cloudformation() -> None:
    with pytest.raises(CompileError) as failed:
        compiled(
            "{RotationType: MySQLSingleUser}", text=TEXT.replace("SecretsManager-2020-07-23", "CodeDeployBlueGreen")
        )
    assert "T701" in [one.code for one in failed.value.diagnostics]
