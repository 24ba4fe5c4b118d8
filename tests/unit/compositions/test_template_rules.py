"""The Rules section of a template: what is decided here, what is left to the Conductor, and what is not checked."""

import json
from typing import Any

import pytest

from tenuto.compositions.compile import Compiled, compile_text
from tenuto.compositions.documents.assertions import failed_assertions
from tenuto.compositions.documents.document import from_document, to_document
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

pytestmark = pytest.mark.usefixtures("types_without_schemas")

HEAD = """
Parameters:
  Stage: {Type: String, Default: test}
  Size: {Type: String, Default: small}
  Zones: {Type: CommaDelimitedList, Default: 'a, b'}
  Subnets: {Type: 'List<AWS::EC2::Subnet::Id>', Default: 'subnet-1,subnet-2'}
  Count: {Type: Number, Default: 2}
  Secret: {Type: String, Default: hunter22, NoEcho: true}
  Image: {Type: AWS::SSM::Parameter::Value<String>, Default: /image}
  Images: {Type: AWS::SSM::Parameter::Value<List<String>>, Default: /images}
Conditions:
  IsTest: !Equals [!Ref Stage, test]
Resources:
  Thing: {Type: Simulated::Thing}
"""


def rules(assertion: str, condition: str = "") -> str:
    when = f"    RuleCondition: {condition}\n" if condition else ""
    asserted = f"      - Assert: {assertion}\n        AssertDescription: Be large\n"
    return f"{HEAD}Rules:\n  Sized:\n{when}    Assertions:\n{asserted}"


def compiled(text: str, **parameters: str) -> Compiled:
    return compile_text(text, file="web.yaml", parameters=parameters, region="eu-west-1")


def faults(text: str, **parameters: str) -> list[Diagnostic]:
    with pytest.raises(CompileError) as failed:
        compiled(text, **parameters)
    return [one for one in failed.value.diagnostics if isinstance(one, Diagnostic)]


HOLD = [
    "{Fn::Equals: [!Ref Size, small]}",
    "{Fn::Equals: [!Ref Count, 2]}",
    "{Fn::Equals: [!Ref Secret, hunter22]}",
    "{Fn::Not: [{Fn::Equals: [!Ref Size, large]}]}",
    "{Fn::Contains: [[small, large], !Ref Size]}",
    "{Fn::Contains: [!Ref Zones, b]}",
    "{Fn::EachMemberEquals: [[small, !Ref Size], small]}",
    "{Fn::EachMemberIn: [!Ref Zones, [a, b, c]]}",
    "{Fn::EachMemberIn: [!Ref Subnets, [subnet-1, subnet-2]]}",
    "{Fn::And: [{Fn::Equals: [a, a]}, {Fn::Contains: [[a], a]}]}",
    "{Fn::Or: [{Fn::Equals: [a, b]}, {Fn::Contains: [[a], a]}]}",
    "{Fn::If: [IsTest, {Fn::Equals: [a, a]}, {Fn::Equals: [a, b]}]}",
    "{Fn::If: [{Fn::Equals: [a, b]}, {Fn::Equals: [a, b]}, {Fn::Equals: [a, a]}]}",
    "{Fn::Equals: [!If [IsTest, a, b], a]}",
    "{Fn::Equals: [{Fn::If: [{Fn::Contains: [!Ref Zones, b]}, a, b]}, a]}",
    "{Fn::Or: [{Fn::Equals: [a, a]}, {Fn::Equals: [!Ref Image, x]}]}",
    "{Fn::Or: [{Fn::Equals: [a, a]}, {Fn::Contains: [{Fn::RefAll: AWS::EC2::VPC::Id}, x]}]}",
]


@pytest.mark.parametrize("assertion", HOLD)
def test_an_assertion_that_holds_is_silent_and_its_contrary_an_error(assertion: str) -> None:
    found = compiled(rules(assertion))
    assert found.diagnostics == ()
    assert found.composition.assertions == ()
    assert [one.code for one in faults(rules(f"{{Fn::Not: [{assertion}]}}"))] == ["T410"]


