"""The functions and operators that an expression has, and what each of them refuses."""

import pytest

from tenuto.compositions.rules.engine import AskError, ask
from tenuto.compositions.rules.expressions import OUR_FUNCTIONS, ExpressionError, read_expression
from tenuto.compositions.rules.functions import FUNCTIONS, METHODS
from tenuto.compositions.rules.meter import Meter


def asked(expression: str) -> object:
    return ask(read_expression(expression, "composition"), {"composition": {"name": "web"}}, Meter())


@pytest.mark.parametrize(
    "expression",
    [
        'string(5) == "5" && string(5u) == "5" && string(1.5) == "1.5" && string(3.0) == "3"',
        'string(true) == "true" && string(b"\\x41") == "A" && string("a") == "a" && bytes("A") == b"\\x41"',
        'int("-12") == -12 && int(3.9) == 3 && int(-3.9) == -3 && int(5u) == 5 && uint("7") == 7u && uint(3) == 3u',
        'double("1.5e3") == 1500.0 && double(2) == 2.0 && bool("true") && !bool("false") && bool(true)',
        'int(timestamp("1970-01-01T00:01:00Z")) == 60 && timestamp(60) == timestamp("1970-01-01T00:01:00Z")',
        'string(timestamp("2026-01-31T12:00:00Z")) == "2026-01-31T12:00:00Z"',
        'timestamp("2026-01-31T12:00:00.123456789+02:00") < timestamp("2026-01-31T12:00:00Z")',
        'duration("1h30m") == duration("90m") && duration("-1.5s") < duration("0s") && duration(60) == duration("1m")',
        'string(duration("1h")) == "3600s" && string(duration("1500ms")) == "1.5s"',
        'timestamp("2026-01-31T12:00:00Z") + duration("1h") == timestamp("2026-01-31T13:00:00Z")',
        'duration("1h") + timestamp("2026-01-31T12:00:00Z") == timestamp("2026-01-31T13:00:00Z")',
        'timestamp("2026-01-31T12:00:00Z") - timestamp("2026-01-31T11:00:00Z") == duration("1h")',
        'timestamp("2026-01-31T12:00:00Z").getHours("Europe/Paris") == 13',
        'timestamp("2026-01-31T12:00:00Z").getHours("-05:30") == 6',
        'timestamp("2026-01-31T12:34:56.789Z").getMinutes() == 34 && duration("90m").getHours() == 1',
        'timestamp("2026-01-31T12:34:56.789Z").getMilliseconds() == 789 && duration("2s").getMilliseconds() == 2000',
        'timestamp("2026-01-31T12:00:00Z").getDate() == 31 && timestamp(0).getDayOfMonth() == 0',
        "timestamp(0).getFullYear() == 1970 && timestamp(0).getMonth() == 0 && timestamp(0).getDayOfYear() == 0",
        "timestamp(0).getDayOfWeek() == 4 && timestamp(61).getSeconds() == 1",
        "7 / 2 == 3 && -7 / 2 == -3 && 7 % -2 == 1 && -7 % 2 == -1 && 7u / 2u == 3u && 1.0 / 4.0 == 0.25",
        "1.0 / 0.0 > 1e300 && -1.0 / 0.0 < -1e300 && 0.0 / 0.0 != 0.0 / 0.0",
        "-(1) == -1 && -(-1.5) == 1.5 && 2 * 3 - 1 == 5 && 2u * 3u == 6u",
        "1 < 2.5 && 2u >= 2 && 'a' < 'b' && b'a' <= b'a' && false < true",
        "{1: 'a', true: 'b', 'c': 'd'}[true] == 'b' && {1: 'a', true: 'b'}[1u] == 'a' && {true: 1}.all(k, k == true)",
        "true in {true: 1} && !(1 in {true: 1}) && !([1] in {1: 2}) && 'c' in {'c': 1}",
        "[1, 2].contains(2) && {'a': 1}.contains('a') && 'abc'.contains('b') && b'abc'.contains(b'c')",
        "size('aß') == 2 && b'ab'.size() == 2 && {'a': 1}.size() == 1 && size([]) == 0",
        "type(1) == int && type(1u) == uint && type(null) == null_type && type(type(1)) == type(int)",
        "type(timestamp(0)) == timestamp && type(duration('1s')) == duration && type({}) == map && type(1.0) == double",
        "{'a': 1, 'b': 2}.map(k, k) == ['a', 'b'] && [1].map(a, [2].map(a, a)[0] + a) == [3]",
        "[1, 2].map(a, [3].exists(b, b == a + 2)) == [true, false] && [1, 2, 2].exists_one(a, a == 1)",
        "'a'.matches('^a$') && matches('abc', 'b') && !matches('abc', '^b') && 'ab\\n'.matches('b\\n$')",
        "9223372036854775807 > 0 && -9223372036854775808 < 0 && 0xff == 255 && 18446744073709551615u > 0u",
    ],
)
def test_a_function_gives_what_the_language_defines(expression: str) -> None:
    assert asked(expression) is True


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("9223372036854775807 + 1 == 0", "a number is too large"),
        ("1u - 2u == 0u", "a number is too large"),
        ("1 / 0 == 0", "a number is divided by zero"),
        ("1 % 0 == 0", "a number is divided by zero"),
        ("1 + 1u == 2", r"do not go together \(int, uint\)"),
        ("1.5 % 1.0 == 0.5", r"do not go together \(double, double\)"),
        ("[1] < [2]", r"do not go together \(list, list\)"),
        ("timestamp(0) + timestamp(0) == 1", r"do not go together \(timestamp, timestamp\)"),
        ("duration('1s') - timestamp(0) == 1", r"do not go together \(duration, timestamp\)"),
        ("timestamp(253402300799) + duration('1s') == timestamp(0)", "a moment is not between the years"),
        ("timestamp(99999999999999999) == timestamp(0)", "a moment is not between the years"),
        ("timestamp('yesterday') == timestamp(0)", "a text is no moment"),
        ("timestamp('2026-02-31T00:00:00Z') == timestamp(0)", "a moment is not between the years"),
        ("duration(9223372036854775807) == duration(1)", "a duration is too long"),
        ("timestamp(0).getHours('../../etc/passwd') == 1", "a text is no time zone"),
        ("timestamp(0).getHours('Nowhere/Land') == 1", "a text is no time zone"),
        ("duration('1s').getDate() == 1", r"do not go together \(duration\)"),
        ("int('1_000') == 1000", r"int\(…\) makes nothing of this string"),
        ("int(1e300) == 1", "a number is too large"),
        ("double('1" + "0" * 900 + "') == 1.0", r"double\(…\) makes nothing"),
        ("string(b'\\xff') == ''", "bytes are no text in UTF-8"),
        ("bool('yes')", r"bool\(…\) makes nothing of this string"),
        ("[1][-1] == 1", "an index is beyond the end of its list"),
        ("'abc'[0] == 'a'", r"do not go together \(string, int\)"),
        ("{1.5: 2} == {}", "a key is a text, a whole number, true or false, and not of kind double"),
        ("{'a': 1, 'a': 2} == {}", "a mapping has a key twice"),
        ("!1", r"do not go together \(int\)"),
        ("-true == false", r"do not go together \(bool\)"),
        ("[1].filter(a, a) == [1]", r"do not go together \(int\)"),
        ("(5).all(a, true)", r"do not go together \(int\)"),
        ("'a'.matches('b(?=a)')", r"its regular expression cannot be read: RE2 has no \(\?=…\)"),
        ("'a'.matches('(((a{100}){100}){100})')", "its regular expression cannot be read: it is too large"),
    ],
)
def test_a_function_refuses_what_it_has_no_answer_for(expression: str, reason: str) -> None:
    with pytest.raises(AskError, match=reason):
        asked(expression)


