"""A bucket that writes its logs to another one waits for that, for a minute."""

import json
from pathlib import Path

import pytest
from strict_life import settled

from tenuto.model.command import ProcessState
from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import REGION, StrictWorld

LOGGED = {"BucketName": "data-of-tenuto", "LoggingConfiguration": {"DestinationBucketName": "logs-of-tenuto"}}


@pytest.fixture
def world(tmp_path: Path) -> StrictWorld:
    """A process `web` whose bucket was made and wants to log to a bucket that does not exist."""
    path = tmp_path / "web.json"
    path.write_text(json.dumps({"Resources": {"Data": {"Type": "AWS::S3::Bucket", "Properties": LOGGED}}}))
    found = StrictWorld(Cloud)
    found.run(path, "web")
    for _ in range(100):
        found.system.conductor.step()
        if any(asked.action == "PutBucketLogging" for asked in found.aws.log):
            break
        found.clock.advance(0.5)
    found.system.conductor.step()
    return found


def state(world: StrictWorld) -> ProcessState:
    return world.system.queries.process("web").process.state


def test_a_target_that_comes_a_little_later_is_waited_for(world: StrictWorld) -> None:
    assert state(world) is ProcessState.RUNNING
    world.stranger().create_client("s3", REGION).create_bucket(Bucket="logs-of-tenuto")
    settled(world)
    assert world.system.queries.plan("web").planning.plan.is_empty


def test_a_target_that_never_comes_is_told_with_the_refusal(world: StrictWorld) -> None:
    assert world.settle()
    assert state(world) is ProcessState.SUSPENDED
    job = world.system.queries.process("web").process.last_job
    assert job is not None
    assert "InvalidTargetBucketForLogging" in job.message
