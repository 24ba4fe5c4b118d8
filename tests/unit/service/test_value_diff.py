"""Differences of values in lines: short ones whole, long ones by what differs, and nothing left out uncounted."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.service.common.value_diff import WIDTH, diff_lines, value_text

LONG = "x" * WIDTH


def told(before: Any, after: Any) -> list[str]:
    return list(diff_lines("P", before, after))


def rule(cidr: str, port: int, to: int | None = None) -> dict[str, Any]:
    return {"CidrIp": cidr, "FromPort": port, "IpProtocol": "tcp", "ToPort": to or port, "Description": "a rule"}


def test_short_values_stand_side_by_side() -> None:
    assert told(80, 443) == ["P: 80 → 443"]
    assert told(["a"], ["a", "b"]) == ['P: ["a"] → ["a", "b"]']
    assert told(None, {"a": 1}) == ['P: (none) → {"a": 1}']
    assert told("****", "(known after apply)") == ["P: **** → (known after apply)"]


def test_of_a_long_mapping_only_the_leaves_that_differ_are_told() -> None:
    before = {"Note": LONG, "Deep": {"Port": 80, "Name": LONG}, "Old": 1}
    after = {"Note": LONG, "Deep": {"Port": 443, "Name": LONG}, "New": 2}
    assert told(before, after) == [
        "P: 1 changed, 1 removed, 1 added, 1 unchanged",
        "  Deep: 1 changed, 1 unchanged",
        "    Port: 80 → 443",
        "  + New: 2",
        "  - Old: 1",
    ]


def test_the_member_of_a_list_that_changed_is_named_by_what_stays() -> None:
    before = [rule("10.0.0.0/8", 22), rule("10.0.0.0/8", 443), rule("10.0.0.0/8", 80)]
    after = [rule("10.0.0.0/8", 443), rule("10.0.0.0/8", 80, 8080)]
    assert told(before, after) == [
        "P: 1 changed, 1 removed, 1 unchanged",
        '  ~ CidrIp "10.0.0.0/8", Description "a rule", FromPort 80, IpProtocol "tcp": ToPort: 80 → 8080',
        '  - {"CidrIp": "10.0.0.0/8", "Description": "a rule", "FromPort": 22, "IpProtocol": "tcp", "ToPort": 22}',
    ]


def test_a_key_names_a_member_even_where_all_else_differs() -> None:
    before = [{"Key": "stage", "Value": LONG}, {"Key": "team", "Value": "a"}]
    after = [{"Key": "stage", "Value": "prod"}, {"Key": "team", "Value": "a"}]
    assert told(before, after)[:2] == [
        "P: 1 changed, 1 unchanged",
        f'  ~ Key "stage": Value: {value_text(LONG)} → "prod"',
    ]


def test_members_that_only_moved_are_told_as_that() -> None:
    assert told([LONG, "b"], ["b", LONG]) == ["P: the same 2 members in another order"]


def test_a_document_in_a_text_is_compared_as_that() -> None:
    def policy(action: str) -> str:
        statement = {"Sid": "Read", "Effect": "Allow", "Action": [action, "s3:ListBucket"], "Resource": LONG}
        return json.dumps({"Version": "2012-10-17", "Statement": [statement]})

    assert told(policy("s3:GetObject"), policy("s3:PutObject")) == [
        "P: 1 changed, 1 unchanged",
        "  Statement: 1 changed",
        f'    ~ Sid "Read", Effect "Allow", Resource "{LONG[:62]}… (39 more characters): '
        'Action: ["s3:GetObject", "s3:ListBucket"] → ["s3:PutObject", "s3:ListBucket"]',
    ]


def test_a_text_of_lines_is_compared_by_its_lines() -> None:
    before = "\n".join(["#!/bin/sh", "PORT=80", *(f"echo {number}" for number in range(40))])
    assert told(before, before.replace("PORT=80", "PORT=443")) == [
        "P: 1 changed, 41 unchanged",
        "  - line 2: PORT=80",
        "  + line 2: PORT=443",
    ]


def test_what_is_cut_is_counted() -> None:
    assert value_text("y" * 500) == f'"{"y" * (WIDTH - 1)}… (402 more characters)'


@pytest.mark.parametrize("text", ["{", "[1,", "[" * 100_000])
def test_a_text_that_only_looks_like_a_document_is_a_text(text: str) -> None:
    [line] = told(text + LONG, text + "y" * WIDTH)
    assert line.startswith("P: ")


scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=12)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner, max_size=5)
)


@given(values, values)
def test_every_pair_of_values_is_told_and_each_line_is_bounded(before: Any, after: Any) -> None:
    lines = told(before, after)
    assert lines[0].startswith("P: ")
    assert lines == told(before, after)
    assert all("\n" not in line or "\n" in line.split(": ", 1)[0] for line in lines[:1])


@given(st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), min_size=1), max_size=6), st.data())
def test_each_member_of_a_list_is_counted_once(before: list[dict[str, int]], data: st.DataObject) -> None:
    after = data.draw(st.permutations(before))[: data.draw(st.integers(0, len(before)))] + data.draw(
        st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3), min_size=1), max_size=3)
    )
    pad = {"pad": LONG}
    headline = told([*before, pad], [*after, pad])[0]
    counts = {fate: int(number) for number, fate in re.findall(r"(\d+) (changed|removed|added|unchanged)", headline)}
    if "another order" in headline:
        assert sorted(map(value_text, before)) == sorted(map(value_text, after))
        return
    both = counts.get("changed", 0) + counts.get("unchanged", 0)
    assert both + counts.get("removed", 0) == len(before) + 1
    assert both + counts.get("added", 0) == len(after) + 1


def test_long_texts_are_cut_where_they_differ() -> None:
    assert told("x" * 1000 + "a", "x" * 1000 + "b") == [
        f'P: (976 equal characters) …{"x" * 25}a" → (976 equal characters) …{"x" * 25}b"'
    ]
    assert told(f"k\n{LONG}{LONG}a\n", f"k\n{LONG}{LONG}b\n") == [
        "P: 1 changed, 1 unchanged",
        f"  - line 2: (175 equal characters) …{'x' * 25}a",
        f"  + line 2: (175 equal characters) …{'x' * 25}b",
    ]
    gone, come = told([f"{LONG}a", 1], [f"{LONG}b", 1])[1:]
    assert (gone[-3:], come[-3:]) == ('xa"', 'xb"')


def test_other_ends_of_lines_are_a_difference() -> None:
    text = "".join(f"echo {number}\n" for number in range(20))
    assert told(text, text.removesuffix("\n")) == ["P: 1 removed, 20 unchanged", "  - line 21: "]
    assert told(text, text.replace("\n", "\r\n", 1))[1:] == ["  - line 1: echo 0", "  + line 1: echo 0\\x0d"]
    assert told(f"{text}a\x85b\n", f"{text}a\u2028b\n")[1:] == ["  - line 21: a\\x85b", "  + line 21: a\\u2028b"]


def test_a_hidden_character_is_told_from_a_text_that_spells_its_escape() -> None:
    assert told("\u202e", "\\u202e") == ['P: "\\u202e" → "\\\\u202e"']
