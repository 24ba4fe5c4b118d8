"""Many instances are terminated by one call, and what comes of it is told of each."""

from dataclasses import replace

import pytest
from scripted_endpoint import answer, refusal
from scripted_world import HERE, World, a_request

from tenuto.model.ids import ObjectId
from tenuto.model.outcome import Pending, Refused


@pytest.mark.parametrize(("code", "calls"), [("RequestLimitExceeded", 1), ("OperationNotPermitted", 4)])
def test_only_a_refusal_of_some_instances_splits_a_termination(world: World, code: str, calls: int) -> None:
    """A throttled call for a thousand must not be followed by a thousand calls."""
    ids = ["i-1", "i-2", "i-3"]
    item = "<item><instanceId>{}</instanceId><instanceState><name>running</name></instanceState></item>"
    found = "".join(item.format(one) for one in ids)
    found = f"<reservationSet><item><instancesSet>{found}</instancesSet></item></reservationSet>"
    world.endpoint.scripts |= {
        "DescribeInstances": [answer("DescribeInstances", found)],
        "TerminateInstances": [refusal(code)] * calls,
    }
    requests = [replace(a_request("AWS::EC2::Instance", {}, one), object_id=ObjectId(one)) for one in ids]
    outcomes = world.provider.delete(HERE, requests)
    assert len(world.endpoint.asked("TerminateInstances")) == calls
    assert {code} == {outcome.code for outcome in outcomes if isinstance(outcome, Pending | Refused)}
    assert len(outcomes) == len(ids)
