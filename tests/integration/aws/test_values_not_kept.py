"""A value that the provider accepts and does not keep: sent twice, told with its reason, and never fought over.

By the strict cloud, whose services show some values otherwise than they were set, or carry out no change of them.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenuto.model.command import ProcessState
from tenuto.model.ids import Partition
from tenuto.model.plan import Planning
from tenuto.model.verb import WaitKind
from tenuto_testing.cloud import Cloud, Failure, Fault
from tenuto_testing.cloud.families.cloud_control import Manner
from tenuto_testing.cloud.pace import Pace
from tenuto_testing.strict_world import StrictWorld, submission

HERE = Partition(account="default", region="us-east-1")
LINE = {
    "Line": {
        "Type": "AWS::GameLift::GameSessionQueue",
        "Properties": {"Name": "audit", "CustomEventData": "records", "TimeoutInSeconds": 60, "Destinations": []},
    }
}
DEFAULT = [{"DestinationArn": "arn:aws:gamelift:us-east-1::fleet/all"}]
QUEUE = {"Jobs": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "jobs", "VisibilityTimeout": 40}}}


@pytest.fixture
def world() -> StrictWorld:
    return StrictWorld(lambda clock: Cloud(clock, pace=Pace(handler_s=2.0)))


@pytest.fixture
def template(tmp_path: Path) -> Callable[[Any], Path]:
    def write(resources: Any) -> Path:
        path = tmp_path / "web.json"
        path.write_text(json.dumps({"Resources": resources}), encoding="utf-8")
        return path

    return write


def planning(world: StrictWorld) -> Planning:
    return world.system.queries.plan("web").planning


def is_told_as_not_kept(world: StrictWorld, name: str) -> bool:
    """Whether the plan changes nothing, says why, and the process goes on."""
    seen = planning(world)
    process = world.store.process("web")
    assert process is not None
    [wait] = seen.waits
    said = wait.message.startswith(f"The provider does not keep {name} = ")
    is_quiet = seen.plan.is_empty and wait.kind is WaitKind.IGNORED and process.state is ProcessState.RUNNING
    return is_quiet and said and "does not keep" in process.last_message


def patches(world: StrictWorld) -> int:
    return world.changes().count("UpdateResource")


MANNERS = {
    "shown as the default": Manner(
        type="AWS::GameLift::GameSessionQueue", property="Destinations", shown=lambda found: found or DEFAULT
    ),
    "never shown": Manner(type="AWS::GameLift::GameSessionQueue", property="CustomEventData", shown=lambda found: None),
    "shown in other words": Manner(
        type="AWS::GameLift::GameSessionQueue", property="CustomEventData", shown=lambda found: f"our-{found}-7"
    ),
}


@pytest.mark.parametrize("manner", MANNERS.values(), ids=MANNERS)
def test_a_value_that_is_not_kept_is_sent_twice_more_and_then_left(
    world: StrictWorld, template: Callable[[Any], Path], manner: Manner
) -> None:
    world.aws.manners.append(manner)
    world.run(template(LINE), "web")
    world.advance(600)
    assert is_told_as_not_kept(world, f"Line.{manner.property}")
    sent = patches(world)
    assert sent <= 3
    world.advance(6 * 3600)
    assert is_told_as_not_kept(world, f"Line.{manner.property}")
    assert patches(world) == sent


def test_what_else_drifts_of_such_a_thing_is_set_back(world: StrictWorld, template: Callable[[Any], Path]) -> None:
    world.aws.manners.append(MANNERS["shown as the default"])
    world.run(template(LINE), "web")
    world.advance(600)
    change(world, "audit", "TimeoutInSeconds", 90)
    world.advance(120)
    assert model_of(world, "audit")["TimeoutInSeconds"] == 60
    world.advance(600)
    assert is_told_as_not_kept(world, "Line.Destinations")


def test_a_third_value_is_drift_and_is_set_back(world: StrictWorld, template: Callable[[Any], Path]) -> None:
    world.aws.manners.append(MANNERS["shown as the default"])
    world.run(template(LINE), "web")
    world.advance(600)
    change(world, "audit", "Destinations", [{"DestinationArn": "arn:aws:gamelift:us-east-1::fleet/new"}])
    world.advance(600)
    assert model_of(world, "audit")["Destinations"] == DEFAULT
    assert is_told_as_not_kept(world, "Line.Destinations")


def test_another_declaration_of_it_is_sent(world: StrictWorld, template: Callable[[Any], Path]) -> None:
    world.aws.manners.append(MANNERS["shown as the default"])
    world.run(template(LINE), "web")
    world.advance(600)
    destinations = [{"DestinationArn": "arn:aws:gamelift:us-east-1::fleet/old"}]
    declared = {"Line": {**LINE["Line"], "Properties": {**LINE["Line"]["Properties"], "Destinations": destinations}}}  # type: ignore[dict-item]
    world.update(template(declared), "web")
    assert world.settle()
    assert model_of(world, "audit")["Destinations"] == destinations
    assert planning(world).is_converged


def test_a_block_whose_service_carries_out_no_change_is_told_so_as_well(
    world: StrictWorld, template: Callable[[Any], Path]
) -> None:
    world.run(template(QUEUE), "web")
    assert world.settle()
    client: Any = world.stranger().create_client("sqs", HERE.region)
    url = client.get_queue_url(QueueName="jobs")["QueueUrl"]
    client.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "50"})
    world.aws.faults.script(Fault(Failure.IGNORED, "SetQueueAttributes", count=100))
    before = world.changes().count("SetQueueAttributes")
    world.advance(600)
    assert is_told_as_not_kept(world, "Jobs.VisibilityTimeout")
    world.advance(3600)
    assert world.changes().count("SetQueueAttributes") - before == 2


def test_an_adopted_thing_is_judged_alike(world: StrictWorld, template: Callable[[Any], Path]) -> None:
    world.aws.manners.append(MANNERS["shown as the default"])
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    model = {**LINE["Line"]["Properties"]}  # type: ignore[dict-item]
    client.create_resource(
        TypeName="AWS::GameLift::GameSessionQueue", DesiredState=json.dumps(model), ClientToken="theirs"
    )
    world.advance(10)
    adopted = {"Line": {**LINE["Line"], "Metadata": {"Tenuto": {"ResourceIdentifier": "audit"}}}}
    world.system.commands.run(submission(template(adopted)), alias="web", adopts=True)
    world.advance(900)
    assert is_told_as_not_kept(world, "Line.Destinations")


def model_of(world: StrictWorld, identifier: str) -> dict[str, Any]:
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    answer = client.get_resource(TypeName="AWS::GameLift::GameSessionQueue", Identifier=identifier)
    model: dict[str, Any] = json.loads(answer["ResourceDescription"]["Properties"])
    return model


def change(world: StrictWorld, identifier: str, name: str, value: Any) -> None:
    """The act of another writer."""
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    patch = json.dumps([{"op": "add", "path": f"/{name}", "value": value}])
    client.update_resource(TypeName="AWS::GameLift::GameSessionQueue", Identifier=identifier, PatchDocument=patch)
    world.advance(4)
