"""Rules in Python over what was compiled: what they see, where they point, and what becomes of broken ones."""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tenuto.compositions.compile import compile_text
from tenuto.compositions.validations.files import load_validations
from tenuto.errors import CompileError, UserError
from tenuto.model.diagnostic import Diagnostic, Severity
from tenuto.validations import Resource, Unresolved, Validation, Violation, WholeComposition, validation

pytestmark = pytest.mark.usefixtures("types_without_schemas")

TEMPLATE = """\
Parameters:
  World: {Type: String, Default: 0.0.0.0/0}
  Password: {Type: String, NoEcho: true, Default: hunter2}
Conditions:
  Never: !Equals [a, b]
Resources:
  Net:
    Type: Simulated::Network
    Properties: {CidrBlock: !Ref World}
  Other:
    Type: Simulated::Network
    Properties:
      CidrBlock: !Join ["", ["0.0.0.0", "/0"]]
      Tags:
        - {Key: a, Value: !Ref World}
  Left:
    Type: Simulated::Network
    Condition: Never
    Properties: {CidrBlock: !Ref World}
  Sub:
    Type: Simulated::Subnet
    Properties: {NetworkId: !Ref Net, Label: !Sub "${Password}-${Net}", Size: 3}
"""


def judged(*rules: Validation, text: str = TEMPLATE) -> tuple[Diagnostic, ...]:
    """What is said of the template, errors and warnings."""
    try:
        compiled = compile_text(text, file="web.yaml", parameters={}, region="eu-west-1", validations=rules)
    except CompileError as error:
        return tuple(one for one in error.diagnostics if isinstance(one, Diagnostic))
    return compiled.diagnostics


def places(found: tuple[Diagnostic, ...]) -> list[tuple[str, int, int]]:
    return [(one.code, one.position.line, one.position.column) if one.position else (one.code, 0, 0) for one in found]


@validation("Simulated::Network")
def not_the_world(network: Resource) -> Any:
    if network.properties["CidrBlock"] == "0.0.0.0/0":
        yield Violation("Open to the world", path="CidrBlock", hint="Name a network.")


@validation()
def subnet_has_label(composition: WholeComposition) -> Any:
    for subnet in composition.of_type("Simulated::Subnet"):
        yield Violation("Labels are deprecated.", path=("Label",), severity="warning", resource=subnet)


# Behaviour 73 of the process model's list: a validation over a type is applied to every value of that type, also those
# that functions built; one over the composition sees everything.
def test_a_rule_over_a_type_is_asked_about_every_resource_of_it_wherever_its_values_were_built() -> None:
    found = judged(not_the_world)
    assert places(found) == [("T523", 9, 29), ("T523", 13, 18)]
    assert found[0].subject == "Resources.Net.Properties.CidrBlock"
    assert found[0].rule == "not_the_world"
    assert found[0].hint == "Name a network."
    assert found[0].source_line == "    Properties: {CidrBlock: !Ref World}"
    assert "Net.CidrBlock: Open to the world. (not_the_world, " in found[0].detail
    assert Path(__file__).name in found[0].detail


def test_a_warning_does_not_stop_the_compilation() -> None:
    found = judged(subnet_has_label)
    assert places(found) == [("T806", 22, 46)]
    assert found[0].severity is Severity.WARNING


def test_behaviour_73_a_rule_over_the_composition_sees_every_resource_with_its_references() -> None:
    seen: list[WholeComposition] = []

    @validation()
    def watch(composition: WholeComposition) -> None:
        seen.append(composition)

    assert judged(watch) == ()
    (composition,) = seen
    assert [one.logical_id for one in composition.resources] == ["Net", "Other", "Sub"]
    assert (composition.name, composition.region) == ("web", "eu-west-1")
    assert composition.parameters == {"World": "0.0.0.0/0"}
    subnet = composition.resource("Sub")
    assert subnet is not None
    assert subnet.depends_on == ("Net",)
    network = subnet.properties["NetworkId"]
    assert isinstance(network, Unresolved)
    assert (network.expression, network.references, network.is_secret) == ({"Ref": "Net"}, ("Net",), False)
    label = subnet.properties["Label"]
    assert (label.references, label.is_secret) == (("Net",), True)
    assert "hunter2" not in repr(composition)
    assert composition.resource("Left") is None


