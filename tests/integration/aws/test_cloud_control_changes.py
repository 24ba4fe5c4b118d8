"""Changes through Cloud Control that overtake each other end as the last one declares, after any pause."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tenuto.model.command import ProcessState
from tenuto_testing.cloud import Cloud, Failure, Fault
from tenuto_testing.cloud.families.cloud_control import Stumble
from tenuto_testing.cloud.pace import Pace
from tenuto_testing.strict_world import StrictWorld, submission

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


def told(world: StrictWorld) -> tuple[ProcessState, str]:
    process = world.store.process("web")
    assert process is not None
    return process.state, process.last_message


def composition(tmp_path: Path, **resources: Any) -> Path:
    path = tmp_path / "web.json"
    path.write_text(json.dumps({"Resources": resources}))
    return path


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


@pytest.mark.parametrize("is_drift", [True, False])
@pytest.mark.parametrize("pause_s", [2.0, 20.0, 50.0])
def test_a_thing_that_is_deleted_by_hand_during_its_change_is_made_anew(
    world: StrictWorld, tmp_path: Path, is_drift: bool, pause_s: float
) -> None:
    world.run(canary(tmp_path, 1, "first"), "web")
    assert world.settle()
    if is_drift:
        client: Any = world.stranger().create_client("cloudcontrol", "us-east-1")
        patch = json.dumps([{"op": "add", "path": "/RuntimeVersion", "value": "syn-other-5.9"}])
        client.update_resource(TypeName="AWS::Synthetics::Canary", Identifier="code", PatchDocument=patch)
        world.advance(HANDLER_S + 1)
        while "syn-python-selenium-5.1" not in str(world.aws.log[-1].parameters.get("PatchDocument")):
            world.advance(0.5)
    else:
        world.update(canary(tmp_path, 2, "first"), "web")
    world.advance(pause_s)
    for table in world.aws.place("123456789012", "us-east-1").tables():
        table.things.pop("code", None)
    world.advance(600)
    assert world.settle()
    assert is_running(world)
    assert standing(world) == (1 if is_drift else 2, "first")


@pytest.mark.parametrize("count", [1, 3])
def test_a_creation_waits_for_a_thing_that_its_service_does_not_know_yet(
    world: StrictWorld, tmp_path: Path, count: int
) -> None:
    world.aws.stumbles.append(Stumble(operation="CREATE", code="NotFound", says="There is no vpc-1.", count=count))
    world.run(canary(tmp_path, 1, "first"), "web")
    assert world.settle()
    assert is_running(world)


def test_a_thing_that_is_never_known_is_told_in_the_end(world: StrictWorld, tmp_path: Path) -> None:
    world.aws.stumbles.append(Stumble(operation="CREATE", code="NotFound", says="There is no vpc-1.", count=1000))
    world.run(canary(tmp_path, 1, "first"), "web")
    world.settle()
    state, message = told(world)
    assert state is ProcessState.SUSPENDED
    assert "There is no vpc-1." in message


def test_a_deletion_that_something_holds_up_is_told_when_patience_ends(world: StrictWorld, tmp_path: Path) -> None:
    world.run(canary(tmp_path, 1, "first"), "web")
    assert world.settle()
    held = Stumble(operation="DELETE", code="ResourceConflict", says="in use by subnet-1", count=1000)
    world.aws.stumbles.append(held)
    world.system.commands.kill("web")
    world.advance(1800)
    state, message = told(world)
    assert state is ProcessState.SUSPENDED
    assert "in use by subnet-1" in message
    held.count = 0
    world.system.commands.kill("web")
    assert world.settle()
    assert told(world)[0] is ProcessState.GONE


def test_long_words_of_aws_are_cut(world: StrictWorld, tmp_path: Path) -> None:
    world.aws.stumbles.append(Stumble(operation="CREATE", code="InvalidRequest", says="no" * 2500))
    world.run(canary(tmp_path, 1, "first"), "web")
    world.settle()
    assert 400 < len(told(world)[1]) < 1500


GRANTS = {"Type": "AWS::S3::AccessGrantsInstance", "Properties": {"Tags": [{"Key": "team", "Value": "blue"}]}}


@pytest.mark.parametrize("policy", ["Delete", "Retain"])
@pytest.mark.parametrize("command", ["release", "kill"])
def test_a_thing_whose_tags_are_settled_at_its_creation_keeps_its_mark_and_is_let_go(
    world: StrictWorld, tmp_path: Path, policy: str, command: str
) -> None:
    world.run(composition(tmp_path, One={**GRANTS, "DeletionPolicy": policy}), "web")
    assert world.settle()
    getattr(world.system.commands, command)("web")
    assert world.settle()
    assert told(world)[0] is ProcessState.GONE
    stays = command == "release" or policy == "Retain"
    assert len(world.standing().get("AWS::S3::AccessGrantsInstance", ())) == stays
    assert "UpdateResource" not in world.changes()


def test_a_thing_whose_tags_are_settled_at_its_creation_is_adopted_without_a_mark(
    world: StrictWorld, tmp_path: Path
) -> None:
    client: Any = world.stranger().create_client("cloudcontrol", "us-east-1")
    state = json.dumps(GRANTS["Properties"])
    client.create_resource(TypeName="AWS::S3::AccessGrantsInstance", DesiredState=state)
    world.advance(HANDLER_S + 1)
    [identifier] = world.standing()["AWS::S3::AccessGrantsInstance"]
    adopted = {**GRANTS, "Metadata": {"Tenuto": {"ResourceIdentifier": identifier}}}
    world.system.commands.run(submission(composition(tmp_path, One=adopted)), alias="web", adopts=True)
    assert world.settle()
    assert is_running(world)
    assert world.ids("web") == {"One": identifier}