def test_a_failed_assertion_names_the_rule_its_words_its_line_and_what_it_sweeps_at() -> None:
    text = rules("{Fn::Contains: [[large, huge], !Ref Size]}", "{Fn::Equals: [!Ref Stage, production]}")
    assert compiled(text).diagnostics == ()
    (found,) = faults(text, Stage="production")
    assert (found.code, found.subject, found.detail) == ("T410", "Sized", "Sized: Be large.")
    assert found.source_line.strip().startswith("- Assert:")
    assert "Size, Stage" in found.hint
    assert compiled(text, Stage="production", Size="huge").diagnostics == ()


def test_a_description_beside_the_assertions_is_taken_and_says_nothing() -> None:
    text = rules("{Fn::Equals: [!Ref Size, large]}")
    [failed] = faults(text.replace("    Assertions:", "    AssertDescription: Of the rule\n    Assertions:"))
    assert failed.detail == faults(text)[0].detail


def test_a_rule_may_have_no_description_and_no_assertion() -> None:
    text = f"{HEAD}Rules: {{Empty: {{Assertions: []}}, Bare: {{Assertions: [{{Assert: {{Fn::Equals: [a, b]}}}}]}}}}\n"
    (found,) = faults(text)
    assert found.detail == "Bare: An assertion does not hold with these parameters."


WAITING: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("{Fn::Equals: [!Ref Image, ami-1]}", {"Image": "ami-1"}, {"Image": "ami-2"}),
    ("{Fn::Contains: [[ami-1], !Ref Image]}", {"Image": "ami-1"}, {"Image": "ami-2"}),
    ("{Fn::Contains: [!Ref Images, ami-1]}", {"Images": "ami-0,ami-1"}, {"Images": "ami-2"}),
    ("{Fn::EachMemberIn: [!Ref Images, [ami-1, ami-2]]}", {"Images": "ami-2,ami-1"}, {"Images": "ami-1,ami-3"}),
    ("{Fn::Not: [{Fn::Equals: [!Sub '${Image}-x', a-x]}]}", {"Image": "b"}, {"Image": "a"}),
    (
        "{Fn::Or: [{Fn::Equals: [!Ref Size, large]}, {Fn::Equals: [!Ref Image, a]}, {Fn::Equals: [!Ref Image, b]}]}",
        {"Image": "b"},
        {"Image": "c"},
    ),
    (
        "{Fn::If: [{Fn::Equals: [!Ref Image, a]}, {Fn::Equals: [!Ref Size, small]}, {Fn::Equals: [!Ref Size, large]}]}",
        {"Image": "a"},
        {"Image": "b"},
    ),
]


@pytest.mark.parametrize(("assertion", "good", "bad"), WAITING)
def test_what_waits_for_a_looked_up_value_travels_with_the_composition(
    assertion: str, good: dict[str, Any], bad: dict[str, Any]
) -> None:
    found = compiled(rules(assertion))
    assert found.diagnostics == ()
    received = from_document(json.loads(json.dumps(to_document(found.composition))))
    assert received == found.composition
    assert failed_assertions(received.assertions, good) == ()
    (failed,) = failed_assertions(received.assertions, bad)
    assert (failed.code, failed.detail) == ("T410", "Sized: Be large.")
    assert failed.position == found.composition.assertions[0].position
    assert failed.position is not None


def test_a_condition_that_waits_is_decided_with_its_assertion() -> None:
    found = compiled(rules("{Fn::Equals: [!Ref Size, large]}", "{Fn::Equals: [!Ref Image, old]}")).composition
    assert failed_assertions(found.assertions, {"Image": "new"}) == ()
    assert len(failed_assertions(found.assertions, {"Image": "old"})) == 1


