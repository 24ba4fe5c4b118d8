"""Rule documents, and what rules say of a composition."""

from contextlib import suppress
from dataclasses import replace
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tenuto.compositions.compile import compile_text
from tenuto.compositions.rules.document import read_rule, rule_document, rule_of
from tenuto.compositions.rules.judge import judge
from tenuto.errors import CompileError
from tenuto.model.composition import Composition, Parameter
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.model.rule import Rule

DOCUMENT = dedent("""\
    name: narrow
    applies_to: Simulated::Network
    expression: |
      !has(properties.CidrBlock) ||
      properties.CidrBlock != "0.0.0.0/0"
    message: A network is not the world
    hint: Take a part of it.
    """)
TEMPLATE = """\
Parameters:
  Block: {Type: String, Default: 0.0.0.0/0}
  Password: {Type: String, NoEcho: true, Default: hunter2}
Resources:
  Net: {Type: Simulated::Network, Properties: {CidrBlock: !Ref Block}}
  Other: {Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/8}}
  Sub: {Type: Simulated::Subnet, Properties: {NetworkId: !Ref Net, CidrBlock: 10.0.1.0/24, Label: !Ref Password}}
"""


def composition(text: str = TEMPLATE) -> Composition:
    return compile_text(text, file="web.yaml", parameters={}, region="eu-west-1").composition


def rule(expression: str, applies_to: str = "Simulated::Network", **more: str) -> Rule:
    return rule_of({"name": "r", "applies_to": applies_to, "expression": expression, "message": "No"} | more)


def told(one: Rule, account: str = "default") -> list[str]:
    return [f"{found.code} {found.subject}" for found in judge([one], composition(), account=account)]


def test_a_document_is_a_rule_and_a_rule_a_document() -> None:
    read = read_rule(DOCUMENT, "narrow.yaml")
    assert read.message == "A network is not the world"
    assert read.severity is Severity.ERROR
    assert rule_of(rule_document(read)) == read


def test_a_violation_names_rule_resource_file_and_line() -> None:
    (found,) = judge([read_rule(DOCUMENT, "narrow.yaml")], composition(), account="default")
    assert (found.code, found.rule, found.subject) == ("T523", "narrow", "Resources.Net")
    assert found.position is not None
    assert (found.position.file, found.position.line) == ("web.yaml", 5)
    assert found.detail == "Net: A network is not the world. (validation narrow)."
    assert found.hint == "Take a part of it."


def test_a_rule_over_the_composition_sees_everything_and_may_name_who_is_to_blame() -> None:
    networks = 'composition.resources.filter(r, r.type == "Simulated::Network")'
    assert told(rule(f"{networks}.size() == 1", "composition")) == ["T523 "]
    assert told(rule(f"{networks}.map(r, r.logical_id)", "composition")) == [
        "T523 Resources.Net",
        "T523 Resources.Other",
    ]
    assert told(rule('["Nobody"]', "composition")) == ["T524 "]
    place = 'composition.account == "prod" && composition.region == "eu-west-1" && composition.name == "web"'
    assert told(rule(place, "composition"), account="prod") == []
    assert told(rule('composition.parameters == {"Block": "0.0.0.0/0"}', "composition")) == []


def test_names_of_no_resource_are_told_once_and_shortly_however_many_and_long_they_are() -> None:
    many = '["0123456789"]' + ".map(x, x + x)" * 10 + ".map(x, [x + 'a', x + 'b', 'Net', x + 'c'])[0]"
    (blamed, strange) = judge([rule(many, "composition")], composition(), account="default")
    assert (blamed.code, blamed.subject) == ("T523", "Resources.Net")
    assert strange.code == "T524"
    assert strange.detail.startswith("The composition: No. It names 0123456789")
    assert "… and 2 more, which are no resources" in strange.detail
    assert len(strange.detail) < 400


def test_a_stored_rule_that_can_no_longer_be_read_counts_as_violated() -> None:
    stored = replace(rule("true"), expression="list(properties) == []")
    (found,) = judge([stored], composition(), account="default")
    assert (found.code, found.severity) == ("T524", Severity.ERROR)
    assert "It can no longer be read: there is no function list" in found.detail


def test_a_rule_that_takes_too_many_steps_names_itself_and_says_so() -> None:
    shared = "[[1]]" + ".map(a, [a, a])" * 40
    (found,) = judge([rule(f"{shared} == {shared}", "composition")], composition(), account="default")
    assert found.code == "T524"
    assert "It could not be evaluated: it takes too many steps" in found.detail
    assert "(validation r)" in found.detail


def test_a_rule_over_a_type_sees_the_composition_too() -> None:
    in_a_network = (
        "references(properties.NetworkId).all(name, composition.resources.exists(r, r.logical_id == name"
        ' && r.type == "Simulated::Network"))'
    )
    assert told(rule(in_a_network, "Simulated::Subnet")) == []


def test_a_question_without_an_answer_is_a_violation_that_says_so() -> None:
    (found,) = judge([rule('properties.NetworkId == "net-1"', "Simulated::Subnet")], composition(), account="default")
    assert found.code == "T524"
    assert found.severity is Severity.ERROR
    assert found.detail == (
        'Sub: No. It could not be evaluated: it needs the value of {"Ref":"Net"}, which is known only after the build; '
        "ask is_open first. (validation r)."
    )


