"""Some members of a list are settled at the creation of a thing: those that other properties of it name."""

import pytest

from tenuto.core.planning.comparing.changes import changes_of
from tenuto.core.planning.comparing.secrets import Desired, digest_of
from tenuto.model.ids import Json, JsonMap, TypeName
from tenuto.model.resource import Comparison, ResourceType, SettledMembers
from tenuto_testing.store_samples import an_object

TYPE = ResourceType(
    name=TypeName("Some::Table"),
    provider="some",
    source="some",
    settled_members={"Columns": SettledMembers(key="Name", named_in=("Key.Name", "Indexes.Key.Name"))},
    compare_as={"Columns": Comparison.MEMBERS},
)
TABLE: JsonMap = {"Key": [{"Name": "id"}], "Indexes": [{"Key": [{"Name": "of"}]}], "Loose": [{"Key": {"Name": "at"}}]}


def columns(**kinds: str) -> list[Json]:
    return [{"Name": name, "Kind": kind} for name, kind in kinds.items()]


@pytest.mark.parametrize(
    ("after", "forces"),
    [
        ({"id": "N", "of": "S", "at": "S"}, True),
        ({"id": "S", "of": "N", "at": "S"}, True),
        ({"id": "S", "of": "S", "at": "N"}, False),
        ({"id": "S", "of": "S", "at": "S", "new": "S"}, False),
    ],
)
def test_only_another_value_of_a_member_that_is_named_forces_a_replacement(
    after: dict[str, str], *, forces: bool
) -> None:
    before: JsonMap = {**TABLE, "Columns": columns(id="S", of="S", at="S")}
    found = an_object(type=TYPE.name, desired=before, desired_digest=digest_of(before, None))
    wish: JsonMap = {**TABLE, "Columns": columns(**after)}
    desired = Desired(properties=wish, digest=digest_of(wish, None))
    (change,) = changes_of(desired, before, found, TYPE, None)
    assert (change.path, change.forces_replacement) == ("Columns", forces)
