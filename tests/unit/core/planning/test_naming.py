"""Two spellings of one name."""

import pytest

from tenuto.core.planning.equality.values import is_same_name, means_same, pointers_of
from tenuto.model.ids import JsonMap, TypeName
from tenuto.model.naming import ANYTHING, NOTHING_KNOWN, Names, Naming
from tenuto.model.resource import Comparison, ResourceType, Rule

KEY = Naming(thing="key", qualified=r"(?P<where>at:\w+):(?P<name>.+)", pointer="nick/", is_folded=True)
KNOWN = Names(pointed_at={"nick/data": "at:here:k1", "at:there:nick/data": "at:there:k9"})


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("k1", "k1", True),
        ("k1", "K1", True),
        ("at:here:k1", "k1", True),
        ("at:here:k1", "at:HERE:K1", True),
        ("at:here:k1", "at:there:k1", False),
        ("at:here:k1", "k2", False),
        ("nick/data", "at:here:nick/data", True),
        ("nick/data", "nick/Data", False),
        ("nick/data", "k1", True),
        ("nick/data", "at:here:k1", True),
        ("nick/data", "at:here:k2", False),
        ("at:there:nick/data", "at:there:k9", True),
        ("at:there:nick/data", "at:here:k1", False),
        ("nick/unknown", "k1", False),
        ("nick/unknown", "nick/data", False),
    ],
)
def test_names_are_the_same_in_any_spelling_and_in_both_directions(one: str, other: str, is_same: bool) -> None:
    assert is_same_name(one, other, KEY, KNOWN) is is_same
    assert is_same_name(other, one, KEY, KNOWN) is is_same


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("nick/unknown", "k1", True),
        ("nick/unknown", "nick/other", True),
        ("nick/data", "k1", True),
        ("nick/data", "k2", False),
        ("k1", "k2", False),
        ("at:here:k1", "at:there:k1", False),
    ],
)
def test_only_a_pointer_of_which_nothing_is_known_is_taken_for_another_name(
    one: str, other: str, is_same: bool
) -> None:
    lenient = Names(pointed_at=KNOWN.pointed_at, is_lenient=True)
    assert is_same_name(one, other, KEY, lenient) is is_same


def test_a_pointer_that_may_be_anything_is_no_difference_whatever_it_stands_for() -> None:
    assert is_same_name("nick/data", "k2", KEY, ANYTHING)
    assert not is_same_name("k1", "k2", KEY, ANYTHING)


def test_names_are_compared_at_any_depth_and_within_sets() -> None:
    rules: dict[str, Rule] = {"Rules": Comparison.SET, "Rules.Encryption.Key": KEY}
    desired = [{"Encryption": {"Key": "k1"}}, {"Encryption": {"Key": "nick/data"}}]
    observed = [{"Encryption": {"Key": "at:here:k1"}}]
    assert means_same(desired, observed, rules, "Rules", KNOWN)
    assert not means_same(desired, observed, rules, "Rules", NOTHING_KNOWN)
    assert not means_same([{"Encryption": {"Key": "k2"}}], observed, rules, "Rules", KNOWN)


@pytest.mark.parametrize(("may_be_hidden", "is_same"), [(True, True), (False, False)])
def test_a_name_that_is_not_shown_differs_unless_the_provider_may_hide_it(may_be_hidden: bool, is_same: bool) -> None:
    naming = Naming(thing="key", qualified=KEY.qualified, may_be_hidden=may_be_hidden)
    assert means_same("k1", None, {"Key": naming}, "Key") is is_same


def test_the_pointers_of_resources_are_found_where_names_are_taken_and_nowhere_else() -> None:
    facts = ResourceType(
        name=TypeName("T::A"),
        provider="pure",
        source="all",
        compare_as={"Key": KEY, "Disks.Ebs.Key": KEY, "Plain": Naming(thing="x", qualified=KEY.qualified)},
    )
    properties: JsonMap = {
        "Key": "at:here:nick/b",
        "Disks": [{"Ebs": {"Key": "nick/a"}}, {"Ebs": {"Key": "k1"}}, {"Name": "nick/no"}, {"Ebs": None}],
        "Plain": "nick/no",
        "Other": "nick/no",
    }
    found = [(properties, facts.namings), ({"Key": {"Ref": "Alias"}}, facts.namings)]
    assert pointers_of(found) == ("at:here:nick/b", "nick/a")
