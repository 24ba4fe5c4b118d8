"""Changes through Cloud Control that overtake each other end as the last one declares, after any pause."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tenuto.model.command import ProcessState
from tenuto_testing.cloud import Cloud, Failure, Fault
from tenuto_testing.cloud.pace import Pace
from tenuto_testing.strict_world import StrictWorld

HANDLER_S = 60.0


@pytest.fixture
def world() -> StrictWorld:
    return StrictWorld(lambda clock: Cloud(clock, pace=Pace(handler_s=HANDLER_S)))


def canary(tmp_path: Path, version: int, key: str) -> Path:
    """The composition of a canary: `version` is shown by AWS, `key` never is."""
    properties = {
        "Name": "code",
        "ExecutionRoleArn": "arn:aws:iam::123456789012:role/runs",
        "RuntimeVersion": f"syn-python-selenium-5.{version}",
        "Schedule": {"Expression": "rate(1 hour)"},
        "ArtifactS3Location": "s3://records/visits",
        "Code": {"Handler": "visit.run", "S3Bucket": "code", "S3Key": key},
    }
    path = tmp_path / "web.json"
    path.write_text(json.dumps({"Resources": {"Code": {"Type": "AWS::Synthetics::Canary", "Properties": properties}}}))
    return path


def standing(world: StrictWorld) -> tuple[int, str]:
    """The version and the key of the canary in the account, also what AWS shows to no client."""
    world.aws.catch_up()
    [thing] = [
        one
        for table in world.aws.place("123456789012", "us-east-1").tables()
        for one in table.things.values()
        if one.id == "code"
    ]
    model: dict[str, Any] = thing.data["Model"]
    return int(model["RuntimeVersion"].rpartition(".")[2]), model["Code"]["S3Key"]


def is_running(world: StrictWorld) -> bool:
    process = world.store.process("web")
    assert process is not None
    return process.state is ProcessState.RUNNING


def drawn(seed: int, longest: float) -> float:
    """A pause between a second and the longest in powers of ten."""
    return float(10.0 ** random.Random(seed).uniform(0.0, longest))


@pytest.mark.parametrize("seed", range(8))
def test_a_change_of_a_thing_that_is_being_changed_waits_and_is_in_effect_in_the_end(
    world: StrictWorld, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    world.run(canary(tmp_path, 1, "first"), "web")
    assert world.settle()
    wish = (1, "first")
    for number in range(3):
        wish = (chance.choice([1, 2, 3]), chance.choice(["first", "second"]))
        if chance.random() < 0.3:
            world.aws.faults.script(Fault(Failure.LOST, "UpdateResource"))
        world.update(canary(tmp_path, *wish), "web")
        world.advance(drawn(seed * 10 + number, 1.9))
    world.settle()
    world.advance(drawn(seed, 5.0))
    assert world.settle()
    assert is_running(world)
    assert standing(world)[0] == wish[0]


@pytest.mark.parametrize("second", [(3, "second"), (1, "second"), (1, "first"), (2, "third")])
@pytest.mark.parametrize("pause_s", [1.0, 20.0, 55.0, 70.0])
def test_a_hidden_value_that_overtakes_another_one_is_sent_when_that_has_ended(
    world: StrictWorld, tmp_path: Path, second: tuple[int, str], pause_s: float
) -> None:
    world.run(canary(tmp_path, 1, "first"), "web")
    assert world.settle()
    world.update(canary(tmp_path, 2, "later"), "web")
    world.advance(pause_s)
    world.update(canary(tmp_path, *second), "web")
    assert world.settle()
    world.advance(600)
    assert is_running(world)
    assert standing(world) == second


@pytest.mark.parametrize("pause_s", [1.0, 20.0, 55.0])
def test_a_hidden_value_that_changes_while_its_thing_is_made_is_sent_afterwards(
    world: StrictWorld, tmp_path: Path, pause_s: float
) -> None:
    world.run(canary(tmp_path, 1, "first"), "web")
    world.advance(pause_s)
    world.update(canary(tmp_path, 1, "second"), "web")
    assert world.settle()
    assert standing(world) == (1, "second")
