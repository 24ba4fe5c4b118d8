"""Words of a provider that mean what was sent, and changes that no leniency hides."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.planning.retelling import is_as_sent
from tenuto.model.ids import TypeName
from tenuto.model.resource import ResourceType
from tenuto.model.spelling import Retelling

WORDS = Retelling(qualified=r"id:(?P<rest>.+)", keys=("Key", "Name"), latest="latest")
KIND = ResourceType(name=TypeName("Toy::Thing"), provider="toy", source="things", retelling=WORDS)
STRICT = ResourceType(name=TypeName("Toy::Thing"), provider="toy", source="things")

SAME = [
    ("Name", "name"),
    (5, "5"),
    ("8.0", "8.0.45"),
    ("1.6.22", "1.6"),
    ("LATEST", "1.4.0"),
    ("id:here:key/abc", "abc"),
    ("abc", "id:here:key/abc"),
    (["a", "b"], ["b", "a"]),
    ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": "2", "more": 1}, {"b": "1"}]}),
    ('{"a": 1}', '{"a":"1"}'),
    ([{"Key": "a", "Value": "1"}], [{"Key": "b", "Value": "2"}, {"Key": "a", "Value": "1"}]),
    ([], None),
]
OTHER: list[tuple[Any, Any]] = [
    ("a", "b"),
    ("a", None),
    ("8.0", "8.1.2"),
    ("LATEST", "newest"),
    ("id:here:key/abc", "abd"),
    (["a"], ["a", "b"]),
    (["a", "a"], ["a", "b"]),
    (["a", "b"], ["a"]),
    ([{"Port": 1}], [{"Port": 1}, {"Port": 22}]),
    ([{"Key": "a", "Value": "1"}], [{"Key": "a", "Value": "2"}]),
    ({"a": 1}, {"b": 1}),
    ("word", ["word"]),
    ({"a": 1}, "text"),
]


@pytest.mark.parametrize(("sent", "shown"), SAME)
def test_other_words_for_what_was_sent_are_as_sent(sent: Any, shown: Any) -> None:
    assert is_as_sent(sent, shown, KIND, "P")


@pytest.mark.parametrize(("sent", "shown"), OTHER)
def test_another_value_is_never_as_sent(sent: Any, shown: Any) -> None:
    assert not is_as_sent(sent, shown, KIND, "P")


def test_a_type_whose_words_are_known_retells_nothing() -> None:
    assert not is_as_sent("Name", "name", STRICT, "P")
    assert is_as_sent(5, "5", STRICT, "P")


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["a", "B", "id:x/a", "1.2", "1.2.3", '{"a": 1}']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(_VALUES)
def test_every_value_is_as_itself(value: Any) -> None:
    assert is_as_sent(value, value, KIND, "P")


@given(st.lists(st.integers(0, 5), max_size=6), st.lists(st.integers(0, 5), max_size=6))
def test_lists_of_plain_values_are_as_sent_when_they_have_the_same_members(one: list[int], other: list[int]) -> None:
    assert is_as_sent(one, other, KIND, "P") == (sorted(one) == sorted(other))
