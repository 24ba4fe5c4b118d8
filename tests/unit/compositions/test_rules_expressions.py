"""CEL as rules use it: what is refused when it is read, what values without a value do, and what it may cost."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tenuto.compositions.rules.engine import AskError, ask
from tenuto.compositions.rules.expressions import ExpressionError, read_expression
from tenuto.compositions.rules.meter import Meter
from tenuto.compositions.rules.values import value_of
from tenuto.compositions.validations.kit import Unresolved

NETWORK = Unresolved(expression={"Ref": "Net"}, text='{"Ref":"Net"}', references=("Net",), is_secret=False)
PASSWORD = Unresolved(expression={"Ref": "Pw"}, text='{"Ref":"Pw"}', references=(), is_secret=True)
PROPERTIES = {
    "CidrIp": "0.0.0.0/0",
    "Ports": [22, 80],
    "Share": 3.5,
    "On": True,
    "Huge": 2**70,
    "Tags": [{"Key": "a", "Value": "b"}],
    "VpcId": NETWORK,
    "Same": NETWORK,
    "Password": PASSWORD,
}


def asked(expression: str, meter: Meter | None = None, **properties: Any) -> Any:
    given = value_of(PROPERTIES | properties)
    variables = {
        "properties": given,
        "resource": value_of({"logical_id": "Web", "type": "A::B"}),
        "composition": value_of({"resources": [{"logical_id": f"R{number}"} for number in range(300)]}),
    }
    return ask(read_expression(expression, "A::B"), variables, meter or Meter())


@pytest.mark.parametrize(
    "expression",
    [
        'properties.CidrIp == "0.0.0.0/0"',
        '!has(properties.Nothing) || properties.Nothing == "x"',
        "!has(properties.CidrIp.Nothing)",
        "22 in properties.Ports && !(23 in properties.Ports)",
        "properties.Ports.all(port, port > 10 && port < 100)",
        "properties.Ports.exists_one(port, port == 22)",
        "properties.Ports.map(port, port + 1) == [23, 81]",
        "properties.Ports.filter(port, port > 22).size() == 1",
        "properties.Ports + [443] == [22, 80, 443]",
        'properties.Tags.exists(tag, tag.Key == "a" && tag.Value.startsWith("b"))',
        'properties.Tags[0]["Key"] == "a"',
        r'properties.CidrIp.matches("^(\\d+\\.){3}\\d+/0$")',
        "properties.Share > 3.0 && properties.Ports[0] == 22.0 && properties.Huge > 1.0",
        'properties.Ports[0] != "22" && properties.On != "true" && properties.Ports[0] != properties.On',
        "type(properties.Ports) == list && type(properties.CidrIp) == string",
        "1 / 0 == 1 || true",
        "properties.On ? true : 1 / 0 == 1",
        'resource.type == "A::B"',
        "is_open(properties) && is_open(properties.VpcId) && !is_open(properties.Tags)",
        'is_open(properties.VpcId) || properties.VpcId == "vpc-1"',
        "properties.VpcId == properties.Same",
        'references(properties) == ["Net"] && "Net" in references(properties.VpcId)',
        "is_secret(properties.Password) && !is_secret(properties.VpcId)",
        'expression(properties.VpcId) == "{\\"Ref\\":\\"Net\\"}" && expression(properties.On) == true',
        '"x" in ["x", properties.VpcId]',
        "[properties.VpcId, 1] != [properties.VpcId, 2]",
    ],
)
def test_an_expression_is_true_as_the_language_defines_it(expression: str) -> None:
    assert asked(expression) is True


def test_an_expression_may_name_logical_ids() -> None:
    assert asked('composition.resources.filter(r, r.logical_id.endsWith("9")).map(r, r.logical_id)')[:2] == [
        "R9",
        "R19",
    ]
    assert asked("[]") == []


@pytest.mark.parametrize(
    ("expression", "reason", "place"),
    [
        ("true ||", "it is not CEL", (1, 6)),
        ("true &&\n  foo == 1", "there is no variable foo; there are composition, properties, resource", (2, 3)),
        ("properties.all(p, q == 1)", "there is no variable q", (1, 19)),
        ("getDate(1)", "there is no function getDate", (1, 1)),
        ("[1].reduce(a, b, 0, a + b) == 1", "there is no function reduce", (1, 5)),
        ("[1].min() == 1", "there is no function min", (1, 5)),
        ("properties.all(1, true)", r"all takes the form all\(VARIABLE, EXPRESSION\)", (1, 12)),
        ("properties.map(p)", "map takes the form", (1, 12)),
        ("has(properties)", r"has takes the form has\(SOMETHING.MEMBER\)", (1, 1)),
        ("Point{x: 1} == 2", "messages", (1, 1)),
        (".properties == 1", "cannot begin with a dot", (1, 1)),
        ("1 == 1" + " " * 5000, "5,006 characters", (1, 1)),
        ("(" * 2000 + "1" + ")" * 2000, "nested too deeply", (1, 1)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_what_can_never_have_an_answer_is_refused_when_it_is_read(
    expression: str, reason: str, place: tuple[int, int]
) -> None:
    with pytest.raises(ExpressionError, match=reason) as caught:
        read_expression(expression, "A::B")
    assert (caught.value.line, caught.value.column) == place


def test_a_rule_over_the_composition_has_no_resource() -> None:
    with pytest.raises(ExpressionError, match="there is no variable resource; there are composition"):
        read_expression('resource.type == "A::B"', "composition")


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("properties.Nothing == 1", "there is no Nothing; ask has first"),
        ('properties["Nothing"] == 1', "a key is not there"),
        ("properties.Ports[2] == 1", "an index is beyond the end of its list"),
        ("properties.CidrIp > 5", r"values are of kinds that do not go together \(string, int\)"),
        ('"a" * 3 == "aaa"', r"do not go together \(string, int\)"),
        ("properties.CidrIp.Member == 1", "a value that is no mapping has no members"),
        ('properties.CidrIp.matches("(")', "its regular expression cannot be read"),
        ('properties.VpcId == "vpc-1"', r'needs the value of \{"Ref":"Net"\}, which is known only after the build'),
        ('properties.VpcId != "vpc-1"', "known only after the build; ask is_open first"),
        ('properties.VpcId in ["vpc-1"]', "known only after the build"),
        ('"vpc-1" in [properties.VpcId]', "known only after the build"),
        ("[properties.VpcId] == [1]", "known only after the build"),
        ("properties.VpcId == properties.Password", "known only after the build"),
        ('properties.VpcId.startsWith("vpc-")', "known only after the build"),
        ('string(properties.VpcId) == "x"', "known only after the build"),
        ("properties.VpcId + properties.VpcId == 2", "known only after the build"),
        ("size(properties.VpcId) == 2", "known only after the build"),
        ("properties.VpcId ? true : true", "known only after the build"),
        ('properties.Password == "hunter2"', "which is a secret; ask is_open first"),
        ("properties.VpcId", "its answer is neither true, false, nor a list of logical ids"),
        ("properties.Ports", "its answer is neither"),
    ],
)
def test_a_question_without_an_answer_says_why_and_shows_no_value(expression: str, reason: str) -> None:
    with pytest.raises(AskError, match=reason) as caught:
        asked(expression)
    assert "0.0.0.0/0" not in str(caught.value)


@pytest.mark.parametrize(
    "expression",
    [
        "composition.resources.all(a, composition.resources.all(b, a != b || a == b))",
        "composition.resources.all(a, composition.resources.all(b, composition.resources.all(c, true))) || true",
        "has(composition.resources.map(a, composition.resources.map(b, composition.resources)).size.x)",
        "composition.resources.all(a, composition.resources.all(b, b in composition.resources))",
        '["0123456789"]' + ".map(x, x + x)" * 60 + '.exists(x, x == "")',
        "[[1]]" + ".map(x, x + x)" * 60 + ".size() == 1",
    ],
    ids=["quadratic", "cubic", "absorbed", "comparisons", "text", "list"],
)
def test_a_question_that_costs_too_much_is_cut_off_at_the_same_step_every_time(expression: str) -> None:
    left = []
    for _ in range(2):
        meter = Meter(20_000)
        with pytest.raises(AskError, match="it takes too many steps"):
            asked(expression, meter)
        left.append(meter.left)
    assert left[0] == left[1] < 0


json_values = some.recursive(
    some.none() | some.booleans() | some.integers(-(2**40), 2**40) | some.text(max_size=3),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


def _same(left: Any, right: Any) -> bool:
    """Equality of JSON, in which true is not 1."""
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    return type(left) is type(right) and bool(left == right)


@given(left=json_values, right=json_values)
def test_equality_is_that_of_json(left: Any, right: Any) -> None:
    equal = _same(left, right)
    assert asked("properties.L == properties.R", L=left, R=right) is equal
    assert asked("properties.L != properties.R", L=left, R=right) is not equal
    assert asked("properties.L in [0, properties.R]", L=[left], R=[right]) is equal
    assert asked("properties.L == properties.L", L=left) is True


@given(value=json_values)
def test_a_value_that_is_not_known_is_never_told_apart_from_a_known_one(value: Any) -> None:
    for expression in ("properties.V == properties.VpcId", "properties.VpcId != properties.V"):
        with pytest.raises(AskError, match="known only after the build"):
            asked(expression, V=value)
    assert asked("is_open(properties.V)", V=value) is False
    assert asked("is_open(properties.V)", V=[value, NETWORK]) is True
