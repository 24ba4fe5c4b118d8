"""Long and hostile texts in intrinsic functions: each is read once, and what they make is bounded.

The sizes are such that a quadratic reading would never come to its end; the limit of the test run would find it.
"""

from collections.abc import Iterator

import pytest

from tenuto.compositions.cloudformation.functions.substitution import variables
from tenuto.compositions.compile import compile_text
from tenuto.core.language import expressions
from tenuto.core.language.expressions import MOST_CHARACTERS, MOST_PARTS, ResolveError
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

TEMPLATE = """
Parameters: {{P: {{Type: String, Default: x}}}}
Resources:
  Net: {{Type: AWS::EC2::VPC, Properties: {{CidrBlock: 10.0.0.0/16}}}}
  Queue: {{Type: AWS::SQS::Queue, Properties: {{Tags: [{{Key: a, Value: {value}}}]}}}}
"""


class Counted(str):
    """A text that counts the characters that are looked at."""

    __slots__ = ("looked_at",)

    def find(self, *arguments: object) -> int:  # type: ignore[override]
        found = super().find(*arguments)  # type: ignore[arg-type]
        start = arguments[1] if len(arguments) > 1 else 0
        self.looked_at = getattr(self, "looked_at", 0) + (found if found >= 0 else len(self)) - int(str(start)) + 1
        return found


def found(value: str) -> list[Diagnostic]:
    try:
        text = TEMPLATE.format(value=value)
        return list(compile_text(text, file="web.yaml", parameters={}, region="us-east-1").diagnostics)
    except CompileError as error:
        return [one for one in error.diagnostics if isinstance(one, Diagnostic)]


@pytest.mark.parametrize("text", ["${", "${A}", "${A", "}${", "$", "${!A}", "${A}}", "x"])
def test_a_text_is_read_once_however_its_braces_stand(text: str) -> None:
    for size in (1_000, 10_000):
        counted = Counted(text * size)
        assert len(list(variables(counted))) <= size
        assert counted.looked_at <= 3 * len(counted) + 3


def test_variables_are_what_stands_between_braces() -> None:
    parts = [(one.spelled, one.name) for one in variables("a${B}c${ D.E }${!F}${${G}$H}${")]
    assert parts == [("${B}", "B"), ("${ D.E }", "D.E"), ("${!F}", "!F"), ("${${G}", "${G")]


def test_each_variable_is_shown_at_its_own_place() -> None:
    places = [one.position for one in found('!Sub "${One} ${Two} ${One}"')]
    assert [(one.column, one.length) for one in places if one] == [(76, 6), (83, 6)]


def test_a_variable_that_the_file_spells_otherwise_is_shown_at_its_text() -> None:
    (first, second) = [one.position for one in found(r'!Sub "\u0024{One} ${Two}"')]
    assert first is not None
    assert second is not None
    assert (first.column, second.column) == (70, 88)


@pytest.mark.parametrize(
    ("value", "codes"),
    [
        ('!Sub "' + "${" * 500_000 + '"', {"T510"}),
        ('!Sub "' + "${" * 500_000 + '}"', {"T306"}),
        ('!Join ["", !Split [",", "' + "a," * 200_000 + '"]]', {"T510"}),
    ],
    ids=["open", "closed", "split"],
)
def test_a_long_text_is_compiled_in_one_reading(value: str, codes: set[str]) -> None:
    assert {one.code for one in found(value)} == codes


def doubled(levels: int, value: str) -> Iterator[str]:
    for _ in range(levels):
        value = f'!Sub ["x{"${a}" * 30}", {{a: {value}}}]'
    yield value


@pytest.mark.parametrize("inner", ["!Ref P", "!Ref Net"])
def test_texts_within_texts_do_not_fill_the_memory(inner: str) -> None:
    (value,) = doubled(14, inner)
    (one,) = found(value)
    assert one.code == "T307"
    assert "Fn::Join and Fn::Sub" in one.detail


def test_a_join_of_many_texts_makes_each_once() -> None:
    members = ["abcdefgh"] * 200_000
    assert len(expressions.join(["", members])) == 1_600_000
    assert expressions.join(["-", [*members, {"Ref": "A"}, "b"]])["Fn::Join"][1][1:] == [{"Ref": "A"}, "b"]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: expressions.join(["", ["x" * MOST_CHARACTERS, "y"]]), "at most 4,194,304 characters, not 4,194,305"),
        (lambda: expressions.join(["", [{"Ref": "A"}] * (MOST_PARTS + 1)]), "at most 250,000 parts"),
        (lambda: expressions.split([",", "," * MOST_PARTS]), "at most 250,000 parts, not 250,001"),
        (lambda: expressions.base64_of("x" * MOST_CHARACTERS), "at most 2,097,152 characters"),
    ],
    ids=["characters", "parts", "split", "base64"],
)
def test_what_is_too_large_is_refused_before_it_is_made(call: object, reason: str) -> None:
    assert callable(call)
    with pytest.raises(ResolveError, match=reason):
        call()
