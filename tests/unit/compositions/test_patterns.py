"""Patterns of users: what RE2 reads, what is refused, and that none goes back and tries again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tenuto.compositions.checks.patterns import PatternError, compile_pattern
from tenuto.compositions.checks.schema_values import matches
from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError

PASSWORD = r"^(?=.*[A-Z])(?=.*[0-9])(?!.*[@/\" ]).{8,41}$"


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        (r"[a-z]+", "abc", "abc1"),
        (r"^\d{1,3}(\.\d{1,3}){3}/\d+$", "10.0.0.0/16", "10.0.0/16"),
        (r"[\w.-]{1,255}@example\.com", "a.b@example.com", "ä@example.com"),
        (r"\u0041[\u0042-\u0044]", "AD", "AE"),
        (r"a\Z", "a", "a\n"),
        (r"\\Z", r"\Z", "\\"),
        (PASSWORD, "Secret12", "secret12"),
        (PASSWORD, "Secret12", "Secret12@"),
        (r"(?=.*[A-Z])[A-Za-z]+", "aB", "ab"),
        (r"^(?!sg-)[a-z-]+$", "group", "sg-group"),
        (r"^(?=[(\]]\))[^x]*$", "()", ")("),
        (r"(?i)abc", "ABC", "abd"),
        (r"a|b", "b", "ab"),
        ("", "", "a"),
    ],
)
def test_a_pattern_matches_whole_values(pattern: str, good: str, bad: str) -> None:
    compiled = compile_pattern(pattern, is_for_all=True)
    assert compiled.is_all_of(good)
    assert not compiled.is_all_of(bad)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a)\1", r"RE2 has no \\1"),
        (r"a(?=b)", r"RE2 has no \(\?=…\), except at the very beginning"),
        (r"(?<=a)b", r"RE2 has no \(\?<=?…\)"),
        (r"^(?=a)b|c$", r"RE2 has no \(\?=…\)"),
        (r"(", "missing"),
        (r"[a-z&&[^b]]", "intersection"),
        (r".{1,1001}", "it is too large"),
        (r"((a{100}){100}){100}", "it is too large"),
        ("a" * 5000, "5,000 characters"),
        ("\ud800", "characters that no text can have"),
    ],
    ids=lambda value: value.encode("utf-8", "replace").decode()[:20],
)
def test_a_pattern_that_cannot_be_kept_in_bounds_is_refused_with_the_reason(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError, match=reason):
        compile_pattern(pattern, is_for_all=True)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(a|a?)+$", "([a-z]+)*$", "(.*a){30}b", "^(?=(a+)+$)(a*)*b$"]
)
def test_no_pattern_goes_back_and_tries_again(pattern: str) -> None:
    """Python's engine needs hours for each of them."""
    assert not compile_pattern(pattern, is_for_all=True).is_all_of("a" * 250 + "!")


def test_a_value_is_held_to_a_pattern_of_the_schema_in_bounded_time() -> None:
    assert matches("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 4000) is False
    assert matches("^(?!aws:)[a-z:]+$", "aws:x") is False
    assert matches("[[:alpha:]&&[a-z]]", "a") is None


TEMPLATE = """
Parameters:
  Size: {{Type: String, Default: '{value}', AllowedPattern: '{pattern}'}}
Resources:
  Net: {{Type: AWS::EC2::VPC, Properties: {{CidrBlock: 10.0.0.0/16, Tags: [{{Key: size, Value: !Ref Size}}]}}}}
"""


def compiled(pattern: str, value: str) -> list[str]:
    text = TEMPLATE.format(pattern=pattern, value=value)
    try:
        found = compile_text(text, file="web.yaml", parameters={}, region="us-east-1").diagnostics
    except CompileError as error:
        found = error.diagnostics
    return [f"{one.code} {one.position.line if one.position else 0}" for one in found]


def test_a_parameter_is_held_to_its_pattern() -> None:
    assert compiled("(a+)+$", "a" * 250 + "!")[0].endswith(" 3")
    assert compiled("(a+)+$", "a" * 250) == []
    assert compiled(PASSWORD.replace("'", ""), "Secret12") == []


def test_a_pattern_that_is_not_read_is_a_warning_at_its_line() -> None:
    assert compiled(r"(a)\1", "aa") == ["T804 3"]


@settings(deadline=None)
@given(pattern=some.text(alphabet="ab()[]^?=!|\\.*+{}12&$", max_size=30), text=some.text(alphabet="ab1", max_size=20))
def test_any_pattern_is_read_or_refused(pattern: str, text: str) -> None:
    try:
        found = compile_pattern(pattern, is_for_all=True)
    except PatternError:
        return
    assert found.is_all_of(text) in (True, False)
