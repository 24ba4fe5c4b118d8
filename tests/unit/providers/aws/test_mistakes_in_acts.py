"""A mistake in a block ends the one act that meets it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tenuto.errors import StoreError
from tenuto.model.ids import LogicalId, ObjectId, PhysicalId, TypeName
from tenuto.model.outcome import Done, Outcome, Pending, Refused, Request
from tenuto.providers.aws.bulk import each
from tenuto.providers.aws.client.client import AccountClient
from tenuto.providers.aws.kind import AwsType, Work
from tenuto.providers.aws.outcomes import Patience


def request(name: str) -> Request:
    return Request(
        object_id=ObjectId(name),
        fid=None,
        process_name="p",
        logical_id=LogicalId(name),
        type=TypeName("AWS::SQS::Queue"),
        token="",
        properties={},
    )


class OneByOne:
    """A client that answers everything, and makes no haste."""

    clock = SimpleNamespace(now=lambda: 0.0)

    def each(self, function: Callable[[Request], Outcome], items: Sequence[Request]) -> list[Outcome]:
        return [function(item) for item in items]

    def change(self, *_: Any, **__: Any) -> dict[str, Any]:
        return {}


def outcomes(act: Callable[[Work], Outcome]) -> list[Outcome]:
    client = cast(AccountClient, OneByOne())
    return each(client, cast(AwsType, None), [request("one"), request("two"), request("three")], act, Patience())


@pytest.mark.parametrize("error", [TypeError("no"), KeyError("Id"), AttributeError("x"), ValueError("y")])
def test_only_the_act_that_meets_a_mistake_fails(error: Exception) -> None:
    def act(work: Work) -> Outcome:
        if work.request.logical_id == "two":
            raise error
        return Done(physical_id=PhysicalId("made"))

    one, two, three = outcomes(act)
    assert (one, three) == (Done(physical_id=PhysicalId("made")), Done(physical_id=PhysicalId("made")))
    assert isinstance(two, Refused)
    assert "AWS::SQS::Queue" in two.message
    assert repr(error) in two.message


def test_an_act_that_had_sent_something_is_looked_up_before_it_is_tried_again() -> None:
    def act(work: Work) -> Outcome:
        work.change("sqs", "CreateQueue")
        raise TypeError("no")

    for one in outcomes(act):
        assert isinstance(one, Pending)
        assert not one.is_undone


def test_a_change_that_had_sent_something_waits_for_a_person_and_not_for_a_holder() -> None:
    def act(work: Work) -> Outcome:
        work.change("sqs", "SetQueueAttributes")
        raise TypeError("no")

    client = cast(AccountClient, OneByOne())
    known = replace(request("one"), physical_id=PhysicalId("made"))
    [one] = each(client, cast(AwsType, None), [known], act, Patience())
    assert isinstance(one, Refused)


def test_an_error_of_the_store_is_of_the_whole_run() -> None:
    def act(work: Work) -> Outcome:
        raise StoreError("the disk is full")

    with pytest.raises(StoreError):
        outcomes(act)
