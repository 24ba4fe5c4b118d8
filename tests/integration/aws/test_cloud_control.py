"""Types without a block, through Cloud Control: whole lives in front of the strict cloud, with lost answers and deaths.

The strict cloud serves every published type by its schema, so nothing here is about one service.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tenuto.errors import CompileError
from tenuto.model.command import ProcessState
from tenuto.model.ids import Partition
from tenuto.service.operations.doctor import Doctor
from tenuto_testing.cloud import Cloud, Failure, Fault
from tenuto_testing.cloud.families.cloud_control import Stumble
from tenuto_testing.cloud.pace import Pace
from tenuto_testing.mortality import Blow
from tenuto_testing.strict_world import StrictWorld, submission

HERE = Partition(account="default", region="us-east-1")
CANARY = """
  Code:
    Type: AWS::Synthetics::Canary
    Properties:
      Name: code
      ExecutionRoleArn: arn:aws:iam::123456789012:role/runs
      RuntimeVersion: syn-python-selenium-5.1
      Schedule: {Expression: rate(1 hour)}
      ArtifactS3Location: s3://records/visits
      Code: {Handler: visit.run, S3Bucket: code, S3Key: pass}
      Tags: [{Key: team, Value: blue}]
"""
GATEWAY = """
  Front:
    Type: AWS::EC2::CarrierGateway
    Properties: {VpcId: vpc-1, Tags: [{Key: team, Value: blue}]}
"""
NAMELESS = """
  Edition:
    Type: AWS::ApiGateway::DocumentationPart
    Properties: {RestApiId: code, Location: {Type: API}, Properties: "{}"}
"""
TREE = """
  Night:
    Type: AWS::SSM::MaintenanceWindow
    Properties: {Name: night, AllowUnassociatedTargets: false, Cutoff: 1, Duration: 2, Schedule: rate(1 day)}
  Web:
    Type: AWS::SSM::MaintenanceWindowTarget
    Properties: {WindowId: !Ref Night, ResourceType: INSTANCE, Targets: [{Key: "tag:team", Values: [web]}]}
  Patch:
    Type: AWS::SSM::MaintenanceWindowTask
    Properties:
      WindowId: !Ref Night
      Priority: 1
      TaskArn: AWS-RunPatchBaseline
      TaskType: RUN_COMMAND
      Targets: [{Key: WindowTargetIds, Values: [!Ref Web]}]