@pytest.mark.parametrize(
    ("expression", "reason", "column"),
    [
        ("size() == 1", "the call of size gives it the wrong number of values", 1),
        ("'a'.size('b') == 1", "the call of size gives it the wrong number of values", 5),
        ("list(composition) == []", "there is no function list", 1),
        ("99999999999999999999 == 1", "a number is too large", 1),
        (r"'\ud800' == ''", "a text holds a character that no text can have", 1),
        (r"'\U00110000' == ''", "a text holds a character that no text can have", 1),
        (r"b'\u0123' == b''", "a byte is not between 0 and 255", 1),
    ],
)
def test_what_can_never_have_a_value_is_refused_when_it_is_read(expression: str, reason: str, column: int) -> None:
    with pytest.raises(ExpressionError, match=reason) as caught:
        read_expression(expression, "composition")
    assert caught.value.column == column


def test_what_an_expression_may_call_is_what_there_is() -> None:
    for name in sorted(FUNCTIONS):
        with pytest.raises(ExpressionError, match="the wrong number of values"):
            read_expression(f"{name}(1, 2, 3)", "composition")
    for name in sorted(METHODS):
        with pytest.raises(ExpressionError, match="the wrong number of values"):
            read_expression(f"composition.{name}(1, 2, 3)", "composition")
    assert set(FUNCTIONS) >= OUR_FUNCTIONS