def test_a_rule_over_a_type_may_ask_for_the_whole_composition() -> None:
    @validation("Simulated::Subnet")
    def in_a_network(subnet: Resource, composition: WholeComposition) -> Any:
        (name,) = subnet.properties["NetworkId"].references
        found = composition.resource(name)
        if found and found.type == "Simulated::Network":
            return "It is in a network"
        return None

    assert [one.detail.partition(" (")[0] for one in judged(in_a_network)] == ["Sub: It is in a network."]


def test_unresolved_values_are_equal_when_their_expressions_are_and_to_nothing_else() -> None:
    seen: list[Resource] = []

    @validation("Simulated::Subnet")
    def watch(subnet: Resource) -> None:
        seen.append(subnet)

    judged(watch)
    judged(watch)
    first, second = (one.properties for one in seen)
    assert first["NetworkId"] == second["NetworkId"]
    assert len({first["NetworkId"], second["NetworkId"], first["Label"]}) == 2
    assert first["NetworkId"] != "Net"


def test_what_a_rule_does_to_its_copy_reaches_nobody() -> None:
    @validation("Simulated::Network")
    def vandal(network: Resource) -> Any:
        network.properties.clear()

    untouched = compile_text(TEMPLATE, file="web.yaml", parameters={}, region="eu-west-1")
    compiled = compile_text(TEMPLATE, file="web.yaml", parameters={}, region="eu-west-1", validations=(vandal,))
    assert compiled.composition == untouched.composition
    assert len(judged(vandal, not_the_world)) == 2


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("", (10, 3)),
        ("CidrBlock", (13, 18)),
        ("Nowhere.At.All", (10, 3)),
        ("Tags", (14, 7)),
        ("Tags.0", (15, 12)),
        (("Tags", 0, "Value"), (15, 27)),
        (("Tags", 5), (14, 7)),
    ],
)
def test_a_violation_points_as_near_as_its_path_leads(path: Any, place: tuple[int, int]) -> None:
    rule = validation()(lambda composition: [Violation("no", path=path, resource="Other")])
    assert places(judged(rule)) == [("T523", *place)]


def broken_by(function: Callable[..., Any], *types: str) -> Diagnostic:
    (found,) = judged(validation(*types)(function))
    return found


def forever(composition: WholeComposition) -> Any:
    number = 0
    while True:
        number += 1
        yield f"violation {number}"


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda composition: composition.nothing, "AttributeError: 'WholeComposition' object has no attribute"),
        (lambda composition: [5], "TypeError: it says 5, which is neither a Violation nor a text"),
        (lambda composition: 5, "TypeError: 'int' object is not iterable"),
        (lambda composition: [Violation("x", resource="Nobody")], "it speaks of 'Nobody', which is no resource"),
        (lambda composition: [Violation("x", severity="fatal")], "severity is 'fatal'"),  # type: ignore[arg-type]
        (lambda composition: exit(1), "SystemExit: 1"),
    ],
    ids=["raises", "number", "no list", "stranger", "severity", "exit"],
)
def test_a_rule_that_breaks_is_an_error_that_names_it(function: Callable[..., Any], reason: str) -> None:
    found = broken_by(function)
    assert (found.code, found.severity, found.rule) == ("T524", Severity.ERROR, "<lambda>")
    assert found.position is not None
    assert Path(found.position.file).name == Path(__file__).name
    assert found.source_line.strip() in Path(__file__).read_text()
    assert reason in found.detail


