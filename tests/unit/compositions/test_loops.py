"""`Fn::ForEach`: what the entries of a loop become, and where its mistakes are shown."""

from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

pytestmark = pytest.mark.usefixtures("types_without_schemas")

HEAD = """Transform: AWS::LanguageExtensions
Parameters:
  Names: {Type: CommaDelimitedList, Default: 'a, b'}
  Empty: {Type: CommaDelimitedList, Default: ''}
  One: {Type: String, Default: one}
  Secret: {Type: CommaDelimitedList, Default: 'x,y', NoEcho: true}
Mappings:
  Sets: {small: {names: [s, m]}, large: {names: [l, xl]}}
Resources:
  Thing: {Type: Simulated::Thing}
"""


def document(text: str, **parameters: str) -> Any:
    found = compile_text(text, file="web.yaml", parameters=parameters, region="eu-west-1")
    assert found.diagnostics == ()
    return to_document(found.composition)


def made(loop: str, **parameters: str) -> dict[str, Any]:
    """The properties of what the loop makes in the Resources section."""
    resources = document(HEAD + loop, **parameters)["resources"]
    return {name: one["properties"] for name, one in resources.items() if name != "Thing"}


def faults(loop: str) -> list[Diagnostic]:
    with pytest.raises(CompileError) as failed:
        compile_text(HEAD + loop, file="web.yaml", parameters={}, region="eu-west-1")
    return [one for one in failed.value.diagnostics if isinstance(one, Diagnostic)]


def loop(collection: str, properties: str = "V: x", key: str = "Made${X}") -> str:
    return (
        f"  Fn::ForEach::Made:\n    - X\n    - {collection}\n"
        f"    - '{key}': {{Type: Simulated::Thing, Properties: {{{properties}}}}}\n"
    )


@pytest.mark.parametrize(
    ("collection", "names"),
    [
        ("[a, b]", ["Madea", "Madeb"]),
        ("[1, true]", ["Made1", "Madetrue"]),
        ("!Ref Names", ["Madea", "Madeb"]),
        ("[a, !Ref One]", ["Madea", "Madeone"]),
        ("!FindInMap [Sets, small, names]", ["Madem", "Mades"]),
        ("!FindInMap [Sets, !Ref One, names, {DefaultValue: [z]}]", ["Madez"]),
        ("!FindInMap [Sets, !Ref One, names, {DefaultValue: !Ref Names}]", ["Madea", "Madeb"]),
        ("!Split ['-', 'p-q']", ["Madep", "Madeq"]),
        ("[]", []),
        ("!Ref Empty", []),
    ],
)
def test_a_loop_makes_its_entries_for_each_item(collection: str, names: list[str]) -> None:
    assert sorted(made(loop(collection))) == names


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("V: 'at ${X}!'", "at a.b!"),
        ("V: 'at &{X}!'", "at ab!"),
        ("V: !Ref X", "a.b"),
        ("V: !Sub '${X} in ${AWS::Region}'", "a.b in eu-west-1"),
        ("V: !Sub ['${X} ${Y}', {Y: !Ref X}]", "a.b a.b"),
        ("V: ['${X}', {'k${X}': 1}]", ["a.b", {"ka.b": 1}]),
        ("V: '${Other} ${!X} ${X'", "${Other} ${!X} ${X"),
        ("V: !GetAtt 'Made&{X}Too.Id'", {"Fn::GetAtt": ["MadeabToo", "Id"]}),
        ("V: {Fn::GetAtt: [!Sub 'Made&{X}Too', Id]}", {"Fn::GetAtt": ["MadeabToo", "Id"]}),
        ("V: {Ref: !Sub 'Made&{X}Too'}", {"Ref": "MadeabToo"}),
        ("V: !If [Never, '${X}', !Ref AWS::NoValue], W: '${X}'", None),
    ],
)
def test_an_item_stands_for_the_identifier(line: str, value: Any) -> None:
    text = loop("[a.b]", line, key="Made&{X}") + "  MadeabToo: {Type: Simulated::Thing}\n"
    text += "Conditions:\n  Never: !Equals [a, b]\n"
    assert made(text)["Madeab"].get("V") == value


def test_loops_work_in_conditions_outputs_properties_and_conditions_of_resources() -> None:
    text = """Transform: [AWS::LanguageExtensions]
Parameters:
  Wanted: {Type: String, Default: b}
Conditions:
  Fn::ForEach::Wishes:
    - X
    - [a, b]
    - Is${X}: !Equals [!Ref Wanted, !Ref X]
Resources:
  Fn::ForEach::Things:
    - X
    - [a, b]
    - Thing${X}:
        Type: Simulated::Thing
        Condition: Is${X}
        Properties:
          Name: ${X}
          Fn::ForEach::Settings:
            - Y
            - [min, max]
            - ${Y}Size: !Sub '${X}-${Y}'
Outputs:
  Fn::ForEach::Ids:
    - X
    - [a, b]
    - Id${X}: {Condition: 'Is${X}', Value: !GetAtt 'Thing${X}.Id'}
"""
    found = document(text)
    assert {name: one["properties"] for name, one in found["resources"].items()} == {
        "Thingb": {"Name": "b", "minSize": "b-min", "maxSize": "b-max"}
    }
    assert found["outputs"]["Idb"]["value"] == {"Fn::GetAtt": ["Thingb", "Id"]}


