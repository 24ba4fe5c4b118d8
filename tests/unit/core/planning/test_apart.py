"""The common part of two unlike values is left out, and nothing in which they differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.planning.apart import apart
from tenuto.model.ids import Json

values = st.recursive(
    st.none() | st.booleans() | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, ({"b": 2}, {"b": 3})),
        ({"Id": "x", "a": 1}, {"Id": "x"}, ({"Id": "x", "a": 1}, {"Id": "x"})),
        (["a", "b"], ["b"], (["a"], [])),
        ([{"a": 1, "b": 2}, "c"], ["c", {"a": 1}], ([{"b": 2}], [{}])),
        ("a", ["a"], ("a", ["a"])),
    ],
)
def test_the_rest_is_what_differs(one: Json, other: Json, left: tuple[Json, Json]) -> None:
    assert apart(one, other) == left


@given(values, values)
def test_unlike_values_stay_unlike(one: Json, other: Json) -> None:
    left, right = apart(one, other)
    assert one == other or left != right