def test_a_rule_that_breaks_on_one_resource_names_it_and_is_asked_about_the_others() -> None:
    @validation("Simulated::Network")
    def needs_tags(network: Resource) -> Any:
        return "It has tags" if network.properties["Tags"] else None

    found = judged(needs_tags)
    assert [one.code for one in found] == ["T523", "T524"]
    assert "on Net: KeyError: 'Tags'" in found[1].detail


def test_a_rule_that_never_ends_is_cut_off() -> None:
    found = judged(validation()(forever))
    assert len(found) == 1001
    assert [one.code for one in found].count("T524") == 1


def test_rules_are_not_asked_about_a_composition_with_errors() -> None:
    wrong = "Resources: {Net: {Type: Simulated::Network, Propperties: {}}}"
    assert [one.code for one in judged(validation()(lambda composition: "asked"), text=wrong)] == ["T503"]


def test_a_decorator_without_brackets_or_with_a_strange_function_is_refused() -> None:
    with pytest.raises(UserError, match="needs its brackets"):
        validation(not_the_world.function)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="is none"):
        validation()(print)
    with pytest.raises(UserError, match="takes 2 arguments; it gets the composition"):
        validation()(lambda one, other: None)
    with pytest.raises(UserError, match="takes 0 arguments; it gets a resource, and perhaps the composition"):
        validation("Simulated::Network")(lambda: None)


RULE = dedent("""
    from tenuto.validations import validation

    @validation()
    def {name}(composition):
        return None
""")


def test_a_folder_gives_the_rules_of_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("beta", "alpha", "_hidden"):
        (tmp_path / f"{name}.py").write_text(RULE.format(name=name))
    (tmp_path / "notes.txt").write_text("no rule")
    assert [one.name for one in load_validations([tmp_path])] == ["alpha", "beta"]
    twice = load_validations([tmp_path / "beta.py", tmp_path])
    assert [one.name for one in twice] == ["beta", "alpha"]


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ("def (", 1, "It is not Python"),
        ("x = 1\nraise RuntimeError('no')", 2, "Loading it raised RuntimeError: no."),
        ("import sys\nsys.exit(3)", 2, "Loading it raised SystemExit: 3."),
        ("from tenuto.validations import validation\n@validation\ndef rule(x): ...", 2, "needs its brackets"),
        ("x = 1", 0, "It declares no rule"),
    ],
)
def test_a_file_that_cannot_be_used_is_an_error_that_names_it(
    tmp_path: Path, content: str, line: int, reason: str
) -> None:
    path = tmp_path / "rules.py"
    path.write_text(content)
    (tmp_path / "sound.py").write_text(RULE.format(name="sound"))
    with pytest.raises(CompileError) as caught:
        load_validations([tmp_path])
    (found,) = caught.value.diagnostics
    assert isinstance(found, Diagnostic)
    assert found.code == "T014"
    assert f"{path}: " in found.detail
    assert reason in found.detail
    assert (found.position.line if found.position else 0) == line


def test_a_path_that_leads_nowhere_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CompileError) as caught:
        load_validations([tmp_path / "missing", tmp_path])
    reasons = [one.detail for one in caught.value.diagnostics if isinstance(one, Diagnostic)]
    assert reasons == [
        f"{tmp_path / 'missing'}: There is no file or folder of that name.",
        f"{tmp_path}: The folder holds no *.py file.",
    ]


TYPES = ("Simulated::Network", "Simulated::Subnet", "Simulated::Thing")


@given(types=some.lists(some.sampled_from(TYPES), min_size=1, max_size=8), asked=some.sets(some.sampled_from(TYPES)))
def test_a_rule_is_asked_about_exactly_the_resources_of_its_types(types: list[str], asked: set[str]) -> None:
    seen: list[str] = []
    text = "Resources:\n" + "".join(f"  R{number}: {{Type: '{name}'}}\n" for number, name in enumerate(types))
    rule = validation(*sorted(asked))(lambda one: seen.append(getattr(one, "logical_id", "whole")))
    judged(rule, text=text)
    wanted = [f"R{number}" for number, name in enumerate(types) if name in asked]
    assert seen == (wanted if asked else ["whole"])
