"""Expressions that were made to cost much: each ends within its steps, and within a bound of memory.

Time is not measured: a step does little, so the steps are the bound. What hangs is found by the limit of the test run.
"""

import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tenuto.compositions.rules.engine import AskError, ask
from tenuto.compositions.rules.expressions import LONGEST_EXPRESSION, ExpressionError, read_expression
from tenuto.compositions.rules.meter import Meter
from tenuto.compositions.rules.values import value_of

STEPS = 20_000
LARGEST_OVERDRAFT = 200_000
"""What is too large is paid for before it is made, so the last step can be a large debt, and a small deed."""
MOST_BYTES = 10_000_000
"""Of 20,000 steps; the largest that was seen has 2 MB."""
MEMBERS = [{"logical_id": f"R{number}", "size": number} for number in range(100)]


def cost(expression: str, steps: int = STEPS) -> tuple[int, int, Any]:
    """The steps that were taken, the bytes at the peak, and the answer or the reason why there is none."""
    program = read_expression(expression, "composition")
    variables = {"composition": value_of({"resources": MEMBERS})}
    meter = Meter(steps)
    tracemalloc.start()
    try:
        answer = ask(program, variables, meter)
    except AskError as error:
        answer = str(error)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return steps - meter.left, peak, answer


ALL = "composition.resources.all"


@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        (r'[string([["\\"]])]' + ".map(a, string([a]))" * 30 + ".all(x, size(x) > 0)", "string(…) makes nothing of"),
        ("bytes([1, 2]) == b''", "bytes(…) makes nothing of this list"),
        ("string({'a': 1}) == ''", "string(…) makes nothing of this map"),
        ("string([[1]]" + ".map(a, [a, a])" * 26 + ").size() > 0", "string(…) makes nothing of this list"),
        (f"{ALL}(a, {ALL}(b, {ALL}(c, {ALL}(d, a != b || true))))", "it takes too many steps"),
        (f"{ALL}(a, {ALL}(b, {ALL}(c, {ALL}(d, a.nothing == 1)))) || true", "it takes too many steps"),
        ("[" + ", ".join(f'"a".matches("(a?){{{1000 - n}}}")' for n in range(80)) + "].size() > 0", "too many steps"),
        ('["a"]' + ".map(x, x + x)" * 60 + ".size() > 0", "it takes too many steps"),
        ("[b'a']" + ".map(x, x + x)" * 60 + ".size() > 0", "it takes too many steps"),
        ("[[1]]" + ".map(x, x + x)" * 60 + ".size() > 0", "it takes too many steps"),
        ("[[1]]" + ".map(a, [a, a])" * 60 + " == [[1]]" + ".map(a, [a, a])" * 60, "it takes too many steps"),
        ("[[1]]" + ".map(a, [a, a])" * 60 + " in [[[1]]" + ".map(a, [a, a])" * 60 + "]", "it takes too many steps"),
        ("[[1]]" + ".map(a, {'l': a, 'r': a})" * 60 + " == [[1]]" + ".map(a, {'l': a, 'r': a})" * 60, "too many steps"),
        ("is_open([[1]]" + ".map(a, [a, a])" * 60 + ")", "it takes too many steps"),
        ("references([[1]]" + ".map(a, [a, a])" * 60 + ") == []", "it takes too many steps"),
        ("1 < [[1]]" + ".map(a, [a, a])" * 60, "values are of kinds that do not go together (int, list)"),
        ("[[1]]" + ".map(a, [a, a])" * 60 + " && [1]", "values are of kinds that do not go together (list)"),
        ("[[1]]" + ".map(a, [a, a])" * 60 + ".member == 1", "a value that is no mapping has no members"),
        ("{'a': 1}[[[1]]" + ".map(a, [a, a])" * 60 + "]", "go together|a key is"),
        ("timestamp([[1]]" + ".map(a, [a, a])" * 60 + ") == 1", "values are of kinds that do not go together (list)"),
        ('"%1000000000d" % 5 == ""', "values are of kinds that do not go together (string, int)"),
        ('"%s" % [[1]]' + ".map(a, [a, a])" * 60 + ' == ""', "values are of kinds that do not go together"),
        ('duration("' + "a" * 60 + '!") == duration("1s")', "a text is no duration"),
        ('timestamp("2026-01-01T00:00:00Z").getHours("' + "a/" * 500 + '") == 1', "a text is no time zone"),
        ("dyn([[1]]" + ".map(a, [a, a])" * 60 + ") == type(1)", False),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_was_made_to_cost_much_is_refused_or_cut_off(expression: str, answer: Any) -> None:
    taken, peak, found = cost(expression)
    if isinstance(answer, str):
        assert any(part in found for part in answer.split("|"))
    else:
        assert found is answer
    assert taken <= STEPS + LARGEST_OVERDRAFT
    assert peak < MOST_BYTES


@pytest.mark.parametrize("text", ['"', "'", '"""', "'''", 'r"', 'b"', '"" + "', "// '\n\""])
def test_a_text_without_an_end_is_refused_before_anything_tries_to_read_it(text: str) -> None:
    """The library tries two ways to read each backslash."""
    with pytest.raises(ExpressionError, match="a text has no end"):
        read_expression(text + r"\n" * 500, "composition")


@pytest.mark.parametrize(
    "text",
    [
        r'"\n\"" == "\n\""',
        r"'\'' == \"'\"".replace('\\"', '"'),
        '"""' + r"\n" * 200 + '\n"" """ != "a"',
        r'r"\d" == "\\d"',
        "1 == 1 // it's",
        "'//' == \"//\"",
        "\"\" == ''",
        r'b"\x41" == b"A"',
    ],
)
def test_a_text_with_an_end_is_read(text: str) -> None:
    assert cost(text)[2] is True


