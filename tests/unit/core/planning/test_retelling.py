"""Words of a provider that mean what was sent, and changes that no leniency hides."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.planning.equality.retelling import is_as_sent
from tenuto.model.ids import TypeName
from tenuto.model.resource import Comparison, ResourceType
from tenuto.model.spelling import Documents, Retelling

WORDS = Retelling(
    qualified=r"id:(?P<service>\w+):(?P<rest>.+)",
    suffix=r":\*$",
    prefixes=r"/|/\w+/|own:",
    account=r"id:people:(?P<same>\d+):all",
    keys=("Key", "Name"),
    settings=r"\w*Settings",
    latest=frozenset({"latest"}),
    nothing=frozenset({"", "false", "none"}),
    operators={"gte": "greaterthanorequal"},
    documents=Documents(),
    policies=frozenset({"Policy"}),
    ordered=r"\w*Command|Rules",
    verbatim=r"\w*Command|Environment",
    value="Value",
)
KIND = ResourceType(
    name=TypeName("Toy::Thing"),
    provider="toy",
    source="things",
    retelling=WORDS,
    create_only=frozenset({"Born", "Half.Born"}),
    compare_as={"Policy": WORDS.documents},
)
WITHIN = ResourceType(
    name=TypeName("Toy::Holder"),
    provider="toy",
    source="things",
    retelling=WORDS,
    compare_as={"Policies.In": WORDS.documents},
)
STRICT = ResourceType(name=TypeName("Toy::Thing"), provider="toy", source="things")

SAME = [
    # The case of a word, and white space that means nothing.
    ("Name", "name"),
    ({"Content-Type": "a"}, {"content-type": "a"}),
    ("one  two", "one two"),
    ("line\nmore  \n", "line\r\nmore"),
    # Numbers as texts, and in other digits.
    (5, "5"),
    (5, "5.0"),
    ("0.50", 0.5),
    (True, "true"),
    # Versions with their release, and the latest one.
    ("8.0", "8.0.45"),
    ("1.6.22", "1.6"),
    ("6.x", "6.2.6"),
    ("LATEST", "1.4.0"),
    # Names: qualified and plain, with and without the words for what they are names of.
    ("id:here:key/abc", "abc"),
    ("abc", "id:here:key/abc"),
    ("id:here:key/abc", "key/abc"),
    ("id:here:log:/a/b", "/a/b"),
    ("id:here:log:/a/b", "id:here:log:/a/b:*"),
    ("here:/*", "id:here:there/*"),
    ("Z12", "/zone/Z12"),
    ("tenant", "own:tenant"),
    ("id:people:12:all", "12"),
    # Lists in another order, without repetitions, as one text, and with settings that the provider adds.
    (["a", "b"], ["b", "a"]),
    (["a", "a"], ["a"]),
    ("a,b", "b, a"),
    ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": "2", "more": 1}, {"b": "1"}]}),
    # Documents.
    ('{"a": 1, "b": [2]}', '{ "b": ["2"], "a":1.0}'),
    ({"a": {"b": 1}}, {"a": '{"b": 1}'}),
    ('{"Policy": [{"Do": ["x", "y"]}]}', '{"Policy": {"Do": ["y", "x"]}}'),
    ({"Number": {"Gte": 4}}, {"Number": {"GreaterThanOrEqual": 4}}),
    # What is not shown.
    ([], None),
    (False, None),
    ({"a": {"b": False, "c": "NONE"}}, None),
    ({"a": {"b": False}}, {"a": {}}),
    # Names of the net.
    ("example.com", "example.com."),
    ("*.example.com", "\\052.example.com."),
    ("https://example.com", "example.com"),
    ("https://example.com/a", "https://example.com/a/"),
    ("10.1.2.3/16", "10.1.0.0/16"),
    ("10.0.0.1", "10.0.0.1/32"),
    ("2001:DB8::/32", "2001:db8:0:0::/32"),
    # Moments.
    ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"),
    ("2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00Z"),
    ("2026-01-01T00:00:00Z", 1767225600),
    (1784632175, 1784631600),
    # Texts in other letters.
    ("hello world", "aGVsbG8gd29ybGQ="),
    ("aGVsbG8g\nd29ybGQ=", "aGVsbG8gd29ybGQ="),
    ("caf\u00e9", "caf?"),
]
OTHER: list[tuple[Any, Any]] = [
    ("a", "b"),
    ("a", None),
    (1, None),
    # A limit of 0 switches a thing off.
    (0, None),
    (0.0, None),
    ("0", None),
    ({"a": {"b": 0}}, {"a": {}}),
    (True, None),
    (1, 1.5),
    (1, "1.5"),
    ("1", "1.5"),
    ("8.0", "8.1.2"),
    ("8.0", "8.01.2"),
    ("LATEST", "newest"),
    ("id:here:key/abc", "abd"),
    ("id:here:key/abc", "id:there:key/abc"),
    ("id:here:key/abc", "xabc"),
    ("id:here:mine/*", "id:here:theirs/*"),
    ("id:here:mine/*", "*"),
    ("here:/*", "id:there:this/*"),
    ("id:people:12:all", "13"),
    ("abc", "/evil/deep/abc"),
    (["a"], ["a", "b"]),
    (["a", "a"], ["a", "b"]),
    (["a", "b"], ["a"]),
    ("a,b", "a,b,c"),
    ([{"Port": 1}], [{"Port": 1}, {"Port": 22}]),
    ([{"Key": "a", "Value": "1"}], [{"Key": "a", "Value": "2"}]),
    ([{"Key": "a", "Value": "1"}], [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]),
    ({"a": 1}, {"b": 1}),
    ({"a": {"b": 1}}, {"a": {}}),
    ("word", ["word"]),
    ({"a": 1}, "text"),
    # Everything counts in a document: members that come and go, also such as say nothing elsewhere, and the order.
    ('{"a": 1}', '{"a": 1, "b": 2}'),
    ('{"a": 1, "b": false}', '{"a": 1}'),
    ('{"a": ["x", "y"]}', '{"a": ["y", "x"]}'),
    ('{"a": ["x"]}', '{"a": ["X"]}'),
    ('{"a": {"b": 1}}', {"a": {"b": 1, "c": 2}}),
    ({"a": {"b": 1}}, {"a": '{"b": 1, "c": 2}'}),
    ({"a": {"b": 1, "c": False}}, {"a": '{"b": 1}'}),
    ('[{"a": 1}]', '[{"a": 1, "b": 2}]'),
    ('{"Policy": {"Who": {"One": "x"}}}', '{"Policy": {"Who": {"One": "x", "Two": "*"}}}'),
    ({"Number": {"Gte": 4}}, {"Number": {"Gte": 5}}),
    ({"Number": {"Gte": 4}}, {"Number": {"Lte": 4}}),
    ("example.com", "example.org."),
    ("https://example.com", "http://example.com"),
    ("10.1.0.0/16", "10.1.0.0/17"),
    ("10.0.0.1", "10.0.0.2/32"),
    ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"),
    (1784632175, 1784635200),
    (1784632175, 1784631601),
    (65, 60),
    ("hello world", "aGVsbG8gd29ybGE="),
    ("cafe", "caf?"),
    (",", "\t"),
]


@pytest.mark.parametrize(("sent", "shown"), SAME)
def test_other_words_for_what_was_sent_are_as_sent(sent: Any, shown: Any) -> None:
    assert is_as_sent(sent, shown, KIND, "P")


@pytest.mark.parametrize(("sent", "shown"), OTHER)
def test_another_value_is_never_as_sent(sent: Any, shown: Any) -> None:
    assert not is_as_sent(sent, shown, KIND, "P")


def test_a_member_of_a_choice_that_is_not_shown_is_another_value() -> None:
    kind = ResourceType(
        name=TypeName("Toy::Thing"),
        provider="toy",
        source="things",
        retelling=WORDS,
        compare_as={"P": Comparison.CHOICE},
    )
    assert is_as_sent({"Allow": {}}, {"allow": {}}, kind, "P")
    assert not is_as_sent({"Allow": {}}, {"block": {}}, kind, "P")


OWN = ResourceType(
    name=TypeName("Toy::Program"),
    provider="toy",
    source="things",
    retelling=WORDS,
    compare_as={
        "Variables.All": Documents(),
        "MoreSettings": Documents(),
        "SetRules": Comparison.SET,
        "Features": Comparison.MEMBERS,
    },
)


@pytest.mark.parametrize(
    ("path", "sent", "shown"),
    [
        # A name more, a value that says nothing, a name that is part of another one: all are a person's own.
        ("Variables.All", {"a": "x"}, {"a": "x", "b": "y"}),
        ("Variables.All", {"a": "x", "on": "0"}, {"a": "x"}),
        ("Variables.All", {"a": "x"}, {"A": "x"}),
        ("Variables.All", {"a": "admin"}, {"a": "id:here:admin"}),
        ("Variables.All", {"a": "Prod"}, {"a": "prod"}),
        ("Variables", {"All": {"on": "off"}}, None),
        ("Environment", [{"Name": "a", "Value": "admin"}], [{"Name": "a", "Value": "id:here:admin"}]),
        ("Environment", [{"Name": "a", "Value": "1"}], [{"Name": "a", "Value": "1.0"}]),
        ("RunCommand", ["serve", "All"], ["All", "serve"]),
        ("RunCommand", ["Serve"], ["serve"]),
        ("RunCommand", ["a", "a"], ["a"]),
        ("Rules", [{"For": "/admin"}, {"For": "/*"}], [{"For": "/*"}, {"For": "/admin"}]),
        ("Greeting", "Hello my friend", "Hello My friend"),
    ],
)
def test_a_change_of_a_persons_own_texts_or_of_an_order_is_seen(path: str, sent: Any, shown: Any) -> None:
    assert not is_as_sent(sent, shown, OWN, path)


@pytest.mark.parametrize(
    ("path", "sent", "shown"),
    [
        ("Variables.All", {"a": 1, "b": "y"}, {"b": "y", "a": "1"}),
        ("Variables", {"All": {}}, None),
        ("MoreSettings", {"a": "1"}, {"a": "1", "b": "2"}),
        ("Environment", [{"Name": "a", "Value": "1"}, {"Name": "b"}], [{"Name": "b"}, {"Name": "a", "Value": "1"}]),
        ("Environment", [{"Name": "a", "Value": "1"}], [{"Name": "a", "Value": "1", "Kind": "Plain"}]),
        ("SetRules", ["a", "b"], ["b", "a"]),
        ("Greeting", "Hello my friend", "hello my friend"),
        # A list to which the service adds.
        ("Features", [{"Is": "On"}], [{"Is": "ON"}, {"Is": "OFF"}]),
    ],
)
def test_a_persons_own_texts_are_as_sent_where_they_are(path: str, sent: Any, shown: Any) -> None:
    assert is_as_sent(sent, shown, OWN, path)


@pytest.mark.parametrize(("sent", "shown"), [("7.1", "7.10"), ("7.10", "7.1"), (7.1, "7.10"), ("1.3", "1.30")])
def test_versions_are_no_numbers(sent: Any, shown: Any) -> None:
    assert not is_as_sent(sent, shown, OWN, "EngineVersion")
    assert is_as_sent(sent, shown, OWN, "Share")


def test_a_list_of_settings_may_show_more_of_them_and_no_other_values() -> None:
    sent = [{"Key": "a", "Value": "1"}]
    assert is_as_sent(sent, [{"Key": "b", "Value": "2"}, {"Key": "a", "Value": "1"}], KIND, "MoreSettings")
    assert not is_as_sent(sent, [{"Key": "b", "Value": "2"}, {"Key": "a", "Value": "3"}], KIND, "MoreSettings")
    assert not is_as_sent(["a"], ["a", "b"], KIND, "MoreSettings")


def test_a_member_with_less_in_it_leaves_the_partner_of_one_with_more() -> None:
    less, more = {"a": 1}, {"a": 1, "aa": 1}
    assert is_as_sent([less, more], [more, less], KIND, "P")
    assert is_as_sent([more, less], [more, less], KIND, "P")
    assert not is_as_sent([less, more], [less, less], KIND, "P")


def test_members_of_which_neither_holds_the_other_find_their_partners() -> None:
    shown = [{"a": 1, "b": 2}, {"a": 1, "c": 3}]
    assert is_as_sent([{"a": 1}, {"b": 2}], shown, KIND, "List")
    assert not is_as_sent([{"a": 1}, {"d": 2}], shown, KIND, "List")


def test_a_text_with_one_point_is_a_version_by_the_name_of_its_property_alone() -> None:
    assert is_as_sent("13", "13.4", KIND, "EngineVersion")
    assert not is_as_sent("13", "13.4", KIND, "Threshold")
    assert not is_as_sent("13", "14.4", KIND, "EngineVersion")


def test_what_is_settled_at_creation_and_not_shown_is_as_sent() -> None:
    assert is_as_sent("a", None, KIND, "Born")
    assert is_as_sent({"Born": "a"}, {}, KIND, "Half")
    assert not is_as_sent("a", "b", KIND, "Born")
    assert not is_as_sent({"Other": "a"}, {}, KIND, "Half")


POLICY = {"S": [{"Who": {"One": ["x", "y"]}, "Do": ["z"]}]}


@pytest.mark.parametrize(
    "shown",
    [
        {"S": [{"Who": {"One": ["x", "y"], "Two": "*"}, "Do": ["z"]}]},
        {"S": [{"Who": {"One": ["x", "y"]}, "Do": ["z"], "When": {"Late": "true"}}]},
        {"S": [{"Who": {"One": ["x", "y"]}, "Do": ["z"], "When": {}}]},
        {"S": [{"Who": {"One": ["x"]}, "Do": ["z"]}]},
        {"S": [{"Who": {"One": ["x", "y"]}, "Do": ["Z"]}]},
        {"S": [{"Who": {"One": ["x", "id:here:y"]}, "Do": ["z"]}]},
        {**POLICY, "More": False},
        None,
    ],
)
def test_everything_counts_in_a_document_by_rule(shown: Any) -> None:
    assert is_as_sent(POLICY, {"S": {"Who": {"One": ["y", "x"]}, "Do": "z"}}, KIND, "Policy")
    assert is_as_sent(POLICY, '{"S": {"Who": {"One": ["y", "x"]}, "Do": "z"}}', KIND, "Policy")
    assert not is_as_sent(POLICY, shown, KIND, "Policy")
    assert not is_as_sent({"In": POLICY}, {"In": shown}, WITHIN, "Policies")


def test_a_document_that_says_nothing_elsewhere_is_missed_where_it_is_not_shown() -> None:
    assert not is_as_sent({"a": False, "b": {"c": "none"}}, None, KIND, "Policy")
    assert not is_as_sent({"In": {"a": False}}, {}, WITHIN, "Policies")
    assert not is_as_sent({"In": {"a": False}}, None, WITHIN, "Policies")
    assert is_as_sent({}, None, KIND, "Policy")


def test_a_type_whose_words_are_known_retells_nothing() -> None:
    assert not is_as_sent("Name", "name", STRICT, "P")


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
    is_same = sorted(one) == sorted(other) or sorted(set(one)) == sorted(other)
    assert is_as_sent(one, other, KIND, "P") == is_same


_WORDS = st.text("abcdefg", min_size=1, max_size=4)
_LEAVES = st.one_of(
    st.integers(1, 50),
    st.booleans(),
    _WORDS,
    _WORDS.map(lambda word: f"id:here:thing/{word}"),
    st.integers(1, 9).map(lambda number: f"7.{number}.3"),
    st.integers(0, 9).map(lambda number: f"10.{number}.0.0/16"),
    _WORDS.map(lambda word: f"{word}.example.com"),
)
_DOCUMENTS = st.recursive(
    _LEAVES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3, unique_by=repr) | st.dictionaries(_WORDS, inner, min_size=1, max_size=3)
    ),
    max_leaves=6,
)


def retold(value: Any, draw: Any) -> Any:
    """The value as a service may show it: each part in some other form of the same, or as its own text in JSON."""
    if isinstance(value, dict):
        if draw(st.booleans()):
            return json.dumps(value)
        more = {"Added": draw(st.integers(0, 3))} if draw(st.booleans()) else {}
        return {name: retold(one, draw) for name, one in value.items()} | more
    if isinstance(value, list):
        return draw(st.permutations([retold(one, draw) for one in value]))
    if isinstance(value, bool | int | float):
        return draw(st.sampled_from([value, str(value)]))
    if value.startswith("id:"):
        return draw(st.sampled_from([value, value.rpartition("/")[2], value.upper()]))
    if value.startswith("7."):
        return draw(st.sampled_from([value, value.removesuffix(".3"), f"{value}.1"]))
    if value.startswith("10."):
        return value.replace(".0.0/", ".3.7/") if draw(st.booleans()) else value
    return f"{value}." if "." in value and draw(st.booleans()) else value.upper()


def changed(value: Any, draw: Any) -> Any:
    """The value with one true change in it."""
    if isinstance(value, dict):
        name = draw(st.sampled_from(sorted(value)))
        return {**value, name: changed(value[name], draw)}
    if isinstance(value, list):
        at = draw(st.integers(0, len(value) - 1))
        kind = draw(st.sampled_from(["less", "more", "other"]))
        if kind == "other":
            return [*value[:at], changed(value[at], draw), *value[at + 1 :]]
        return [*value, "zzz"] if kind == "more" else [*value[:at], *value[at + 1 :]]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw(st.sampled_from([100, 0.5]))
    if value.startswith("id:"):
        return f"{value}z"
    return draw(st.sampled_from([f"z{value}", f"{value}z"]))


@given(st.data())
def test_a_value_in_any_mixture_of_other_forms_is_as_sent(data: st.DataObject) -> None:
    sent = data.draw(_DOCUMENTS)
    assert is_as_sent(sent, retold(sent, data.draw), KIND, "P")


@given(st.data())
def test_one_true_change_among_any_mixture_of_other_forms_is_found(data: st.DataObject) -> None:
    sent = data.draw(_DOCUMENTS)
    other = changed(sent, data.draw)
    assert not is_as_sent(sent, retold(other, data.draw), KIND, "P")
