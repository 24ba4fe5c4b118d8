"""Things that are read by one list for each of their holders, and ids that are ARNs."""

from typing import Any

import pytest
from aws_sessions import open_session

from tenuto.errors import BugError, PermanentError, TransientError
from tenuto.model.account import DEFAULT_ACCOUNT, Account
from tenuto.model.ids import JsonMap, Partition, PhysicalId, TypeName
from tenuto.providers.aws.blocks.calls import Call
from tenuto.providers.aws.blocks.holders import members_of
from tenuto.providers.aws.blocks.ids import parts_in, words_in
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.client.entrance.account_session import AccountSession
from tenuto.providers.aws.rates.ledger import RateLedger
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.clock import VirtualClock
from tenuto_testing.ops import RecordedOps

HERE = Partition(account=DEFAULT_ACCOUNT, region="us-east-1")
KEY = "apis/apiId/types/typeName/resolvers/fieldName"
ARN = "arn:aws:appsync:us-east-1:123456789012:apis/a1/types/Query/resolvers/orders"
HOLDERS: dict[str, JsonMap] = {"a1/x": {"api": "a1"}, "a1/y": {"api": "a1"}, "a2/x": {"api": "a2"}}


@pytest.fixture
def client() -> AccountClient:
    return AccountClient(
        session=AccountSession(open_session(), Account(name=DEFAULT_ACCOUNT, provider="aws"), HERE.region),
        partition=HERE,
        ops=RecordedOps(),
        clock=VirtualClock(),
        ledger=RateLedger(),
    ).reading()


class Lists:
    """Lists by their holder, or their failure. Counts the questions."""

    def __init__(self, **lists: Any) -> None:
        self.lists = lists
        self.asked: list[str] = []

    def __call__(self, given: JsonMap) -> dict[str, JsonMap]:
        self.asked.append(given["api"])
        found = self.lists[given["api"]]
        if isinstance(found, Exception):
            raise found
        return {one: {"name": one} for one in found}


def test_each_holder_is_asked_once_and_what_it_lacks_is_gone(client: AccountClient) -> None:
    lists = Lists(a1=["a1/x", "a1/z"], a2=["a2/x"])
    assert [*members_of(client, HOLDERS, lists)] == ["a1/x", "a2/x"]
    assert sorted(lists.asked) == ["a1", "a2"]
    assert not client.unread


def test_what_a_holder_that_is_gone_held_is_gone(client: AccountClient) -> None:
    lists = Lists(a1=PermanentError("there is no a1", code="NotFoundException"), a2=["a2/x"])
    assert [*members_of(client, HOLDERS, lists)] == ["a2/x"]
    assert not client.unread


def test_a_list_that_is_denied_leaves_all_that_it_holds_unread(client: AccountClient) -> None:
    lists = Lists(a1=PermanentError("not authorized", code="AccessDeniedException"), a2=["a2/x"])
    assert [*members_of(client, HOLDERS, lists)] == ["a2/x"]
    assert client.unread == {"a1/x": "not authorized", "a1/y": "not authorized"}


def test_a_list_that_fails_for_another_reason_fails_the_whole(client: AccountClient) -> None:
    with pytest.raises(TransientError, match="busy"):
        members_of(client, HOLDERS, Lists(a1=["a1/x"], a2=TransientError("busy", code="ServiceUnavailable")))


def test_an_arn_is_read_as_an_id_of_several_parts() -> None:
    assert words_in(KEY) == ["apiId", "typeName", "fieldName"]
    assert parts_in(KEY, ARN) == ["a1", "Query", "orders"]
    assert Call("GetResolver").about(KEY, ARN) == {"apiId": "a1", "typeName": "Query", "fieldName": "orders"}
    assert Call("TagResource", key="resourceArn").about(KEY, ARN) == {"resourceArn": ARN}


def test_a_thing_is_asked_for_by_the_parts_of_its_arn() -> None:
    """A thing that a list lacks is asked for by its id before it counts as gone."""
    question = CATALOGUE[TypeName("AWS::AppSync::Resolver")].question
    assert question is not None
    assert question.call.operation == "GetResolver"
    assert question.about(PhysicalId(ARN)) == {"apiId": "a1", "typeName": "Query", "fieldName": "orders"}
    question = CATALOGUE[TypeName("AWS::AppSync::GraphQLApi")].question
    assert question is not None
    assert question.about(PhysicalId(ARN.partition("/types")[0])) == {"apiId": "a1"}


@pytest.mark.parametrize("other", ["a1|Query|orders", ARN.replace("/resolvers/", "/fields/"), ARN + "/more", "orders"])
def test_an_id_of_another_form_is_no_such_arn(other: str) -> None:
    assert parts_in(KEY, other) == []
    assert not Call("GetResolver").fits(KEY, other)
    with pytest.raises(BugError, match="is about apiId typeName fieldName"):
        Call("GetResolver").about(KEY, other)
