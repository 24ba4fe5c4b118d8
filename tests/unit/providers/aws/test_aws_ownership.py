"""Tags, names and tokens: whose a thing is, and how it is found again."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.errors import PermanentError
from tenuto.model.ids import Fid, LogicalId, ObjectId, TypeName
from tenuto.model.observation import Owner
from tenuto.model.outcome import Request
from tenuto.providers.aws.client import names, owner

REQUEST = Request(
    object_id=ObjectId("object-1"),
    fid=Fid("process-1"),
    process_name="web",
    logical_id=LogicalId("Vpc"),
    type=TypeName("AWS::EC2::VPC"),
    token="token-1",
    properties={"Tags": [{"Key": "Name", "Value": "front"}]},
)
KEYS = st.text("abn:", min_size=1, max_size=4) | st.sampled_from(["aws:stack", "tenuto:process", "tenuto:x"])
TAGS = st.dictionaries(KEYS, st.text("xy", max_size=2)).map(
    lambda found: [{"Key": key, "Value": value} for key, value in found.items()]
)


def test_what_is_born_with_owner_tags_tells_its_owner() -> None:
    found = owner.read_tags(owner.birth_tags(REQUEST))
    assert found.owner == Owner(fid=Fid("process-1"), logical_id=LogicalId("Vpc"), object_id=ObjectId("object-1"))
    assert found.declared == ({"Key": "Name", "Value": "front"},)


@given(present=TAGS)
def test_reserved_tags_are_neither_shown_nor_removed(present: list[dict[str, str]]) -> None:
    shown = owner.read_tags(present).declared
    assert owner.read_tags(iter(present)).declared == shown, "pages of an answer are read once"
    change = owner.tag_change({}, present)
    reserved = ("aws:", "tenuto:")
    assert not [tag for tag in shown if tag["Key"].startswith(reserved)]
    assert not [key for key in change.remove if key.startswith(reserved)]
    assert not change.put


@given(wanted=TAGS, present=TAGS)
def test_a_tag_change_leads_to_what_is_wanted(wanted: list[dict[str, str]], present: list[dict[str, str]]) -> None:
    change = owner.tag_change({"Tags": wanted}, owner.read_tags(present).declared)
    after = {tag["Key"]: tag["Value"] for tag in owner.read_tags(present).declared} | dict(change.put)
    assert {key: value for key, value in after.items() if key not in change.remove} == owner.declared_tags(
        {"Tags": wanted}
    )


@given(process=st.text(max_size=80), logical=st.text(max_size=80), limit=st.integers(20, 255))
def test_a_generated_name_fits_and_is_the_same_every_time(process: str, logical: str, limit: int) -> None:
    request = replace(REQUEST, process_name=process, logical_id=LogicalId(logical))
    name = names.generated_name(request, limit)
    assert len(name) <= limit
    assert re.fullmatch(r"[A-Za-z0-9]+(-[A-Za-z0-9]+)*", name)
    assert name == names.generated_name(request, limit)
    assert name != names.generated_name(replace(request, token="token-2"), limit)


def test_a_token_is_new_when_the_properties_are() -> None:
    token = names.client_token(REQUEST)
    assert len(token) <= 64
    assert token == names.client_token(replace(REQUEST, observed={"a": 1}))
    assert token != names.client_token(replace(REQUEST, properties={}))


def test_many_declared_tags_leave_room_for_the_one_that_says_whose_it_is() -> None:
    many = [{"Key": f"key-{number}", "Value": "x"} for number in range(49)]
    tags = owner.birth_tags(replace(REQUEST, properties={"Tags": many}))
    assert len(tags) == owner.MOST_TAGS
    assert tags[-1]["Key"] == owner.OBJECT


def test_more_tags_than_leave_room_for_ours_are_refused_before_anything_is_made() -> None:
    many = [{"Key": f"key-{number}", "Value": "x"} for number in range(50)]
    with pytest.raises(PermanentError, match="50 tags are declared"):
        owner.birth_tags(replace(REQUEST, properties={"Tags": many}))
