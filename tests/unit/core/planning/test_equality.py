"""When two property values mean the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.core.planning.equality.values import means_same
from tenuto.model.ids import Json, JsonMap
from tenuto.model.resource import Comparison
from tenuto.model.spelling import Merged, Spelling, Words
from tenuto.providers.aws.comparisons import POLICY, PROTOCOL

SPEED = Words(absent="Suspended")
TIER = Words(choice=frozenset({"Intelligent-Tiering"}))

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_every_value_means_the_same_as_itself(value: Json) -> None:
    assert means_same(value, value, {})


@given(st.lists(json_values, max_size=4), st.randoms())
def test_a_set_has_no_order(values: list[Json], chance: object) -> None:
    shuffled = list(values)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert means_same(values, shuffled, {"Tags": Comparison.SET}, "Tags")


@pytest.mark.parametrize(
    ("desired", "observed", "rule"),
    [
        ("true", True, None),
        ("100", 100, None),
        (1.0, "1", None),
        (False, None, None),
        ([], None, None),
        (None, {"OnFailure": {}, "OnSuccess": []}, None),
        ({"a": 1}, {"a": 1, "b": 2}, None),
        ("10.0.0.5/24", "10.0.0.0/24", Comparison.CIDR),
        ("ENABLED", "Enabled", Comparison.FOLDED),
        ("6", "tcp", PROTOCOL),
        ("-1", -1, PROTOCOL),
        ("all", "-1", PROTOCOL),
        (80, None, Comparison.SHOWN),
        ("Suspended", None, SPEED),
        ({"Switch": False, "More": {"Names": []}}, None, None),
        ("Standard", None, TIER),
        ("Intelligent-Tiering", "Advanced", TIER),
        ('{"a": [1], "b": {}}', {"b": {}, "a": [1]}, None),
        ("2030-01-01T00:00:00.000Z", "2030-01-01T00:00:00Z", Comparison.MOMENT),
        ([2], [1, 2], Comparison.MEMBERS),
        (
            {"Statement": {"Action": "s3:*", "Principal": {"AWS": "123456789012"}}},
            '{"Statement": [{"Action": ["s3:*"], "Principal": {"AWS": "arn:aws:iam::123456789012:root"}}]}',
            POLICY,
        ),
        ({"Principal": "*"}, {"Principal": {"AWS": ["*"]}}, POLICY),
    ],
)
def test_these_mean_the_same(desired: Json, observed: Json, rule: Comparison | None) -> None:
    assert means_same(desired, observed, {"P": rule} if rule else {}, "P")


@pytest.mark.parametrize(
    ("desired", "observed", "rule"),
    [
        ("a", "b", None),
        (True, None, None),
        (None, {"OnFailure": {"Destination": "a"}}, None),
        (None, False, None),
        ({"a": 1}, {"b": 1}, None),
        ('{"a": [1]}', {"a": [1], "c": 2}, None),
        ('{"a": [1], "b": {}}', {"a": [1]}, None),
        ([1, 2], [2, 1], None),
        ([1], [1, 2], Comparison.SET),
        ([1, 3], [1, 2], Comparison.MEMBERS),
        ("10.0.0.0/24", "10.0.1.0/24", Comparison.CIDR),
        ("Standard", "Advanced", TIER),
        ("2030-01-01T00:00:00.100Z", "2030-01-01T00:00:00Z", Comparison.MOMENT),
        ({"Action": "s3:*"}, {"Action": "s3:Get*"}, POLICY),
        ({"Principal": "*"}, {"Principal": {"Service": "*"}}, POLICY),
        ({"Principal": "*"}, {"Principal": {"AWS": "*", "Service": "s3.amazonaws.com"}}, POLICY),
        ({"Action": "s3:*"}, {"Action": "s3:*", "Condition": {}}, POLICY),
    ],
)
def test_these_do_not(desired: Json, observed: Json, rule: Comparison | None) -> None:
    assert not means_same(desired, observed, {"P": rule} if rule else {}, "P")


def test_members_of_a_set_are_compared_by_their_declared_keys() -> None:
    rules = {"Rules": Comparison.SET, "Rules.CidrIp": Comparison.CIDR}
    declared = [{"CidrIp": "10.0.0.9/8"}]
    assert means_same(declared, [{"CidrIp": "10.0.0.0/8", "Description": None}], rules, "Rules")
    assert not means_same(declared, [{"CidrIp": "10.0.0.0/8"}, {"CidrIp": "0.0.0.0/0"}], rules, "Rules")


def test_a_variable_without_a_value_may_be_dropped() -> None:
    rules = {"Environment": Comparison.VARIABLES}
    stage, bucket = {"Name": "STAGE", "Value": "dev"}, {"Name": "BUCKET", "Value": ""}
    assert means_same([stage, bucket], [stage], rules, "Environment")
    assert means_same([bucket, stage], [stage, bucket], rules, "Environment")
    assert means_same([bucket], None, rules, "Environment")
    assert means_same([bucket], [], rules, "Environment")
    assert not means_same([{**bucket, "Value": "b"}, stage], [stage], rules, "Environment")
    assert not means_same([stage], [{**stage, "Value": "prod"}], rules, "Environment")


def test_a_word_that_the_provider_shows_as_another_is_that_other_one() -> None:
    rules = {"AccessControl": Words(same={"BucketOwnerRead": "Private", "BucketOwnerFullControl": "Private"})}
    assert means_same("BucketOwnerRead", "Private", rules, "AccessControl")
    assert means_same("BucketOwnerFullControl", "Private", rules, "AccessControl")
    assert not means_same("PublicRead", "Private", rules, "AccessControl")


OLDER = Spelling(members={"Days": ("Expiration", "After")}, items={"Step": "Steps"})
OLD: dict[str, Json] = {"Days": 3, "Step": {"To": "b"}, "Steps": [{"To": "a"}]}
NEW: dict[str, Json] = {"Expiration": {"After": "3"}, "Steps": [{"To": "a"}, {"To": "b"}]}


@pytest.mark.parametrize(("one", "other"), [(OLD, NEW), (NEW, OLD), (OLD, OLD), (NEW, NEW)])
def test_older_words_mean_what_the_newer_ones_mean(one: Json, other: Json) -> None:
    assert means_same(one, other, {"P": OLDER}, "P")
    rules = {"P": Comparison.SET, "P[]": OLDER}
    assert means_same([one], [other], rules, "P")
    assert not means_same([one], [{**NEW, "Steps": []}], rules, "P")


def test_older_words_are_not_heard_where_newer_ones_say_something_else() -> None:
    assert not means_same({"Days": 4}, NEW, {"P": OLDER}, "P")
    assert means_same({"Days": 4, "Expiration": {"After": 3}}, {"Expiration": {"After": 3}}, {"P": OLDER}, "P")


@pytest.mark.parametrize(
    ("desired", "observed", "is_same"),
    [
        ({"Allow": {}}, {"Allow": {}}, True),
        ({"Allow": {}}, {"Block": {}}, False),
        ({"Allow": {}}, {}, False),
        ({"Allow": {}}, {"Allow": {"Header": "x"}}, True),
        ({"Allow": {"Header": "y"}}, {"Allow": {"Header": "x"}}, False),
    ],
)
def test_the_member_of_a_choice_says_something_even_when_it_is_empty(
    desired: Json, observed: Json, is_same: bool
) -> None:
    assert means_same({"P": [desired]}, {"P": [observed]}, {"P": Comparison.CHOICE}) is is_same


@pytest.mark.parametrize("shown", [{}, {"P": None}, {"P": []}])
@pytest.mark.parametrize(
    ("desired", "is_same"),
    [([{}], True), ([{}, {}], True), ([{"A": "b"}], False), ([{}, {"A": "b"}], False), ([""], False)],
)
@pytest.mark.parametrize("rule", [None, Comparison.SET, Comparison.MEMBERS])
def test_a_list_of_nothing_but_empty_mappings_is_no_list(
    desired: Json, shown: JsonMap, is_same: bool, rule: Comparison | None
) -> None:
    assert means_same({"P": desired}, shown, {"P": rule} if rule else {}) is is_same


@pytest.mark.parametrize(
    ("declared", "shown", "is_same"),
    [
        ("/~1pets~1{id}", "/pets/{id}", True),
        ("/pets/{id}", "/pets/{id}", True),
        ("/~1", "/", True),
        ("/*", "/*", True),
        ("/~1pets", "/cats", False),
        ("/~1a~0b", "/a~b", True),
    ],
)
def test_a_path_may_be_written_like_a_part_of_a_pointer(declared: str, shown: str, is_same: bool) -> None:
    rules = {"Settings": Comparison.SET, "Settings.Path": Comparison.POINTER}
    settings = [{"Settings": [{"Path": one}]} for one in (declared, shown)]
    assert means_same(*settings, rules) is is_same


@pytest.mark.parametrize(
    ("declared", "shown", "is_same"),
    [
        ({"a": {"limit": 1}}, {"a": {"limit": 1, "logs": False}}, True),
        ({"a": {"limit": 1}}, {"a": {"limit": 1}, "b": {"limit": 2}}, False),
        ({}, {"a": {"limit": 1}}, False),
        ({}, None, True),
        ({"a": {"limit": 1}}, {}, False),
    ],
)
def test_a_name_that_nobody_declared_is_one_too_many(declared: Json, shown: Json, is_same: bool) -> None:
    assert means_same(declared, shown, {"Settings": Comparison.KEYED}, "Settings") is is_same


def test_a_moment_that_a_service_cuts_off_to_the_hour_is_as_declared() -> None:
    rules = {"Expires": Comparison.HOUR}
    assert means_same(4102446600, 4102444800, rules, "Expires")
    assert means_same("4102446600", 4102444800, rules, "Expires")
    assert not means_same(4102448400, 4102444800, rules, "Expires")


@pytest.mark.parametrize(
    ("declared", "is_same"),
    [
        ([{"Path": "/", "Logs": "on"}, {"Path": "/", "Burst": 5}], True),
        ([{"Path": "/", "Burst": 9}, {"Path": "/", "Burst": 5, "Logs": "on"}], True),
        ([{"Path": "/", "Burst": 5}, {"Path": "/", "Burst": 9}], False),
        ([{"Path": "/", "Logs": "on"}, {"Path": "/a", "Burst": 5}], False),
        ([{"Path": "/", "Logs": "on"}, {"Path": "/", "Burst": {"Ref": "Open"}}], False),
    ],
)
def test_members_about_one_thing_are_one_and_the_later_one_counts(declared: list[Json], is_same: bool) -> None:
    shown = [{"Path": "/", "Logs": "on", "Burst": 5, "Cache": False}]
    rules = {"Settings": Merged(by=("Path",))}
    assert means_same(declared, shown, rules, "Settings") is is_same
    assert means_same([*shown, {"Path": "/b"}], shown, rules, "Settings") is False