def small() -> some.SearchStrategy[str]:
    texts = ('"a"', '"aa\\\\"', '"(a?){99}"', '"(a+)+$"', "1", "2u", "1.5", "true", "null", 'b"ab"', "[]", "[1]", "{}")
    more = (
        "composition.resources",
        "composition",
        "duration('1s')",
        "timestamp(1)",
        "int",
        "{'a': 'b'}",
        "[[1], ['a']]",
    )
    return some.sampled_from([*texts, *more])


def larger(inner: some.SearchStrategy[str]) -> some.SearchStrategy[str]:
    """One more level around expressions. Macros use few names, so that they hide each other's."""
    name = some.sampled_from("abc")
    macro = some.sampled_from(["map", "all", "exists", "exists_one", "filter"])
    one = some.sampled_from(
        [
            "string",
            "bytes",
            "size",
            "type",
            "int",
            "double",
            "uint",
            "bool",
            "dyn",
            "is_open",
            "references",
            "timestamp",
        ]
    )
    two = some.sampled_from(["+", "-", "*", "/", "%", "==", "!=", "<", "in", "&&", "||"])
    method = some.sampled_from(["matches", "contains", "startsWith", "endsWith"])
    return some.one_of(
        some.builds(
            lambda list_, macro, name, body, times: list_ + f".{macro}({name}, {body})" * times,
            inner, macro, name, inner | some.sampled_from(["[a, a]", "a + a", "[a]", "string(a)", "{'x': a, 'y': a}"]),
            some.integers(1, 30),
        ),
        some.builds(lambda name, value: f"{name}({value})", one, inner),
        some.builds(lambda left, sign, right: f"({left} {sign} {right})", inner, two, inner),
        some.builds(lambda text, name, value: f"{text}.{name}({value})", inner, method, inner),
        some.builds(lambda left, right: f"[{left}, {right}]", inner, inner),
        some.builds(lambda key, value: f"{{{key}: {value}}}", inner, inner),
        some.builds(lambda which, left, right: f"({which} ? {left} : {right})", inner, inner, inner),
        some.builds(lambda value, index: f"{value}[{index}]", inner, inner),
    )  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(expression=some.recursive(small(), larger, max_leaves=8))
def test_no_expression_costs_more_than_its_steps(expression: str) -> None:
    if len(expression) > LONGEST_EXPRESSION:
        return
    try:
        taken, peak, answer = cost(f"[1].map(a, [1].map(b, [1].map(c, {expression}))) == [] || {expression} == 1")
    except ExpressionError:
        return  # a name means nothing, or a number of values is wrong
    assert isinstance(answer, bool | str)
    assert taken <= STEPS + LARGEST_OVERDRAFT
    assert peak < MOST_BYTES


TO_TEXT = ("a + a", "a + 'b' + a", "string(bytes(a))", "string(size(a))", "a.contains('a') ? a : 'c'")
TO_LIST = ("[a, a]", "[a, a, a]", "[[a], [a, a]]", "composition.resources.map(r, a)", "[a].map(b, [b, b])")
TO_MAP = ("{'x': a, 'y': a}", "{'x': [a, a]}")
OF_A_LIST = ("a + a", "a.map(b, b)", "a.filter(b, true) + a", "a.map(b, [b, b])", *TO_LIST, *TO_MAP)
OF_A_MAP = ("[a, a]", "[a.x, a]", "{'x': a, 'y': a.x}", "a.map(b, b)")
ENDS = (
    ".size() == 0", ".all(a, a == a)", ".exists(a, a != a)", ".exists_one(a, is_open(a))", ".filter(a, a in [a]) == []",
    ".all(a, composition.resources.all(b, composition.resources.exists(c, a == c)))", ".all(a, references(a) == [])",
    ".map(a, [a].all(b, a == b)) == []", ".map(a, type(a)).size() == 0", ".all(a, string(a) == '')", ".all(a, a < a)",
)  # fmt: skip
TEXT_ENDS = (".all(a, a.matches('(a+)+$'))", ".all(a, a.matches('(a?){300}'))", ".all(a, a <= a && a.endsWith(a))")


@some.composite
def chains(draw: some.DrawFn) -> str:
    """A list, and many macros one after the other, each of which grows what the one before has made."""
    kind = draw(some.sampled_from(["text", "list", "map"]))
    begin = {"text": "['a', 'bb']", "list": "[[1], ['a', b'b']]", "map": "[{'x': 1}, {'x': {}}]"}[kind]
    made = begin
    for _ in range(draw(some.integers(1, 6))):
        times = draw(some.integers(1, 12))
        if kind == "text" and draw(some.booleans()):
            made += f".map(a, {draw(some.sampled_from(TO_TEXT))})" * times
            continue
        bodies = {"text": TO_LIST + TO_MAP, "list": OF_A_LIST, "map": OF_A_MAP}[kind]
        body = draw(some.sampled_from(bodies))
        made += f".map(a, {body})"
        kind = "map" if body.startswith("{") else "list"
        made += (".map(a, [a, a])" if kind == "list" else ".map(a, {'x': a, 'y': a})") * times
    end = draw(some.sampled_from(ENDS + TEXT_ENDS if kind == "text" else (*ENDS, " == SAME", " in [SAME, SAME]")))
    return made + end.replace("SAME", made)


@settings(max_examples=100, deadline=None)
@given(expression=chains())
def test_no_chain_of_macros_costs_more_than_its_steps(expression: str) -> None:
    if len(expression) > LONGEST_EXPRESSION:
        return
    taken, peak, answer = cost(expression)
    assert isinstance(answer, bool | str)
    assert taken <= STEPS + LARGEST_OVERDRAFT
    assert peak < MOST_BYTES
