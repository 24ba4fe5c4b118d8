"""A call that an endpoint does not offer: asked once, and told with the reason."""

import json

import pytest
from scripted_endpoint import refusal
from scripted_world import HERE, VPC, World, a_request

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.errors import PermanentError
from tenuto.model.ids import PhysicalId
from tenuto.model.observation import Interest
from tenuto.model.outcome import Refused
from tenuto.providers.aws.client.answers import faults
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import BOUNDLESS, Cloud, Failure, Fault
from tenuto_testing.strict_world import REGION, StrictWorld


@pytest.mark.parametrize(
    "answer",
    [
        refusal("NotImplemented", status=501),
        refusal("InternalFailure", status=501),
        refusal("InvalidAction", status=400),
        refusal("UnknownOperationException", status=404),
        (501, "<html><body>Not Implemented</body></html>"),
    ],
)
def test_a_call_that_is_not_offered_is_asked_once_and_told_as_such(world: World, answer: tuple[int, str]) -> None:
    world.endpoint.scripts["DescribeVpcs"] = [answer]
    with pytest.raises(PermanentError, match="The endpoint does not offer this call") as refused:
        world.provider.sweep(HERE, "ec2.DescribeVpcs", {VPC: {PhysicalId("vpc-1"): Interest()}})
    assert faults.is_unserved(refused.value)
    assert not faults.is_gone(refused.value)
    assert len(world.endpoint.asked("DescribeVpcs")) == 1


@pytest.mark.parametrize("code", ["NotImplemented", "UnknownOperationException"])
def test_a_change_that_is_not_offered_is_refused_with_advice(world: World, code: str) -> None:
    world.endpoint.scripts["CreateVpc"] = [refusal(code, status=501)]
    outcome = world.create(a_request())
    assert isinstance(outcome, Refused)
    assert code in outcome.message
    assert "choose a region that offers it" in outcome.hint


def waiting(world: StrictWorld) -> str:
    """The message about the one resource that waits to be seen."""
    [process] = world.store.processes()
    [found] = world.store.objects(process.fid)
    return found.phases["resource.await"].message


def test_a_resource_that_can_be_made_and_not_be_seen_says_why_it_waits() -> None:
    world = StrictWorld(lambda clock: Cloud(clock, quotas=BOUNDLESS))
    world.aws.faults.script(Fault(Failure.DENIED, "ListQueues", count=1_000_000))
    text = json.dumps({"Resources": {"Mail": {"Type": "AWS::SQS::Queue"}}})
    compiled = compile_text(text, file="mail.json", parameters={}, region=REGION)
    world.system.commands.run(Submission(document=to_document(compiled.composition), secrets={}), alias="mail")
    world.advance(60.0)
    assert "cannot observe sqs.ListQueues" in waiting(world)
    assert "not authorized to perform this operation" in waiting(world)
