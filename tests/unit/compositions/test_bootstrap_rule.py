"""The CDK's question for its bootstrap version: what it costs a template that Tenuto runs, which is nothing."""

import pytest

from tenuto.compositions.compile import Compiled, compile_text
from tenuto.model.composition import Parameter

HEAD = """
Parameters:
  BootstrapVersion:
    Type: AWS::SSM::Parameter::Value<String>
    Default: /cdk-bootstrap/hnb659fds/version
    Description: Version of the CDK Bootstrap resources in this environment. [cdk:skip]
"""
RULE = """
Rules:
  CheckBootstrapVersion:
    Assertions:
      - Assert: {Fn::Not: [{Fn::Contains: [['1', '2', '3', '4', '5'], {Ref: BootstrapVersion}]}]}
        AssertDescription: CDK bootstrap stack version 6 required. Please run 'cdk bootstrap'.
"""
QUEUE = "Resources:\n  Queue: {Type: AWS::SQS::Queue}\n"
LOOKUP = {"BootstrapVersion": Parameter(name="BootstrapVersion", lookup="/cdk-bootstrap/hnb659fds/version")}


def compiled(text: str) -> Compiled:
    return compile_text(text, file="app.json", parameters={}, region="eu-west-1")


def test_the_rule_of_the_cdk_warns_of_nothing_and_looks_up_nothing() -> None:
    found = compiled(HEAD + RULE + QUEUE)
    assert found.diagnostics == ()
    assert found.composition.parameters == {}


@pytest.mark.parametrize(
    "use",
    [
        "Outputs:\n  Version: {Value: !Ref BootstrapVersion}\n",
        "Outputs:\n  Version: {Value: !Sub 'v${BootstrapVersion}'}\n",
        "  Topic: {Type: AWS::SNS::Topic, Properties: {DisplayName: !Ref BootstrapVersion}}\n",
        "  Topic: {Type: AWS::SNS::Topic, Metadata: {Version: !Ref BootstrapVersion}}\n",
    ],
)
def test_the_version_is_looked_up_where_something_else_refers_to_it(use: str) -> None:
    assert compiled(HEAD + RULE + QUEUE + use).composition.parameters == LOOKUP


def test_a_parameter_of_that_name_without_the_rule_is_one_like_others() -> None:
    assert compiled(HEAD + QUEUE).composition.parameters == LOOKUP


def test_an_ordinary_parameter_of_that_name_keeps_its_value() -> None:
    text = "Parameters:\n  BootstrapVersion: {Type: String, Default: '21'}\n"
    assert compiled(text + RULE + QUEUE).composition.values == {"BootstrapVersion": "21"}
