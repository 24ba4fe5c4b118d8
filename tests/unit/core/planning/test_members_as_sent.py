"""A member that was sent before may be shown in other words, also where another member of its property changes."""

import pytest

from tenuto.core.planning.comparing.changes import changes_of
from tenuto.core.planning.comparing.secrets import Desired, digest_of
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.resource import ResourceType
from tenuto.model.spelling import Retelling
from tenuto_testing.store_samples import an_object

TYPE = ResourceType(
    name=TypeName("Some::Environment"),
    provider="some",
    source="some",
    create_only=frozenset({"Net.Subnets", "Net.Born"}),
    retelling=Retelling(qualified=r"id:(?P<service>\w+):(?P<rest>.+)"),
)
NET: JsonMap = {"Subnets": ["b", "a"], "Born": True, "Groups": ["one"], "Deep": {"Key": "k", "Mode": "x"}}
SHOWN: JsonMap = {"Subnets": ["a", "b"], "Groups": ["one"], "Deep": {"Key": "id:kms:key/k", "Mode": "x"}}


def changed(wish: JsonMap, shown: JsonMap) -> dict[str, bool]:
    """The paths that change, and whether each forces a replacement, of a thing that was declared as NET."""
    before: JsonMap = {"Net": NET}
    found = an_object(type=TYPE.name, desired=before, desired_digest=digest_of(before, None))
    desired = Desired(properties={"Net": wish}, digest=digest_of({"Net": wish}, None))
    return {one.path: one.forces_replacement for one in changes_of(desired, {"Net": shown}, found, TYPE, None)}


@pytest.mark.parametrize(
    ("member", "value", "path"),
    [("Groups", ["one", "two"], "Net.Groups"), ("Deep", {"Key": "k", "Mode": "y"}, "Net.Deep.Mode")],
)
def test_a_change_of_one_member_says_nothing_of_the_others(member: str, value: Json, path: str) -> None:
    assert changed({**NET, member: value}, SHOWN) == {path: False}
    assert changed(NET, {**SHOWN, member: value}) == {path: False}


def test_a_member_that_is_declared_anew_is_compared_as_it_is() -> None:
    assert changed({**NET, "Subnets": ["b", "c"]}, SHOWN) == {"Net.Subnets": True}
    assert changed({**NET, "Deep": {"Key": "K", "Mode": "x"}}, SHOWN) == {"Net.Deep.Key": False}


def test_another_value_of_a_member_that_was_sent_is_found() -> None:
    assert changed(NET, {**SHOWN, "Subnets": ["a", "c"]}) == {"Net.Subnets": True}
    assert changed(NET, SHOWN) == {}
