"""`Fn::Length` and `Fn::ToJsonString`, which need the transform of the language extensions."""

import json
from typing import Any

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.core.language.resolve import Environment, resolve
from tenuto.errors import CompileError

pytestmark = pytest.mark.usefixtures("types_without_schemas")

HEAD = """Transform: AWS::LanguageExtensions
Parameters:
  Names: {Type: CommaDelimitedList, Default: 'a, b, c'}
  Secret: {Type: String, Default: 'say "no"', NoEcho: true}
  Hidden: {Type: CommaDelimitedList, Default: 'a,b', NoEcho: true}
  Ami: {Type: AWS::SSM::Parameter::Value<List<String>>, Default: /amis}
Mappings:
  Sets: {small: {names: [s, m], count: two}}
Conditions:
  IsThree: {Fn::Equals: [{Fn::Length: !Ref Names}, 3]}
Resources:
  Other: {Type: Simulated::Thing}
"""


def value(line: str) -> Any:
    text = f"{HEAD}  Thing:\n    Type: Simulated::Thing\n    Properties:\n      V: {line}\n"
    found = compile_text(text, file="web.yaml", parameters={}, region="eu-west-1")
    assert found.diagnostics == ()
    return next(one for one in found.composition.resources if one.logical_id == "Thing").properties["V"]


def codes_of(line: str, head: str = HEAD) -> list[str]:
    text = f"{head}  Thing:\n    Type: Simulated::Thing\n    Properties:\n      V: {line}\n"
    with pytest.raises(CompileError) as failed:
        compile_text(text, file="web.yaml", parameters={}, region="eu-west-1")
    return [one.code for one in failed.value.diagnostics]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{Fn::Length: [a, b]}", 2),
        ("{Fn::Length: []}", 0),
        ("{Fn::Length: !Ref Names}", 3),
        ("{Fn::Length: !Ref Hidden}", 2),
        ("{Fn::Length: !Split ['-', a-b-c-d]}", 4),
        ("{Fn::Length: !FindInMap [Sets, small, names]}", 2),
        ("{Fn::Length: [!Ref Other, !Ref AWS::NoValue]}", 1),
        ("!Sub ['${N} names', {N: {Fn::Length: !Ref Names}}]", "3 names"),
        ("!Select [{Fn::Length: [x]}, !Ref Names]", "b"),
        ("!If [IsThree, three, other]", "three"),
    ],
)
def test_a_length_is_counted_at_compile_time(line: str, expected: Any) -> None:
    assert value(line) == expected


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{Fn::Length: text}", "T302"),
        ("{Fn::Length: {a: b}}", "T302"),
        ("{Fn::Length: !FindInMap [Sets, small, count]}", "T302"),
        ("{Fn::Length: !GetAZs ''}", "T403"),
        ("{Fn::Length: !Ref Ami}", "T403"),
        ("{Fn::ToJsonString: text}", "T302"),
        ("{Fn::ToJsonString: !Ref AWS::Region}", "T302"),
        ("{Ref: !Sub '${Other}'}", "T403"),
        ("{Ref: !Sub 'Othr'}", "T303"),
    ],
)
def test_what_has_no_length_and_no_json_is_refused(line: str, code: str) -> None:
    assert codes_of(line) == [code]


@pytest.mark.parametrize("function", ["Fn::Length", "Fn::ToJsonString"])
def test_language_extensions_need_their_transform(function: str) -> None:
    head = "Resources:\n  Other: {Type: Simulated::Thing}\n"
    assert codes_of(f"{{{function}: [a]}}", head) == ["T702"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{Fn::ToJsonString: {b: 1, a: [true, 'x', 'é\"']}}", '{"b":1,"a":[true,"x","é\\""]}'),
        ("{Fn::ToJsonString: {}}", "{}"),
        ("{Fn::ToJsonString: [{}, []]}", "[{},[]]"),
        ("{Fn::ToJsonString: {n: !Ref Names, gone: !Ref AWS::NoValue}}", '{"n":["a","b","c"]}'),
        ("{Fn::ToJsonString: !Ref Names}", '["a","b","c"]'),
    ],
)
def test_what_is_known_becomes_json_text(line: str, expected: str) -> None:
    assert value(line) == expected


def test_what_is_open_is_quoted_when_it_becomes_known() -> None:
    found = value(
        "{Fn::ToJsonString: {z: !Ref Secret, a: !Sub 'id-${Other}', l: !Ref Ami, m: {Fn::ToJsonString: [1]}}}"
    )
    known = Environment(references={"Secret": 'say "no"', "Other": "o\\1", "Ami": "x,y"})
    text = resolve(found, known)
    assert text == '{"z":"say \\"no\\"","a":"id-o\\\\1","l":["x","y"],"m":"[1]"}'
    assert json.loads(text)["z"] == 'say "no"'
    assert resolve(resolve(found, Environment(references={"Secret": 'say "no"'})), known) == text


def test_the_clear_text_of_a_secret_does_not_become_part_of_the_json() -> None:
    assert "no" not in json.dumps(value("{Fn::ToJsonString: {a: !Ref Secret}}"))
