"""Queues, topics, parameters, logs, tables and disks held by a real Conductor in front of the strict cloud."""

from pathlib import Path

import pytest
from night import by_day
from strict_life import build, gone, is_one_of_each, patient, settled

from tenuto.ports.clock import Clock
from tenuto_testing.cloud import Buckets, Cloud, Failure, Fault, Lag, Pace
from tenuto_testing.mortality import Blow
from tenuto_testing.strict_world import REGION, StrictWorld

TEMPLATE = Path(__file__).parents[1] / "templates" / "own" / "messages_and_tables.yaml"
MAKING = "AttachVolume CreateLogGroup CreateQueue CreateTable CreateTopic CreateVolume PutParameter Subscribe"
LASTING = """
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: order, AttributeType: S}]
      KeySchema: [{AttributeName: order, KeyType: HASH}]
      TimeToLiveSpecification: {AttributeName: until, Enabled: false}
"""
INDEXED = """
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: order, AttributeType: S}, {AttributeName: owner, AttributeType: S}]
      KeySchema: [{AttributeName: order, KeyType: HASH}]
      GlobalSecondaryIndexes:
        - {IndexName: owners, KeySchema: [{AttributeName: owner, KeyType: HASH}], Projection: {ProjectionType: ALL}}
"""
SEEDS = 2
"""Drawn for each kind of trouble; a failure names the one it was."""


def test_it_is_built_held_updated_with_a_replacement_and_killed() -> None:
    world = StrictWorld(patient)
    before = build(world, TEMPLATE)
    is_one_of_each(world)
    made, ids = len(world.changes()), world.ids("web")
    world.advance(300.0)
    assert len(world.changes()) == made, "what is as declared was changed"
    world.update(TEMPLATE, "web", {"Delay": "9", "TableName": "web-orders-2"})
    settled(world)
    after = world.ids("web")
    assert {name for name in ids if after[name] != ids[name]} == {"Orders"}
    is_one_of_each(world)
    gone(world, before)


def test_a_table_whose_items_are_declared_to_last_is_as_declared(tmp_path: Path) -> None:
    """DynamoDB does not show by which attribute items would end when they do not, nor takes off what is off."""
    template = tmp_path / "table.yaml"
    template.write_text(LASTING)
    world = StrictWorld(patient)
    before = build(world, template)
    assert [change for change in world.changes() if "TimeToLive" in str(change)] == []
    gone(world, before)


def test_an_index_that_is_not_declared_any_more_stays_and_is_no_drift(tmp_path: Path) -> None:
    """DynamoDB shows the attributes of all indexes, and changes them only together with an index."""
    template = tmp_path / "table.yaml"
    template.write_text(INDEXED)
    world = StrictWorld(patient)
    before = build(world, template)
    template.write_text(LASTING)
    world.update(template, "web")
    settled(world)
    made = len(world.changes())
    world.advance(300.0)
    assert len(world.changes()) == made, "what is as declared was changed"
    gone(world, before)


def test_what_strangers_do_is_undone_and_nothing_else_is_touched() -> None:
    world = StrictWorld(patient)
    before = build(world, TEMPLATE)
    ids = world.ids("web")
    clients = {name: world.stranger().create_client(name, REGION) for name in ("dynamodb", "logs", "sns", "sqs", "ssm")}
    clients["sqs"].set_queue_attributes(QueueUrl=ids["Jobs"], Attributes={"DelaySeconds": "0"})
    clients["sqs"].delete_queue(QueueUrl=ids["DeadLetters"])
    clients["sns"].unsubscribe(SubscriptionArn=ids["JobsOfNews"])
    clients["sns"].untag_resource(ResourceArn=ids["News"], TagKeys=["team"])
    clients["ssm"].put_parameter(Name=ids["Setting"], Value="elsewhere", Overwrite=True)
    clients["logs"].delete_log_group(logGroupName=ids["Log"])
    clients["dynamodb"].update_table(TableName=ids["Orders"], StreamSpecification={"StreamEnabled": False})
    world.advance(60.0)
    settled(world)
    after = world.ids("web")
    assert {name for name in ids if after[name] != ids[name]} == {"JobsOfNews"}
    shown = clients["sqs"].get_queue_attributes(QueueUrl=ids["Jobs"], AttributeNames=["DelaySeconds"])["Attributes"]
    assert shown == {"DelaySeconds": "5"}
    assert clients["sqs"].get_queue_url(QueueName="web-dead")["QueueUrl"] == ids["DeadLetters"]
    assert clients["ssm"].get_parameter(Name="/web/jobs")["Parameter"]["Value"] == ids["Jobs"]
    table = clients["dynamodb"].describe_table(TableName=ids["Orders"])["Table"]
    assert table["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    is_one_of_each(world)
    gone(world, before)


@pytest.mark.parametrize("action", MAKING.split())
def test_a_creation_whose_answer_is_lost_is_found_although_lists_come_late(action: str) -> None:
    def make(clock: Clock) -> Cloud:
        cloud = Cloud(clock, pace=Pace(), lag=Lag(new_s=20.0), buckets=Buckets())
        cloud.faults.script(Fault(Failure.LOST, action))
        return cloud

    world = StrictWorld(make)
    before = build(world, TEMPLATE)
    assert world.aws.faults.happened[Failure.LOST, action] == 1
    is_one_of_each(world)
    gone(world, before)


@pytest.mark.parametrize("seed", by_day(1, range(SEEDS)))
def test_lost_answers_errors_and_throttling_leave_no_orphan_and_no_duplicate(seed: int) -> None:
    kinds = (Failure.LOST, Failure.CUT, Failure.DONE_BUT_BUSY, Failure.BUSY, Failure.THROTTLED, Failure.REFUSED)

    def make(clock: Clock) -> Cloud:
        lag = Lag(new_s=6.0, changed_s=3.0, is_flickering=True)
        cloud = Cloud(clock, seed=seed, pace=Pace(), lag=lag, buckets=Buckets(times=0.5))
        cloud.faults.by_chance(0.15, *kinds, seed=seed)
        return cloud

    world = StrictWorld(make)
    before = world.standing()
    world.run(TEMPLATE, "web")
    world.advance(900.0)
    world.aws.faults.stop()
    settled(world)
    is_one_of_each(world)
    world.aws.faults.by_chance(0.1, *kinds, seed=seed + SEEDS)
    world.update(TEMPLATE, "web", {"TableName": "web-orders-2"})
    world.advance(300.0)
    world.aws.faults.stop()
    settled(world)
    is_one_of_each(world)
    gone(world, before)


@pytest.mark.parametrize("count", range(1, 14, 4))
def test_a_conductor_that_dies_after_a_call_finds_what_it_made(count: int) -> None:
    world = StrictWorld(patient)
    before = world.standing()
    world.fate.arm(Blow(operation="aws", is_after=True, count=count))
    world.run(TEMPLATE, "web")
    settled(world)
    assert len(world.crashes) == 1
    is_one_of_each(world)
    world.fate.arm(Blow(operation="aws", is_after=True, count=1 + count // 2))
    gone(world, before)
