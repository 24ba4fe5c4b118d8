"""A thing of several in one place is chosen by its name: not every endpoint heeds the names that a call is given."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

import pytest

from tenuto.errors import ProviderError
from tenuto.model.ids import Json, TypeName
from tenuto.providers.aws.client.answers import faults
from tenuto.providers.aws.kind import Scope
from tenuto.providers.aws.types.catalogue import CATALOGUE


class Heedless:
    """A client whose service shows everything in the place that is asked for, whatever the names."""

    def __init__(self, answer: Mapping[str, Json]) -> None:
        self.answer = answer

    def read(self, _service: str, _operation: str, /, **_: Any) -> Mapping[str, Json]:
        return self.answer

    def each_there(self, read: Callable[[str], Any], ids: Iterable[str]) -> dict[str, Any]:
        found = {}
        for one in ids:
            try:
                found[one] = read(one)
            except ProviderError as error:
                if not faults.is_gone(error):
                    raise
        return found


@pytest.mark.parametrize(
    ("name", "place", "members", "word"),
    [
        (
            "AWS::ApplicationAutoScaling::ScalingPolicy",
            "table/a|dynamodb:table:ReadCapacityUnits|dynamodb",
            "ScalingPolicies",
            "PolicyName",
        ),
        ("AWS::AutoScaling::LifecycleHook", "group", "LifecycleHooks", "LifecycleHookName"),
    ],
)
def test_one_of_several_is_read_by_its_name(name: str, place: str, members: str, word: str) -> None:
    client = Heedless({members: [{word: "first", "PolicyARN": "arn:1"}, {word: "second", "PolicyARN": "arn:2"}]})
    ids = [f"{place}|{one}" for one in ("first", "second", "third")]
    scope = Scope(names={TypeName(name): frozenset(ids)})
    seen = CATALOGUE[TypeName(name)].source.read(cast("Any", client), scope)
    assert {item.physical_id: item.properties[word] for _, item in seen} == {ids[0]: "first", ids[1]: "second"}
