"""Many instances are terminated by one call, and what comes of it is told of each."""

from dataclasses import replace

import pytest
from scripted_endpoint import answer, refusal
from scripted_world import HERE, World, a_request

from tenuto.model.ids import ObjectId, PhysicalId
from tenuto.model.outcome import Outcome, Pending, Refused
from tenuto.providers.aws.provider import AwsProvider
from tenuto.providers.aws.rates.ledger import RateLedger
from tenuto_testing.clock import VirtualClock
from tenuto_testing.cloud import Buckets, Cloud, InProcessSession, Pace
from tenuto_testing.ops import RecordedOps


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


def test_each_instance_takes_a_token_as_on_aws_and_what_waits_for_one_is_not_sent() -> None:
    """A bucket of 100 for the instances of calls, and two a second: a tenth of AWS's, of which we take all."""
    clock = VirtualClock()
    cloud = Cloud(clock, pace=Pace())
    session = InProcessSession(cloud)
    order = {"ImageId": cloud.images[0], "InstanceType": "t3.micro", "MinCount": 150, "MaxCount": 150}
    run = session.create_client("ec2", HERE.region).run_instances(**order)["Instances"]
    instances = [PhysicalId(one["InstanceId"]) for one in run]
    cloud.buckets = Buckets(times=0.1)
    provider = AwsProvider(session=session, ops=RecordedOps(), clock=clock, ledger=RateLedger(share=0.1))

    def terminate(ids: list[PhysicalId]) -> set[str]:
        requests = [replace(a_request("AWS::EC2::Instance", {}, one), object_id=ObjectId(one)) for one in ids]
        outcomes: list[Outcome] = provider.delete(HERE, requests)
        return {outcome.message for outcome in outcomes if isinstance(outcome, Pending)}

    def sent() -> int:
        return sum(1 for one in cloud.log if one.action == "TerminateInstances")

    terminate(instances[:100])
    waiting = terminate(instances[100:])
    assert (sent(), cloud.buckets.throttled) == (1, {})
    assert ["waits: Tenuto's share" in message for message in waiting] == [True]
    clock.advance(25.0)
    terminate(instances[100:])
    assert (sent(), cloud.buckets.throttled) == (2, {})


@pytest.mark.parametrize("code", ["VcpuLimitExceeded", "UnauthorizedOperation", "InstanceLimitExceeded"])
def test_a_node_that_ec2_refuses_is_told_in_the_words_of_ec2(world: World, code: str) -> None:
    world.endpoint.scripts["RunInstances"] = [refusal(code, "no more of these")]
    wanted = {"MachineType": "t3.micro", "Image": "ami-1", "Rack": 7}
    [outcome] = world.provider.create(HERE, [a_request("Cloud.Node", wanted)])
    assert isinstance(outcome, Pending | Refused)
    assert (outcome.code, "no more of these" in outcome.message) == (code, True)
    [asked] = world.endpoint.asked("RunInstances")
    assert "Rack" not in str(asked)
