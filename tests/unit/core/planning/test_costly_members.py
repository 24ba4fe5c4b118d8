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
