"""A costly member of a property is asked for where it is declared, also in the members of a list."""

import pytest

from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.resource import ResourceType

TYPE = ResourceType(
    name=TypeName("Test::Table"),
    provider="test",
    source="tables",
    costly=frozenset({"Tags", "Stream.Policy", "Indexes.Insights"}),
    when_absent={"Tags": []},
)
GROUP = ResourceType(
    name=TypeName("Test::Group"),
    provider="test",
    source="groups",
    costly=frozenset({"Values", "Pairs"}),
    asked_members={"Values": "", "Pairs": "Name"},
)


@pytest.mark.parametrize(
    ("declared", "asked"),
    [
        ({}, {"Tags"}),
        ({"Stream": {"View": "all"}, "Indexes": [{"Name": "one"}]}, {"Tags"}),
        ({"Stream": {"Policy": None}}, {"Tags", "Stream.Policy"}),
        (
            {"Stream": "Policy", "Indexes": [{"Name": "one"}, {"Insights": {"Enabled": False}}]},
            {"Tags", "Indexes.Insights"},
        ),
    ],
)
def test_a_member_that_is_declared_is_asked_for(declared: JsonMap, asked: set[str]) -> None:
    assert TYPE.costly_among(declared) == asked


@pytest.mark.parametrize(
    ("declared", "asked"),
    [
        ({}, set()),
        ({"Values": {"a.b": 1, "c": 2}}, {"Values", "Values.a.b", "Values.c"}),
        ({"Pairs": [{"Name": "a", "Value": 1}, {"Value": 2}]}, {"Pairs", "Pairs.a"}),
        ({"Values": None, "Pairs": None}, {"Values", "Pairs"}),
    ],
)
def test_members_that_are_only_shown_when_asked_for_are_asked_for_by_name(declared: JsonMap, asked: set[str]) -> None:
    assert GROUP.costly_among(declared) == asked
