"""Members that an update takes out of a property which stays declared are changes of that update, and of no other."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tenuto.core.planning.comparing.changes import changes_of, noted, with_defaults
from tenuto.core.planning.comparing.secrets import Desired, digest_of
from tenuto.model.delta import Change
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.resource import LOST, Comparison, ResourceType
from tenuto.model.spelling import Documents
from tenuto_testing.store_samples import an_object

TYPE = ResourceType(
    name=TypeName("Some::Type"),
    provider="some",
    source="some",
    create_only=frozenset({"Fixed"}),
    write_only=frozenset({"Hidden"}),
    compare_as={
        "Settings": Comparison.MEMBERS,
        "Text": Documents(),
        "Shared": Comparison.SHARED,
        "Hides.Secret": Comparison.SHOWN,
    },
    defaults={"Kept.Switch": "off"},
)


def changes(
    before: JsonMap, after: JsonMap, shown: JsonMap | None = None, of: ResourceType = TYPE
) -> tuple[Change, ...]:
    found = an_object(type=of.name, desired=before, desired_digest=digest_of(before, None))
    desired = Desired(properties=after, digest=digest_of(after, None))
    return changes_of(desired, before if shown is None else shown, found, of, None)


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ({"A": {"one": 1, "two": 2}}, {"A": {"one": 1}}, "A.two"),
        ({"A": {"deep": {"one": 1, "two": [2]}}}, {"A": {"deep": {"one": 1}}}, "A.deep.two"),
        ({"A": [{"Name": "web", "Secrets": [1]}]}, {"A": [{"Name": "web"}]}, "A"),
        (
            {"A": [{"Id": "a"}, {"Id": "b", "In": {"x": 1, "y": 1}}]},
            {"A": [{"Id": "a"}, {"Id": "b", "In": {"x": 1}}]},
            "A",
        ),
    ],
)
def test_what_is_taken_out_of_a_property_is_a_change(before: JsonMap, after: JsonMap, path: str) -> None:
    (change,) = changes(before, after)
    assert change.path == path
    assert not change.forces_replacement
    assert not change.stays


RULED = replace(TYPE, when_absent={"Rules": [{"Port": -1}]}, compare_as={"Rules.Text": Comparison.SHOWN})


def test_a_property_that_was_never_declared_does_not_change_with_another_one() -> None:
    """The value that its absence means is neither hidden nor new."""
    (change,) = changes({"Fixed": 1}, {"Fixed": 2}, {"Fixed": 1, "Rules": [{"Port": -1}]}, of=RULED)
    assert (change.path, change.before, change.after) == ("Fixed", 1, 2)


def test_a_property_that_is_declared_as_it_is_shown_does_not_change() -> None:
    declared: JsonMap = {"A": 1, "Rules": [{"Port": 80}]}
    assert changes({"A": 1}, declared, declared, of=RULED) == ()


@pytest.mark.parametrize("before", [{"Rules": [{"Port": 80, "Text": "old"}]}, {}])
def test_another_value_of_a_hidden_member_is_a_change(before: JsonMap) -> None:
    after: JsonMap = {"Rules": [{"Port": 80, "Text": "new"}]}
    (change,) = changes(before, after, {"Rules": [{"Port": 80}]}, of=RULED)
    assert (change.path, change.before, change.after) == ("Rules", [{"Port": 80}], after["Rules"])


def test_it_replaces_where_only_another_thing_can_be_without_it() -> None:
    (change,) = changes({"Fixed": [{"Name": "web", "Command": ["run"]}]}, {"Fixed": [{"Name": "web"}]})
    assert change.forces_replacement


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ({"A": {"one": 1, "two": 2}}, {"A": {"one": 1}}, {"A": {"one": 1}}),
        ({"A": {"one": 1, "two": 2}}, {"A": {"one": 1}}, {"A": {"one": 1, "two": ""}}),
        ({"A": {"one": 1, "two": False}}, {"A": {"one": 1}}, None),
        ({"A": {"one": 1}}, {"A": {"one": 1}}, {"A": {"one": 1, "default": 5}}),
        ({"A": [{"Id": "a", "b": 1}]}, {"A": [{"Id": "a"}]}, {"A": [{"Id": "a"}]}),
        ({"Hidden": {"one": 1, "two": 2}}, {"Hidden": {"one": 1, "two": 2}}, {}),
    ],
)
def test_what_is_not_there_is_not_taken_out(before: JsonMap, after: JsonMap, shown: JsonMap | None) -> None:
    assert changes(before, after, shown) == ()


def test_it_stays_where_nothing_is_sent_that_agrees_already() -> None:
    before: JsonMap = {"A": {"one": 1, "two": 2}, "Fixed": {"three": 3, "four": 4}}
    stepwise = replace(TYPE, goes_in_steps=True)
    found = changes(before, {"A": {"one": 1}, "Fixed": {"three": 3}}, of=stepwise)
    assert [(one.path, one.stays, one.forces_replacement) for one in found] == [
        ("A.two", True, False),
        ("Fixed.four", False, True),
    ]


def test_what_lets_others_in_stays() -> None:
    before: JsonMap = {"A": {"one": 1, "two": 2}}
    careful = replace(TYPE, left_as_is=frozenset({"A"}))
    (change,) = changes(before, {"A": {"one": 1}}, of=careful)
    assert change.stays


def test_nothing_is_told_twice() -> None:
    found = changes({"A": {"one": 1, "two": 2}, "Text": {"a": 1, "b": 2}}, {"A": {"one": 3}, "Text": {"a": 1}})
    assert [change.path for change in found] == ["A.one", "A.two", "Text"]


def test_a_setting_of_a_list_of_settings_stays_and_that_is_told() -> None:
    before = {"Settings": [{"Key": "protected", "Value": "true"}, {"Key": "idle", "Value": "60"}]}
    (change,) = changes(before, {"Settings": [{"Key": "idle", "Value": "60"}]})
    assert (change.path, change.before, change.stays) == ("Settings.protected", "true", True)


@pytest.mark.parametrize(
    ("before", "after", "shown", "told"),
    [
        (["a", "b"], ["a"], ["a", "b", "theirs"], (["a", "b"], ["a"])),
        (["a"], ["a", "b"], ["a", "theirs"], (["a"], ["a", "b"])),
        (["a", "b"], ["a"], ["a", "theirs"], None),
        (["a"], ["a", "theirs"], ["a", "theirs"], None),
    ],
)
def test_of_a_list_that_others_add_to_what_is_ours_is_compared(
    before: Json, after: Json, shown: Json, told: tuple[Json, Json] | None
) -> None:
    found = [(one.before, one.after) for one in changes({"Shared": before}, {"Shared": after}, {"Shared": shown})]
    assert found == ([told] if told else [])


def test_the_note_is_there_until_the_change_was_made() -> None:
    before: Mapping[str, Json] = {"A": {"one": 1, "two": 2}, "B": {"three": 3}}
    moving = an_object(type=TYPE.name, desired=before, attributes={"Arn": "arn", LOST: ["B.four"]})
    assert noted(moving, {**before, "A": {"one": 1}}, "") == {"Arn": "arn", LOST: ["A.two", "B.four"]}
    settled = an_object(type=TYPE.name, desired=before, attributes=moving.attributes, state="Started")
    assert noted(settled, {**before, "A": {"one": 1}}, "") == {"Arn": "arn", LOST: ["A.two"]}
    assert noted(settled, before, "") == {"Arn": "arn"}


def test_a_hidden_member_that_says_something_else_is_sent() -> None:
    before = {"Hides": [{"Type": "log-in", "Secret": "old", "Id": "a"}]}
    after = {"Hides": [{"Type": "log-in", "Secret": "new", "Id": "a"}]}
    shown = {"Hides": [{"Type": "log-in", "Id": "a"}]}
    assert changes(before, before, shown) == ()
    assert [one.path for one in changes(before, after, shown)] == ["Hides"]
    settled = an_object(type=TYPE.name, desired=before, state="Started")
    assert noted(settled, after, "") == {LOST: ["Hides"]}


def test_a_member_with_a_default_goes_back_to_it() -> None:
    found = an_object(type=TYPE.name, desired={"Kept": {"Switch": "on", "Other": 1}})
    assert with_defaults({"Kept": {"Other": 1}}, found, TYPE) == {"Kept": {"Other": 1, "Switch": "off"}}
    assert with_defaults({"Kept": {"Other": 1}}, found, TYPE, ["Kept"]) == {"Kept": {"Other": 1}}
    assert with_defaults({}, found, TYPE) == {}