def test_a_secret_is_shown_in_no_violation() -> None:
    asked = [
        rule('properties.Label == "hunter2"', "Simulated::Subnet"),
        rule("properties.Label.size() > 20", "Simulated::Subnet"),
        rule("is_secret(properties.NetworkId)", "Simulated::Subnet"),
    ]
    found = judge(asked, composition(), account="default")
    assert [one.code for one in found] == ["T524", "T524", "T523"]
    assert "hunter2" not in repr(found)


def test_a_warning_is_a_warning_also_when_it_has_no_answer() -> None:
    assert told(rule("false", severity="warning")) == ["T806 Resources.Net", "T806 Resources.Other"]
    assert told(rule("properties.Nothing == 1", severity="warning"))[0] == "T806 Resources.Net"


def test_a_looked_up_value_is_known_to_the_conductor() -> None:
    one = composition()
    (net,) = [found for found in one.resources if found.logical_id == "Other"]
    open_net = replace(net, properties={"CidrBlock": {"Ref": "Key"}})
    asked = replace(one, resources=(open_net,), parameters={"Key": Parameter(name="Key", lookup="/net")})
    narrow = rule('properties.CidrBlock != "0.0.0.0/0"')
    assert [found.code for found in judge([narrow], asked, account="default")] == ["T524"]
    assert judge([narrow], asked, account="default", lookups={"Key": "10.0.0.0/8"}) == ()
    found = judge([narrow], asked, account="default", lookups={"Key": "0.0.0.0/0"})
    assert [one.code for one in found] == ["T523"]


@pytest.mark.parametrize(
    ("changed", "code", "place", "reason"),
    [
        ("name: Narrow", "T015", (1, 7), "The name 'Narrow' must be of small letters, digits and dashes."),
        ("applies_to: compositon", "T015", (2, 13), "applies_to is a resource type"),
        ("massage: oh", "T015", (1, 1), "A rule has no massage"),
        ("aplies_to: Simulated::Network", "T015", (1, 1), "A rule has no aplies_to"),
        ("severity: fatal", "T015", (1, 11), "severity is error or warning, not 'fatal'."),
        ("message: 5", "T015", (6, 10), "message must be a text"),
        (f"hint: {'x' * 1001}", "T015", (7, 7), "hint must be a text of at most 1,000 characters."),
        ("message: ''", "T015", (1, 1), "The rule has no message."),
        ("expression: propertis.CidrBlock", "T016", (3, 13), "In line 1, column 1: there is no variable propertis"),
        ("- a", "T101", (1, 1), "The file holds a single value or a list."),
    ],
    ids=lambda value: str(value)[:12],
)
def test_what_is_wrong_with_a_document_is_told_at_its_place(
    changed: str, code: str, place: tuple[int, int], reason: str
) -> None:
    key = changed.partition(":")[0]
    lines = DOCUMENT.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith(f"{key}:")), None)
    if changed.startswith("-"):
        lines = [changed]
    elif start is None:
        lines.insert(0, changed)
    else:
        end = start + 1
        while end < len(lines) and lines[end].startswith(" "):
            end += 1
        lines[start:end] = [changed]
    with pytest.raises(CompileError) as caught:
        read_rule("\n".join(lines), "narrow.yaml")
    (found,) = [one for one in caught.value.diagnostics if isinstance(one, Diagnostic)]
    assert found.code == code
    assert found.position is not None
    assert (found.position.line, found.position.column) == place
    assert found.detail.startswith(reason)


def test_a_misspelled_key_is_one_mistake_and_not_one_for_all_that_is_missing_because_of_it() -> None:
    with pytest.raises(CompileError) as caught:
        read_rule(DOCUMENT.replace("applies_to:", "aplies_to:"), "narrow.yaml")
    [found] = [one for one in caught.value.diagnostics if isinstance(one, Diagnostic)]
    assert found.detail.startswith("A rule has no aplies_to; it has name, applies_to")
    assert found.hint == "Did you mean applies_to?"


anything = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=5) | some.sampled_from(["error", "true"]),
    lambda inner: some.lists(inner, max_size=2) | some.dictionaries(some.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
KEYS = ("name", "applies_to", "expression", "message", "severity", "description", "hint")


@given(document=anything | some.dictionaries(some.sampled_from(KEYS), anything), key=some.sampled_from(KEYS))
def test_the_conductor_takes_a_document_for_a_rule_or_refuses_it_and_nothing_else(document: Any, key: str) -> None:
    sound = {"name": "r", "applies_to": "composition", "expression": "true", "message": "No."}
    for given_document in (document, {**sound, key: document}):
        with suppress(CompileError):
            made = rule_of(given_document)
            assert rule_of(rule_document(made)) == made


def test_text_that_is_no_text_is_refused() -> None:
    with pytest.raises(CompileError, match="message must be a text"):
        rule("true", message="\ud800")


def test_yaml_that_cannot_be_read_is_told_at_its_place() -> None:
    with pytest.raises(CompileError) as caught:
        read_rule("name: [", "narrow.yaml")
    assert [one.code for one in caught.value.diagnostics if isinstance(one, Diagnostic)] == ["T003"]