def test_a_list_may_depend_on_the_loop_around_it() -> None:
    text = """  Fn::ForEach::Sizes:
    - Size
    - [small, large]
    - Fn::ForEach::Names:
        - Name
        - !FindInMap [Sets, !Ref Size, names]
        - ${Size}${Name}: {Type: Simulated::Thing}
"""
    assert sorted(made(text)) == ["largel", "largexl", "smallm", "smalls"]


def test_a_problem_in_what_a_loop_made_is_shown_where_the_loop_is_written() -> None:
    (found,) = faults(loop("[a, b]", "V: !Ref 'Nothing${X}'").replace("[a, b]", "[a]"))
    assert (found.code, found.subject) == ("T303", "Nothinga")
    assert found.position is not None
    assert "!Ref 'Nothing${X}'" in found.source_line
    assert found.position.line == HEAD.count("\n") + 4


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (loop("[a]").replace("ForEach::Made", "ForEach"), "T302"),
        (loop("[a]").replace("    - X\n", ""), "T302"),
        (loop("[a]").replace("- X\n", "- [X]\n"), "T302"),
        (loop("a"), "T302"),
        (loop("[[a]]"), "T302"),
        (loop("!If [Never, [a], [b]]"), "T302"),
        (loop("!Ref Nothing"), "T303"),
        (loop("!Ref Thing"), "T403"),
        (loop("[!Ref AWS::StackName]"), "T403"),
        (loop("!Ref Secret"), "T302"),
        (loop("[a, b]", key="Made"), "T007"),
        (loop("[a, a]"), "T007"),
        (loop("[ing]", key="Th${X}"), "T007"),
        (loop("[a.b]"), "T106"),
        ("  Fn::ForEach::O:\n    - X\n    - [a]\n    - Fn::ForEach::I: [X, [b], {'M${X}': {Type: A::B}}]\n", "T302"),
    ],
)
def test_a_malformed_loop_is_one_problem(text: str, code: str) -> None:
    reference = "Outputs:\n  Id: {Value: !Ref Madea}\n"  # What the loop did not make is no second problem.
    is_made = code in ("T007", "T106")
    assert [one.code for one in faults(text if is_made else text + reference)] == [code]


def test_a_loop_without_the_transform_is_refused_and_expanded_all_the_same() -> None:
    text = (
        HEAD.replace("Transform: AWS::LanguageExtensions\n", "") + loop("[a]") + "Outputs:\n  A: {Value: !Ref Madea}\n"
    )
    with pytest.raises(CompileError) as failed:
        compile_text(text, file="web.yaml", parameters={}, region="eu-west-1")
    (found,) = failed.value.diagnostics
    assert found.code == "T702"
    assert "Transform: AWS::LanguageExtensions" in found.hint


@pytest.mark.parametrize("depth", [4, 6])
def test_loops_in_loops_are_stopped_before_they_fill_the_memory(depth: int) -> None:
    key = "".join(f"${{A{level}}}" for level in range(depth))
    text = f"{{'{key}': {{Type: Simulated::Thing}}}}"
    items = ", ".join(f"i{number}" for number in range(1000))
    for level in range(depth):
        text = f"{{'Fn::ForEach::L{level}': [A{level}, [{items}], {text}]}}"
    (found,) = faults(f"  {text[1:-1]}\n")
    assert found.code == "T310"


def test_texts_that_loops_make_are_bounded() -> None:
    long = "x" * 1_000_000
    line = "V: '" + "${X}" * 100 + "'"
    text = HEAD + loop("[!Ref One]", line, key="Made")
    with pytest.raises(CompileError) as failed:
        compile_text(text, file="web.yaml", parameters={"One": long}, region="eu-west-1")
    assert [one.code for one in failed.value.diagnostics] == ["T310"]


def test_loops_outside_their_sections_are_refused() -> None:
    text = HEAD.replace("Mappings:\n", "Mappings:\n  Fn::ForEach::M: [X, [a], {'M${X}': {a: {b: c}}}]\n")
    with pytest.raises(CompileError) as failed:
        compile_text(text, file="web.yaml", parameters={}, region="eu-west-1")
    assert "T702" in [one.code for one in failed.value.diagnostics]


def test_a_condition_and_a_dependency_may_come_from_the_loop() -> None:
    text = """Transform: AWS::LanguageExtensions
Mappings:
  Gates: {Condition: {A: Never, B: Always}}
Conditions:
  Never: !Equals [a, b]
  Always: !Equals [a, a]
Resources:
  Fn::ForEach::Gates:
    - Zone
    - [A, B, C]
    - Gate${Zone}:
        Type: Simulated::Thing
        Condition: !FindInMap [Gates, Condition, !Ref Zone, DefaultValue: !Ref AWS::NoValue]
        DependsOn: [!Sub 'Base${Zone}']
        Properties: {Size: !FindInMap [Gates, !Ref Zone, size, DefaultValue: !Ref AWS::NoValue]}
      Base${Zone}: {Type: Simulated::Thing}
"""
    found = document(text)["resources"]
    assert sorted(found) == ["BaseA", "BaseB", "BaseC", "GateB", "GateC"]
    assert found["GateB"]["depends_on"] == ["BaseB"]
    assert found["GateC"]["properties"] == {}
