"""A change of Route 53 is done when all servers have it; names and keys of records have one form."""

from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenuto.errors import PermanentError
from tenuto.model.ids import Json, JsonMap, LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.outcome import Done, Outcome, Pending, Request
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import Work
from tenuto.providers.aws.types.route53_changes import in_effect, settled
from tenuto.providers.aws.types.route53_names import plain_name, shown_name
from tenuto.providers.aws.types.route53_record_set import RECORD_SET
from tenuto.providers.aws.types.route53_records import Key, group_id_of, id_of, key_in, keys_in

NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=".\\"), min_size=1, max_size=9)
KEYS = st.builds(
    Key, NAMES.map(plain_name), st.sampled_from(["A", "TXT"]), st.text(st.characters(codec="ascii"), max_size=9)
)


class ChangeClient:
    """A client that knows one change, or none."""

    def __init__(self, status: str) -> None:
        self.status = status

    def ask(self, service: str, operation: str, **given: Json) -> JsonMap:
        assert (service, operation, given) == ("route53", "GetChange", {"Id": "C1"})
        if not self.status:
            raise PermanentError("no such change", code="ResourceNotFound")
        return {"ChangeInfo": {"Id": "/change/C1", "Status": self.status}}


def work(status: str, progress: JsonMap) -> Work:
    request = Request(
        object_id=ObjectId("o"),
        fid=None,
        process_name="web",
        logical_id=LogicalId("Name"),
        type=TypeName("AWS::Route53::RecordSet"),
        token="o",
        properties={},
        progress=progress,
    )
    return Work(client=cast(AccountClient, ChangeClient(status)), request=request, type=RECORD_SET)


def made(one: Work) -> Outcome:
    done = Done(physical_id=PhysicalId("a|Z|A"), attributes={"Ref": "a"})
    return settled({"Id": "/change/C1", "Status": "PENDING"}, done)


def test_an_act_sleeps_until_its_change_is_in_effect() -> None:
    act = in_effect(made)
    first = act(work("PENDING", {}))
    assert isinstance(first, Pending)
    again = act(work("PENDING", first.progress))
    assert isinstance(again, Pending)
    assert again.progress == first.progress
    assert again.physical_id is None
    last = act(work("INSYNC", again.progress))
    assert last == Done(physical_id=PhysicalId("a|Z|A"), attributes={"Ref": "a"})


def test_a_change_that_is_not_known_any_more_is_in_effect() -> None:
    first = in_effect(made)(work("PENDING", {}))
    assert isinstance(first, Pending)
    assert isinstance(in_effect(made)(work("", first.progress)), Done)


def test_an_act_without_a_change_under_way_is_carried_out() -> None:
    one = work("INSYNC", {})
    assert isinstance(in_effect(lambda _: Done())(replace(one)), Done)


@pytest.mark.parametrize(
    ("declared", "shown"),
    [("*.Example.com", "\\052.example.com."), ("example.com.", "example.com"), ("a_b.example.com", "a_b.Example.COM.")],
)
def test_names_are_paired_without_their_last_dot_and_escapes(declared: str, shown: str) -> None:
    assert plain_name(declared) == plain_name(shown)
    assert "\\" not in shown_name(shown)


@given(zone=st.sampled_from(["Z1", "Z2"]), keys=st.lists(KEYS, min_size=1, max_size=4))
def test_the_id_of_a_group_says_which_records_it_has(zone: str, keys: list[Key]) -> None:
    assert keys_in(group_id_of(zone, keys)) == (zone, sorted(set(keys)))


@given(zone=st.sampled_from(["Z1", "Z2"]), key=KEYS)
def test_the_id_of_a_record_says_which_it_is(zone: str, key: Key) -> None:
    found: Any = key_in(id_of(zone, key))
    assert found == (zone, key)