def test_what_was_not_looked_up_does_not_hold() -> None:
    found = compiled(rules("{Fn::Equals: [!Ref Image, ami-1]}")).composition
    assert len(failed_assertions(found.assertions, {})) == 1


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ("{Fn::Contains: [{Fn::RefAll: AWS::EC2::VPC::Id}, vpc-1]}", "Fn::RefAll asks for data of the account"),
        ("{Fn::EachMemberIn: [{Fn::ValueOfAll: [AWS::EC2::Subnet::Id, VpcId]}, [v]]}", "Fn::ValueOfAll asks"),
        ("{Fn::Equals: [{Fn::ValueOf: [Subnets, VpcId]}, v]}", "Fn::ValueOf asks"),
        ("{Fn::Equals: [!Ref Secret, !Ref Image]}", "Secret has NoEcho"),
    ],
)
def test_what_cannot_be_known_is_told_as_not_checked(assertion: str, why: str) -> None:
    found = compiled(rules(assertion))
    (warning,) = found.diagnostics
    assert isinstance(warning, Diagnostic)
    assert warning.code == "T802"
    assert why in warning.detail
    assert "Be large." in warning.detail
    assert found.composition.assertions == ()


def test_no_secret_is_written_into_an_assertion() -> None:
    text = rules("{Fn::Or: [{Fn::Equals: [!Ref Secret, x]}, {Fn::Equals: [!Ref Image, a]}]}")
    found = compiled(text).composition
    assert "hunter22" not in json.dumps(to_document(found))


def test_the_version_of_the_cdk_is_looked_up_where_a_rule_of_the_template_asks_for_it() -> None:
    text = """
Parameters:
  BootstrapVersion: {Type: AWS::SSM::Parameter::Value<String>, Default: /version}
Rules:
  CheckBootstrapVersion:
    Assertions: [{Assert: {Fn::Not: [{Fn::Contains: [['1'], !Ref BootstrapVersion]}]}}]
  Ours:
    Assertions: [{Assert: {Fn::Equals: [!Ref BootstrapVersion, '21']}}]
Resources:
  Thing: {Type: Simulated::Thing}
"""
    found = compiled(text).composition
    assert [one.rule for one in found.assertions] == ["Ours"]
    assert list(found.parameters) == ["BootstrapVersion"]


@pytest.mark.parametrize(
    "change",
    [
        {"holds": {"Fn::Equals": ["a"]}},
        {"holds": None},
        {"holds": {"Fn::Xor": [True, False]}},
        {"holds": {"Fn::Equals": [{"Ref": "Nothing"}, "a"]}},
        {"holds": {"Fn::Equals": [{"Fn::If": ["a", "b", "c"]}, "a"]}},
        {"rule": 5},
        {"more": "x"},
    ],
)
def test_a_malformed_assertion_of_a_document_is_refused(change: dict[str, Any]) -> None:
    document: Any = json.loads(json.dumps(to_document(compiled(rules("{Fn::Equals: [!Ref Image, a]}")).composition)))
    document["assertions"][0] |= change
    with pytest.raises(CompileError) as failed:
        from_document(document)
    assert {one.code for one in failed.value.diagnostics} == {"T901"}


def test_an_assertion_that_was_taken_out_on_the_way_is_missed() -> None:
    document: Any = json.loads(json.dumps(to_document(compiled(rules("{Fn::Equals: [!Ref Image, a]}")).composition)))
    del document["assertions"]
    with pytest.raises(CompileError) as failed:
        from_document(document)
    assert [one.code for one in failed.value.diagnostics] == ["T902"]


def test_choices_in_choices_cost_what_they_say() -> None:
    assertion = "{Fn::Equals: [!Ref Image, a]}"
    for _ in range(25):
        assertion = f"{{Fn::If: [{assertion}, {{Fn::Equals: [a, b]}}, {{Fn::Equals: [a, a]}}]}}"
    found = compiled(rules(assertion)).composition
    assert len(json.dumps(to_document(found))) < 10_000
    assert len(failed_assertions(found.assertions, {"Image": "a"})) == 1
    assert failed_assertions(found.assertions, {"Image": "b"}) == ()
