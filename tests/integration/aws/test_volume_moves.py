"""A data volume goes from one instance to another: it is let go of first, since it can be at one instance only."""

import json

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.compositions.documents.document import to_document
from tenuto.service.intake.composition import Submission
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import StrictWorld

ZONE = "us-east-1a"


def machine(image: str = "ami-12c6146b") -> dict[str, object]:
    properties = {"ImageId": image, "InstanceType": "t3.small", "AvailabilityZone": ZONE}
    return {"Type": "AWS::EC2::Instance", "Properties": properties}


def wish(at: str, **machines: object) -> Submission:
    """These instances, and a volume that is attached to one of them."""
    resources = machines | {
        "Data": {"Type": "AWS::EC2::Volume", "Properties": {"Size": 1, "AvailabilityZone": ZONE}},
        "Link": {
            "Type": "AWS::EC2::VolumeAttachment",
            "Properties": {"InstanceId": {"Ref": at}, "VolumeId": {"Ref": "Data"}, "Device": "/dev/sdh"},
        },
    }
    compiled = compile_text(json.dumps({"Resources": resources}), file="w.json", parameters={}, region="us-east-1")
    return Submission(document=to_document(compiled.composition), secrets={})


@pytest.mark.parametrize(
    "after",
    [
        wish("New", Old=machine(), New=machine()),
        wish("New", New=machine()),
        wish("Old", Old=machine("ami-0abcdef1234567890")),
    ],
    ids=["both stay", "the old one goes", "the instance is replaced"],
)
def test_a_volume_moves_to_another_instance_and_stays_the_same(after: Submission) -> None:
    world = StrictWorld(Cloud)
    world.system.commands.run(wish("Old", Old=machine(), New=machine()), alias="web")
    assert world.settle()
    volume = world.ids("web")["Data"]
    world.advance(600.0)
    world.system.commands.update("web", after)
    world.advance(1200.0)
    process = world.store.process("web")
    assert process is not None
    assert process.converged_at is not None, process.last_message
    assert world.ids("web")["Data"] == volume
    assert world.standing()["volume"].count(volume) == 1
