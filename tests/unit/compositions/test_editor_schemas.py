"""The schemas for editors take what Tenuto takes, and point at slips."""

import json
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tenuto.bootstrap.tools.catalogue import installed_facts
from tenuto.cli.commands.schema import config_schema
from tenuto.cli.compositions.example_files import EXAMPLES
from tenuto.compositions.checks.provided import default_schemas
from tenuto.compositions.cloudformation.reading.reader import read
from tenuto.compositions.diagnostics.nodes import to_json
from tenuto.compositions.diagnostics.problems import Problems
from tenuto.compositions.policies.policy import _KEYS
from tenuto.compositions.schemas.composition import composition_schema
from tenuto.compositions.schemas.policy import policy_schema
from tenuto.compositions.schemas.rule import rule_schema
from tenuto.model.ids import JsonMap

ROOT = Path(__file__).parents[3]
TEMPLATES = sorted(
    path for path in (ROOT / "tests" / "templates").rglob("*") if path.suffix in (".yaml", ".yml", ".json")
)


@cache
def composition() -> Draft202012Validator:
    source = default_schemas("us-east-1")
    facts, _ = installed_facts()
    found = [schema for name in facts if (schema := source.find(name)) is not None]
    return checked(composition_schema(found, source.names()))


def checked(schema: JsonMap) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def document_of(text: str) -> Any:
    """The file as a program reads it, its short tags as functions."""
    return to_json(read(text, Problems("file", text)))


def faults(validator: Draft202012Validator, document: Any) -> list[str]:
    """The places of all that a schema calls wrong, the alternatives of one place included."""
    return [text for error in validator.iter_errors(document) for text in told(error)]


def told(error: ValidationError) -> Iterator[str]:
    yield "/".join(map(str, error.absolute_path)) + f": {error.message[:120]}"
    for one in error.context:
        yield from told(one)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_valid(name: str) -> None:
    assert faults(composition(), document_of(EXAMPLES[name].text())) == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_as_they_are_written_are_valid(path: Path) -> None:
    document = document_of(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict) or "Resources" not in document:
        pytest.skip("it is no template")
    assert faults(composition(), document) == []


WEB: JsonMap = {
    "Resources": {
        "Net": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": {"Ref": "Block"}, "EnableDnsSupport": "true"}},
        "Group": {
            "Type": "AWS::EC2::SecurityGroup",
            "Metadata": {"Tenuto": {"ignore": ["Tags"]}},
            "Properties": {
                "GroupDescription": "web",
                "SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": "443", "ToPort": 443}],
            },
        },
    }
}


def changed(**properties: object) -> JsonMap:
    document = json.loads(json.dumps(WEB))
    document["Resources"]["Group"]["Properties"] |= properties
    return dict(document)


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({"GroupDescripton": "x"}, "'GroupDescripton'"),
        ({"SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPrt": 1}]}, "'FromPrt'"),
        ({"SecurityGroupIngress": [{"FromPort": 1}]}, "'IpProtocol' is a required property"),
        ({"GroupName": ["a"]}, "is not of type"),
        ({"GroupName": {"Fn::Jion": []}}, "'Fn::Jion'"),
    ],
)
def test_a_slip_is_found_at_its_place(properties: dict[str, object], words: str) -> None:
    assert faults(composition(), WEB) == []
    found = faults(composition(), changed(**properties))
    assert any(words in one and one.startswith("Resources/Group") for one in found), found


def test_sections_and_members_of_resources_are_known() -> None:
    assert any("'Resource'" in one for one in faults(composition(), {**WEB, "Resource": {}}))
    assert faults(composition(), {"Resources": {"A": {"Type": "AWS::EC2::VPC", "DependOn": "B"}}})
    assert faults(composition(), {"Resources": {"A": {"Properties": {}}}})


def test_the_schema_of_policies() -> None:
    validator = checked(policy_schema())
    for page in ("users-and-policy", "single-sign-on"):
        guide = (ROOT / "docs" / "guide" / f"{page}.md").read_text(encoding="utf-8")
        policies = [block.partition("```")[0] for block in guide.split("```yaml\n")[1:]]
        whole = [text for text in policies if "TenutoPolicy" in text]
        assert whole
        for text in whole:
            assert faults(validator, document_of(text)) == []
    assert set(policy_schema()["properties"]) == set(_KEYS)
    grant = "TenutoPolicy: 1\nUsers: [ann]\nGrants: [{To: ann, Commands: [statuss]}]\n"
    assert any("'statuss'" in one for one in faults(validator, document_of(grant)))


def test_the_schema_of_rules() -> None:
    validator = checked(rule_schema())
    rule = {
        "name": "no-ssh",
        "applies_to": "AWS::EC2::VPC",
        "expression": "true",
        "message": "No.",
        "severity": "error",
    }
    assert faults(validator, rule) == []
    for wrong in ({"severity": "fatal"}, {"name": "No SSH"}, {"messages": "x"}, {"expression": 1}):
        assert faults(validator, {**rule, **wrong}) != [], wrong
    assert faults(validator, {"name": "x"}) != []


def test_the_schema_of_the_configuration() -> None:
    validator = checked(config_schema())
    text = 'listen = "127.0.0.1:9000"\nperiod = 10\nproviders = ["aws", "simulated"]\nno_color = true\n'
    assert faults(validator, tomllib.loads(text)) == []
    assert faults(validator, {"lisen": "x"}) != []
    assert faults(validator, {"period": "ten"}) != []
