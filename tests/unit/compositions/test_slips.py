"""Slips of the finger are told with the very text to write, and not with the rule that they break."""

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

QUEUE = "  Q: {Type: AWS::SQS::Queue}\n"
SLIPS = [
    pytest.param("Resources:\n  Q:\n    Type AWS::SQS::Queue\n", "T104", "Put a colon after Type.", id="no colon"),
    pytest.param(
        "Resources:\n  Q:\n  Type: AWS::SQS::Queue\n",
        "T104",
        "Type belongs to a resource: indent it by two more spaces.",
        id="indented too little",
    ),
    pytest.param(
        "Resources:\n  - Type: AWS::SQS::Queue\n",
        "T104",
        "Give each item a name of its own, followed by a colon, in place of the dash.",
        id="a list of resources",
    ),
    pytest.param(
        f"Resources:\n{QUEUE}Outputs:\n  U: {{Value: {{ref: Q}}}}\n", "T603", "Did you mean Ref?", id="a small ref"
    ),
    pytest.param(
        f"Resources:\n{QUEUE}Outputs:\n  U: {{Value: [a, b]}}\n",
        "T603",
        "Join the items of a list with Fn::Join.",
        id="a list as an output",
    ),
    pytest.param(
        f"Resources:\n{QUEUE}Outputs:\n  U: {{Value: !GetAtt Q.Id}}\n",
        "T305",
        "`!Ref Q` is what names it.",
        id="the id as an attribute",
    ),
    pytest.param(
        "Resources:\n  Q: {Type: AWS::SQS::Queue, Properties: {Tags: {team: web}}}\n",
        "T506",
        "Begin each item of the list with a dash, such as `- Key: …`, also where there is one only.",
        id="tags as a mapping",
    ),
    pytest.param(
        "Resources:\n  I: {Type: AWS::EC2::Instance, Properties: {SecurityGroups: web}}\n",
        "T506",
        "Write it as a list of one: [web].",
        id="a text for a list",
    ),
    pytest.param(
        "Resources:\n  F: {Type: AWS::Serverless::Function}\n",
        "T502",
        "It belongs to AWS SAM: add the line `Transform: AWS::Serverless-2016-10-31` at the top of the template.",
        id="a template of SAM without its transform",
    ),
    pytest.param(
        f"Globals: {{Function: {{Timeout: 3}}}}\nResources:\n{QUEUE}",
        "T102",
        "It belongs to AWS SAM: add the line `Transform: AWS::Serverless-2016-10-31` at the top of the template.",
        id="globals without the transform",
    ),
    pytest.param(
        "Parameters: {Make: {Type: AWS::SSM::Parameter::Value<String>, Default: /make}}\n"
        "Conditions: {IsMade: !Equals [!Ref Make, 'yes']}\n"
        "Resources:\n  Q: {Type: AWS::SQS::Queue, Condition: IsMade}\n",
        "T403",
        "'tenuto run' and 'tenuto plan' ask the Conductor for the value of /make; to compile without one, give it as "
        "--looked-up /make=VALUE.",
        id="a condition of a value that is looked up",
    ),
    pytest.param(
        f"Conditions:\n  P: true\nResources:\n{QUEUE}",
        "T408",
        "Compare something, as in `!Equals [!Ref Stage, prod]`.",
        id="a condition that is a value",
    ),
]


@pytest.mark.parametrize(("text", "code", "hint"), SLIPS)
def test_a_slip_is_told_with_what_to_write(text: str, code: str, hint: str) -> None:
    with pytest.raises(CompileError) as failed:
        compile_text(text, file="web.yaml", parameters={}, region="us-east-1")
    told = [(one.code, one.hint) for one in failed.value.diagnostics if isinstance(one, Diagnostic)]
    assert (code, hint) in told