"""
KINDS = {"named": CANARY, "tagged": GATEWAY, "nameless": NAMELESS}
"""The ways to find a lost creation again: its declared name, our tag, or nothing but the client token."""


@pytest.fixture
def world() -> StrictWorld:
    return StrictWorld(lambda clock: Cloud(clock, pace=Pace(handler_s=8.0)))


@pytest.fixture
def template(tmp_path: Path) -> Callable[..., Path]:
    def write(*resources: str) -> Path:
        path = tmp_path / "web.yaml"
        path.write_text("Resources:\n" + "".join(resources), encoding="utf-8")
        return path

    return write


def own(world: StrictWorld) -> dict[str, list[str]]:
    """The things of Cloud Control that stand in the account."""
    return {kind: ids for kind, ids in world.standing().items() if kind.startswith("AWS::")}


def shown(world: StrictWorld, type_name: str, identifier: str) -> dict[str, Any]:
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    answer = client.get_resource(TypeName=type_name, Identifier=identifier)
    model: dict[str, Any] = json.loads(answer["ResourceDescription"]["Properties"])
    return model


def change(world: StrictWorld, type_name: str, identifier: str, name: str, value: Any) -> None:
    """The act of another writer."""
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    patch = json.dumps([{"op": "add", "path": f"/{name}", "value": value}])
    client.update_resource(TypeName=type_name, Identifier=identifier, PatchDocument=patch)
    world.advance(10)


def updates(world: StrictWorld) -> int:
    return world.changes().count("UpdateResource")


def test_what_is_made_stays_as_it_is_for_an_hour_without_another_change(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    world.run(template(CANARY, GATEWAY, NAMELESS), "web")
    assert world.settle()
    world.advance(3600)
    assert world.changes() == ["CreateResource"] * 3
    planning = world.system.queries.plan("web").planning
    assert planning.is_converged
    assert not planning.plan.operations


def test_ref_is_the_part_of_the_identifier_that_templates_build_on(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    world.run(template(TREE), "web")
    assert world.settle()
    [target] = own(world)["AWS::SSM::MaintenanceWindowTarget"]
    window, _, own_part = target.partition("|")
    wishes = [json.loads(one.parameters["DesiredState"]) for one in world.aws.log if one.action == "CreateResource"]
    [task] = [one for one in wishes if "TaskArn" in one]
    assert (task["WindowId"], task["Targets"][0]["Values"]) == (window, [own_part])
    assert world.system.queries.plan("web").planning.is_converged


def test_a_drift_of_a_shown_property_is_set_back_by_one_patch_of_this_property(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    world.run(template(CANARY), "web")
    assert world.settle()
    change(world, "AWS::Synthetics::Canary", "code", "RuntimeVersion", "syn-evil-5.1")
    world.advance(120)
    assert shown(world, "AWS::Synthetics::Canary", "code")["RuntimeVersion"] == "syn-python-selenium-5.1"
    [patch] = [
        json.loads(asked.parameters["PatchDocument"])
        for asked in world.aws.log
        if asked.action == "UpdateResource" and "evil" not in asked.parameters["PatchDocument"]
    ]
    assert [one["path"] for one in patch] == ["/RuntimeVersion"]


def test_a_hidden_member_that_is_declared_anew_is_sent_once(world: StrictWorld, template: Callable[..., Path]) -> None:
    world.run(template(CANARY), "web")
    assert world.settle()
    world.update(template(CANARY.replace("pass", "return")), "web")
    assert world.settle()
    world.advance(600)
    assert updates(world) == 1
    [asked] = [one for one in world.aws.log if one.action == "UpdateResource"]
    assert json.loads(asked.parameters["PatchDocument"]) == [
        {"op": "add", "path": "/Code/Handler", "value": "visit.run"},
        {"op": "add", "path": "/Code/S3Bucket", "value": "code"},
        {"op": "add", "path": "/Code/S3Key", "value": "return"},
    ]


def test_a_create_only_property_replaces_and_a_tag_is_changed_in_place(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    world.run(template(CANARY, GATEWAY), "web")
    assert world.settle()
    before = world.ids("web")
    world.update(template(CANARY.replace("blue", "red"), GATEWAY.replace("vpc-1", "vpc-2")), "web")
    assert world.settle()
    after = world.ids("web")
    assert after["Code"] == before["Code"]
    assert after["Front"] != before["Front"]
    assert {"Key": "team", "Value": "red"} in shown(world, "AWS::Synthetics::Canary", "code")["Tags"]
    assert own(world)["AWS::EC2::CarrierGateway"] == [after["Front"]]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pause", [0, 40, 4000])
@pytest.mark.parametrize("failure", [Failure.LOST, Failure.CUT, Failure.DONE_BUT_BUSY])
def test_a_creation_without_an_answer_makes_one_thing(
    world: StrictWorld, template: Callable[..., Path], kind: str, pause: int, failure: Failure
) -> None:
    world.aws.faults.script(Fault(failure, "CreateResource"))
    world.run(template(KINDS[kind]), "web")
    world.advance(pause)
    assert world.settle()
    assert sum(map(len, own(world).values())) == 1
    world.system.commands.kill("web")
    assert world.settle()
    assert own(world) == {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pause", [0, 5, 300])
def test_a_kill_finds_what_a_creation_without_an_answer_has_made(
    world: StrictWorld, template: Callable[..., Path], kind: str, pause: int
) -> None:
    world.aws.faults.script(Fault(Failure.LOST, "CreateResource"))
    world.run(template(KINDS[kind]), "web")
    world.work()
    world.advance(pause)
    world.system.commands.kill("web")
    assert world.settle()
    assert own(world) == {}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("action", ["CreateResource", "DeleteResource"])
def test_a_conductor_that_dies_after_a_call_leaves_nothing_and_makes_nothing_twice(
    world: StrictWorld, template: Callable[..., Path], kind: str, action: str
) -> None:
    world.fate.arm(Blow(operation="aws", subject=action, is_after=True))
    world.run(template(KINDS[kind]), "web")
    assert world.settle()
    assert sum(map(len, own(world).values())) == 1
    world.system.commands.kill("web")
    assert world.settle()
    assert own(world) == {}


def test_a_request_that_aws_could_not_carry_out_is_sent_again_with_another_token(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    world.aws.stumbles.append(Stumble(operation="CREATE", code="ServiceInternalError", count=2))
    world.run(template(CANARY), "web")
    assert world.settle()
    assert own(world) == {"AWS::Synthetics::Canary": ["code"]}
    tokens = [one.parameters for one in world.aws.log if one.action == "CreateResource"]
    assert len(tokens) == 3


UNKNOWN_ROLE = "The role defined for the function cannot be assumed by Lambda. (Service: Lambda, Status Code: 400)"


def test_a_role_that_a_service_does_not_know_yet_is_waited_for(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    world.aws.stumbles.append(Stumble(operation="CREATE", code="InvalidRequest", count=3, says=UNKNOWN_ROLE))
    world.run(template(CANARY), "web")
    assert world.settle()
    assert own(world) == {"AWS::Synthetics::Canary": ["code"]}
    process = world.store.process("web")
    assert process is not None
    assert process.state is ProcessState.RUNNING


def test_a_role_that_a_service_never_knows_is_told_in_the_end(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    world.aws.stumbles.append(Stumble(operation="CREATE", code="InvalidRequest", count=1000, says=UNKNOWN_ROLE))
    world.run(template(CANARY), "web")
    world.settle()
    process = world.store.process("web")
    assert process is not None
    assert process.state is ProcessState.SUSPENDED
    assert "cannot be assumed by Lambda" in process.last_message
    assert own(world) == {}


def test_what_a_failed_creation_left_is_recorded_told_and_deleted_by_a_kill(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    world.aws.stumbles.append(Stumble(operation="CREATE", code="NotStabilized", leaves=True))
    world.run(template(GATEWAY), "web")
    world.settle()
    process = world.store.process("web")
    assert process is not None
    assert process.state is ProcessState.SUSPENDED
    [identifier] = own(world)["AWS::EC2::CarrierGateway"]
    assert world.ids("web") == {"Front": identifier}
    assert f"It left {identifier}" in process.last_message
    world.system.commands.kill("web")
    assert world.settle()
    assert own(world) == {}


def test_a_failed_creation_is_tried_again_by_a_person(world: StrictWorld, template: Callable[..., Path]) -> None:
    world.aws.stumbles.append(Stumble(operation="CREATE", code="GeneralServiceException"))
    world.run(template(GATEWAY), "web")
    world.settle()
    assert own(world) == {}
    world.advance(3600)
    world.system.commands.resume("web")
    assert world.settle()
    process = world.store.process("web")
    assert process is not None
    assert process.state is ProcessState.RUNNING
    assert len(own(world)["AWS::EC2::CarrierGateway"]) == 1


@pytest.mark.parametrize("is_lost", [False, True])
@pytest.mark.parametrize(
    ("type_name", "identifier", "properties"),
    [
        ("AWS::Athena::WorkGroup", "team", {"Name": "team"}),
        ("AWS::SES::ReceiptRuleSet", "site", {"RuleSetName": "site"}),
    ],
)
def test_a_name_that_is_taken_is_told_and_the_other_thing_stays(
    world: StrictWorld,
    template: Callable[..., Path],
    type_name: str,
    identifier: str,
    properties: dict[str, Any],
    is_lost: bool,
) -> None:
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    client.create_resource(TypeName=type_name, DesiredState=json.dumps(properties), ClientToken="theirs")
    world.advance(10)
    if is_lost:
        world.aws.faults.script(Fault(Failure.LOST, "CreateResource"))
    world.run(template(f"  Team: {{Type: '{type_name}', Properties: {json.dumps(properties)}}}\n"), "web")
    world.settle()
    process = world.store.process("web")
    assert process is not None
    assert "AlreadyExists" in process.last_message
    world.advance(3600)
    world.system.commands.kill("web")
    assert world.settle()
    assert own(world) == {type_name: [identifier]}


def test_what_exists_is_adopted_by_its_tags_alone_and_let_go_untouched(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    model = {"VpcId": "vpc-1", "Tags": [{"Key": "team", "Value": "blue"}]}
    client.create_resource(TypeName="AWS::EC2::CarrierGateway", DesiredState=json.dumps(model), ClientToken="theirs")
    world.advance(10)
    [identifier] = own(world)["AWS::EC2::CarrierGateway"]
    before = shown(world, "AWS::EC2::CarrierGateway", identifier)
    adopted = GATEWAY + f"    Metadata: {{Tenuto: {{ResourceIdentifier: {identifier}}}}}\n"
    world.system.commands.run(submission(template(adopted)), alias="web", adopts=True)
    assert world.settle()
    marked = shown(world, "AWS::EC2::CarrierGateway", identifier)
    assert {tag["Key"] for tag in marked["Tags"]} == {"team", "tenuto:object", "tenuto:process", "tenuto:resource"}
    assert updates(world) == 1
    world.system.commands.release("web")
    assert world.settle()
    assert shown(world, "AWS::EC2::CarrierGateway", identifier) == before


def test_a_thing_that_is_gone_is_made_anew(world: StrictWorld, template: Callable[..., Path]) -> None:
    world.run(template(GATEWAY), "web")
    assert world.settle()
    [identifier] = own(world)["AWS::EC2::CarrierGateway"]
    client: Any = world.stranger().create_client("cloudcontrol", HERE.region)
    client.delete_resource(TypeName="AWS::EC2::CarrierGateway", Identifier=identifier)
    world.advance(300)
    [other] = own(world)["AWS::EC2::CarrierGateway"]
    assert other != identifier


def test_a_read_that_is_denied_changes_nothing_and_is_told(world: StrictWorld, template: Callable[..., Path]) -> None:
    world.run(template(CANARY, GATEWAY), "web")
    assert world.settle()
    world.aws.faults.script(Fault(Failure.DENIED, "GetResource", count=1000))
    world.advance(600)
    assert world.changes() == ["CreateResource"] * 2


def test_an_update_that_aws_refuses_fails_with_its_reason(world: StrictWorld, template: Callable[..., Path]) -> None:
    world.run(template(CANARY), "web")
    assert world.settle()
    world.aws.stumbles.append(Stumble(operation="UPDATE", code="AccessDenied"))
    world.update(template(CANARY.replace("syn-python-selenium-5.1", "syn-python-selenium-5.2")), "web")
    world.settle()
    process = world.store.process("web")
    assert process is not None
    assert "Cloud Control reports AccessDenied" in process.last_message
    world.system.commands.resume("web")
    assert world.settle()
    assert shown(world, "AWS::Synthetics::Canary", "code")["RuntimeVersion"] == "syn-python-selenium-5.2"


def test_a_type_without_a_read_handler_is_refused_with_its_line(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    path = template("  Old: {Type: 'AWS::Glue::DevEndpoint', Properties: {RoleArn: arn}}\n")
    with pytest.raises(CompileError, match="AWS::Glue::DevEndpoint"):
        world.run(path, "web")


@pytest.mark.parametrize("action", ["CreateResource", "UpdateResource", "DeleteResource"])
@pytest.mark.parametrize("is_after", [False, True])
def test_the_records_are_sound_whenever_a_conductor_dies_around_a_call(
    world: StrictWorld, template: Callable[..., Path], action: str, is_after: bool
) -> None:
    world.fate.arm(Blow(operation="aws", subject=action, is_after=is_after))
    world.run(template(CANARY, GATEWAY, NAMELESS), "web")
    assert world.settle()
    assert problems(world) == ()
    world.update(
        template(CANARY.replace("syn-python-selenium-5.1", "syn-python-selenium-5.2"), GATEWAY, NAMELESS), "web"
    )
    assert world.settle()
    assert problems(world) == ()
    assert shown(world, "AWS::Synthetics::Canary", "code")["RuntimeVersion"] == "syn-python-selenium-5.2"
    world.system.commands.kill("web")
    assert world.settle()
    assert problems(world) == ()
    assert own(world) == {}


def test_requests_that_are_too_many_are_sent_again_and_nothing_is_made_twice(
    world: StrictWorld, template: Callable[..., Path]
) -> None:
    for action in ("CreateResource", "GetResource", "GetResourceRequestStatus", "DeleteResource"):
        world.aws.faults.script(Fault(Failure.THROTTLED, action, count=4))
    world.run(template(CANARY, GATEWAY, NAMELESS), "web")
    assert world.settle()
    assert sum(map(len, own(world).values())) == 3
    world.system.commands.kill("web")
    assert world.settle()
    assert own(world) == {}


def problems(world: StrictWorld) -> tuple[Any, ...]:
    """The findings of the doctor in the records."""
    return Doctor(store=world.store, clock=world.clock).examine().problems
