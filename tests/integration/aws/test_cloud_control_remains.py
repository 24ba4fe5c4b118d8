"""Failures of creations that go through Cloud Control leave no thing behind that no record knows, after any pause."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenuto.model.command import ProcessState
from tenuto_testing.cloud import Cloud, Failure, Fault, Lag
from tenuto_testing.cloud.families.cloud_control import Stumble
from tenuto_testing.cloud.pace import Pace
from tenuto_testing.strict_world import StrictWorld

GATEWAY = {"Type": "AWS::EC2::CarrierGateway", "Properties": {"VpcId": "vpc-1"}}
CANARY = {
    "Type": "AWS::Synthetics::Canary",
    "Properties": {
        "Name": "code",
        "ExecutionRoleArn": "arn:aws:iam::123456789012:role/runs",
        "RuntimeVersion": "syn-python-selenium-5.1",
        "Schedule": {"Expression": "rate(1 hour)"},
        "ArtifactS3Location": "s3://records/visits",
        "Code": {"Handler": "visit.run", "S3Bucket": "code", "S3Key": "pass"},
    },
}
PART = {
    "Type": "AWS::ApiGateway::DocumentationPart",
    "Properties": {"RestApiId": "code", "Location": {"Type": "API"}, "Properties": "{}"},
}
RULES = {"Type": "AWS::SES::ReceiptRuleSet", "Properties": {"RuleSetName": "site"}}
KINDS = {"gateway": GATEWAY, "canary": CANARY, "part": PART, "rules": RULES}
PASSING = (
    "Throttling",
    "ServiceInternalError",
    "ServiceTimeout",
    "NetworkFailure",
    "InternalFailure",
    "ResourceConflict",
)

Write = Callable[..., Path]


@pytest.fixture
def template(tmp_path: Path) -> Write:
    def write(**resources: Any) -> Path:
        path = tmp_path / "web.json"
        path.write_text(json.dumps({"Resources": resources}), encoding="utf-8")
        return path

    return write


def world_of(lag: Lag | None = None, handler_s: float = 8.0) -> StrictWorld:
    pace = Pace(handler_s=handler_s)
    return StrictWorld(lambda clock: Cloud(clock, pace=pace, lag=lag) if lag else Cloud(clock, pace=pace))


def own(world: StrictWorld) -> list[str]:
    """The things of Cloud Control that stand in the account."""
    return [one for kind, ids in world.standing().items() if kind.startswith("AWS::") for one in ids]


def drawn(seed: int, longest_s: float = 400_000.0) -> float:
    """A pause between a second and some days, each order of magnitude as likely as the next."""
    return min(longest_s, 10.0 ** random.Random(seed).uniform(0.0, 5.6))


def told(world: StrictWorld) -> tuple[ProcessState, str]:
    process = world.store.process("web")
    assert process is not None
    return process.state, process.last_message


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("code", [*PASSING, "NotStabilized"])
def test_a_failed_creation_is_not_repeated_beside_the_thing_that_it_left(template: Write, kind: str, code: str) -> None:
    world = world_of()
    world.aws.stumbles.append(Stumble(operation="CREATE", code=code, leaves=True, count=1000))
    world.run(template(One=KINDS[kind]), "web")
    world.advance(drawn(len(kind + code)) + 60)
    assert len(own(world)) == 1
    state, message = told(world)
    assert state is ProcessState.SUSPENDED
    assert f"It left {own(world)[0]}" in message
    world.system.commands.kill("web")
    assert world.settle()
    assert own(world) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("new_s", [2.0, 20.0, 50.0])
@pytest.mark.parametrize("code", ["ServiceInternalError", "NotStabilized"])
@pytest.mark.parametrize("command", ["kill", "resume"])
def test_what_a_failed_creation_left_is_found_although_aws_does_not_show_it_at_once(
    template: Write, kind: str, new_s: float, code: str, command: str
) -> None:
    world = world_of(Lag(new_s=new_s))
    world.aws.stumbles.append(Stumble(operation="CREATE", code=code, leaves=True))
    world.run(template(One=KINDS[kind]), "web")
    world.advance(drawn(int(new_s) + len(kind + code + command)))
    if command == "resume":
        world.settle()
    getattr(world.system.commands, command)("web")
    assert world.settle()
    world.advance(200)
    assert len(own(world)) == (0 if command == "kill" else 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", ["kill", "resume"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_a_refused_question_about_a_creation_ends_nothing(template: Write, kind: str, command: str, seed: int) -> None:
    world = world_of()
    world.aws.faults.script(Fault(Failure.DENIED, "GetResourceRequestStatus", count=9999))
    world.run(template(One=KINDS[kind]), "web")
    world.settle()
    state, message = told(world)
    assert state is ProcessState.SUSPENDED
    assert "GetResourceRequestStatus" in message
    world.advance(drawn(seed))
    world.aws.faults.stop()
    getattr(world.system.commands, command)("web")
    assert world.settle()
    assert len(own(world)) == (0 if command == "kill" else 1)


@pytest.mark.parametrize("kind", ["gateway", "canary", "part"])
def test_a_refused_look_for_what_a_creation_left_hides_no_failure_and_ends_nothing(template: Write, kind: str) -> None:
    world = world_of()
    world.aws.stumbles.append(Stumble(operation="CREATE", code="NotStabilized", leaves=True, says="no subnet"))
    world.aws.faults.script(Fault(Failure.DENIED, "GetResource", count=9999))
    world.run(template(One=KINDS[kind]), "web")
    world.settle()
    state, message = told(world)
    assert state is ProcessState.SUSPENDED
    assert "no subnet" in message
    world.aws.faults.stop()
    world.advance(drawn(len(kind)))
    world.system.commands.kill("web")
    assert world.settle()
    assert own(world) == []


def forget(world: StrictWorld) -> None:
    """Let AWS forget all requests, as it does after seven days."""
    world.aws.catch_up()
    world.aws.place("123456789012", "us-east-1").requests.clear()


@pytest.mark.parametrize("kind", ["gateway", "canary", "rules"])
@pytest.mark.parametrize("command", ["kill", "resume"])
@pytest.mark.parametrize("is_made", [True, False])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.nightly)])
def test_a_creation_that_aws_has_forgotten_is_searched_for_by_what_tells_its_thing(
    template: Write, kind: str, command: str, is_made: bool, seed: int
) -> None:
    world = world_of(handler_s=60.0)
    if not is_made:
        world.aws.stumbles.append(Stumble(operation="CREATE", code="InvalidRequest"))
    world.run(template(One=KINDS[kind]), "web")
    world.advance(20)
    world.system.commands.suspend("web")
    world.advance(8 * 86_400 + drawn(seed))
    forget(world)
    getattr(world.system.commands, command)("web")
    assert world.settle()
    assert len(own(world)) == (0 if command == "kill" else 1)
    assert told(world)[0] is (ProcessState.GONE if command == "kill" else ProcessState.RUNNING)


@pytest.mark.parametrize("command", ["kill", "resume"])
def test_a_forgotten_creation_without_tags_is_told_as_long_as_its_thing_may_stand(
    template: Write, command: str
) -> None:
    world = world_of(handler_s=60.0)
    world.run(template(One=PART), "web")
    world.advance(20)
    world.system.commands.suspend("web")
    world.advance(8 * 86_400)
    forget(world)
    [left] = own(world)
    getattr(world.system.commands, command)("web")
    world.settle()
    state, message = told(world)
    assert state is ProcessState.SUSPENDED
    assert left in message
    assert own(world) == [left]
    client: Any = world.stranger().create_client("cloudcontrol", "us-east-1")
    client.delete_resource(TypeName=PART["Type"], Identifier=left)
    world.advance(drawn(len(command)) + 60)
    getattr(world.system.commands, command)("web")
    assert world.settle()
    assert len(own(world)) == (0 if command == "kill" else 1)
    assert left not in own(world)


@pytest.mark.parametrize("command", ["update", "kill"])
def test_a_change_that_aws_has_forgotten_is_sent_again_at_once(template: Write, command: str) -> None:
    world = world_of(handler_s=60.0)
    world.run(template(One=CANARY), "web")
    assert world.settle()
    if command == "kill":
        world.system.commands.kill("web")
    else:
        changed = {**CANARY, "Properties": {**CANARY["Properties"], "RuntimeVersion": "syn-python-selenium-5.2"}}
        world.update(template(One=changed), "web")
    world.advance(20)
    world.system.commands.suspend("web")
    world.advance(8 * 86_400)
    forget(world)
    getattr(world.system.commands, "kill" if command == "kill" else "resume")("web")
    assert world.settle()
    assert told(world)[0] is (ProcessState.GONE if command == "kill" else ProcessState.RUNNING)


def test_a_thing_of_another_that_stood_before_is_never_taken_for_what_a_failed_creation_left(template: Write) -> None:
    world = world_of()
    client: Any = world.stranger().create_client("cloudcontrol", "us-east-1")
    client.create_resource(TypeName=RULES["Type"], DesiredState=json.dumps(RULES["Properties"]), ClientToken="theirs")
    world.advance(10)
    world.run(template(One=RULES), "web")
    world.advance(20)
    world.settle()
    world.advance(8 * 86_400)
    forget(world)
    world.system.commands.kill("web")
    assert world.settle()
    assert own(world) == ["site"]


OTHERWISE = {
    "gateway": {"Tags": [{"Key": "team", "Value": "red"}]},
    "canary": {"RuntimeVersion": "syn-python-selenium-5.2"},
    "part": {"Properties": '{"a": 1}'},
}


@pytest.mark.parametrize("kind", OTHERWISE)
@pytest.mark.parametrize("stumbles", [0, 1])
@pytest.mark.parametrize("command", ["kill", "settle"])
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in (1, 2))])
def test_a_creation_without_an_answer_is_found_again_after_an_update(
    template: Write, kind: str, stumbles: int, command: str, seed: int
) -> None:
    world = world_of()
    world.aws.stumbles.append(Stumble(operation="CREATE", code="ServiceInternalError", count=stumbles))
    world.aws.faults.script(Fault(Failure.LOST, "CreateResource", skip=stumbles))
    world.run(template(One=KINDS[kind]), "web")
    world.work()
    world.advance(0.3 if not stumbles else drawn(seed, 20.0))
    world.update(template(One={**KINDS[kind], "Properties": {**KINDS[kind]["Properties"], **OTHERWISE[kind]}}), "web")
    world.advance(drawn(seed, 2_000.0))
    if command == "kill":
        world.system.commands.kill("web")
    assert world.settle()
    assert len(own(world)) == (0 if command == "kill" else 1)
    assert told(world)[0] is (ProcessState.GONE if command == "kill" else ProcessState.RUNNING)
