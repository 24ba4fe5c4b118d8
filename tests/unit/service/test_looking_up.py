"""Values of the parameter store that a compilation asks for, and compositions that they decided."""

from pathlib import Path

import pytest
from front import Front

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.errors import CompileError, NotFoundError, UserError
from tenuto.service.intake.composition import Submission
from tenuto.service.intake.looking_up import MOST_KEYS

TEMPLATE = """
Parameters: {Stage: {Type: "AWS::SSM::Parameter::Value<String>", Default: /stage}}
Conditions: {IsTest: !Equals [!Ref Stage, test]}
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: !Ref Stage}}
  Extra: {Type: Simulated::Network, Condition: IsTest, Properties: {CidrBlock: 10.1.0.0/16}}
"""


@pytest.fixture
def front() -> Front:
    front = Front()
    front.conductor.looked_up = {"/stage": "test"}
    return front


def test_values_are_told_by_key(front: Front) -> None:
    assert front.queries.lookups(["/stage", "/stage"], region="eu-west-1") == {"/stage": "test"}


@pytest.mark.parametrize(
    ("keys", "account", "words"),
    [
        (["/other", "/stage"], "default", "no value for /other in default/eu-west-1"),
        (["resolve:ssm-secure:/password"], "default", "refers to a secret"),
        (["resolve:secretsmanager:password"], "default", "refers to a secret"),
        (["resolve:cognito-idp-client:pool|client"], "default", "refers to a secret"),
        ([f"/{number}" for number in range(MOST_KEYS + 1)], "default", f"{MOST_KEYS} are allowed"),
        (["/stage"], "elsewhere", "elsewhere"),
    ],
)
def test_what_is_not_told_is_refused_with_its_reason(front: Front, keys: list[str], account: str, words: str) -> None:
    with pytest.raises((UserError, NotFoundError), match=words):
        front.queries.lookups(keys, region="eu-west-1", account=account)


def test_a_composition_that_another_value_decided_is_refused(front: Front, tmp_path: Path) -> None:
    file = tmp_path / "web.yaml"
    file.write_text(TEMPLATE, encoding="utf-8")
    values = front.queries.lookups(["/stage"], region="eu-west-1")
    compiled = compile_file(file, parameters={}, region="eu-west-1", looked_up=values)
    sent = Submission(document=to_document(compiled.composition), secrets={})
    front.conductor.looked_up = {"/stage": "production"}
    with pytest.raises(CompileError, match="Stage: The parameter store has another value now"):
        front.commands.run(sent, alias="web")
    assert front.store.processes() == ()
    front.conductor.looked_up = {"/stage": "test"}
    assert front.commands.run(sent, alias="web").alias == "web"
