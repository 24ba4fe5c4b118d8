"""DynamoDB tables of the strict cloud: their states, and one change at a time."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from strict_cloud import Somebody, Stage, code_of

from tenuto_testing.cloud import Lag, Pace

Refused = Callable[[Somebody], object]
ID = {"AttributeName": "id", "AttributeType": "S"}
OWNER = {"AttributeName": "owner", "AttributeType": "S"}
UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
BY_OWNER = {
    "IndexName": "owners",
    "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


def create(me: Somebody, **more: Any) -> Any:
    order = {
        "TableName": "front",
        "AttributeDefinitions": [ID],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }
    return me.dynamodb.create_table(**{name: value for name, value in order.items() if value is not None})


def update(me: Somebody, **more: Any) -> Any:
    return me.dynamodb.update_table(TableName="front", **more)


def state(me: Somebody) -> str:
    return str(me.dynamodb.describe_table(TableName="front")["Table"]["TableStatus"])


def let_last(me: Somebody, *, enabled: bool) -> Any:
    wanted = {"Enabled": enabled, "AttributeName": "until"}
    return me.dynamodb.update_time_to_live(TableName="front", TimeToLiveSpecification=wanted)


def test_a_table_is_in_use_while_it_is_made_changed_and_deleted() -> None:
    stage = Stage(pace=Pace())
    me = stage.me
    create(me)
    for call in (
        create,
        lambda me: update(me, TableClass="STANDARD"),
        lambda me: me.dynamodb.delete_table(TableName="front"),
    ):
        assert code_of(lambda call=call: call(me)) == "ResourceInUseException"
    stage.clock.advance(10.0)
    assert state(me) == "ACTIVE"
    update(me, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    assert state(me) == "UPDATING"
    assert code_of(lambda: me.dynamodb.delete_table(TableName="front")) == "ResourceInUseException"
    stage.clock.advance(10.0)
    me.dynamodb.delete_table(TableName="front")
    assert state(me) == "DELETING"
    assert code_of(lambda: create(me)) == "ResourceInUseException"
    stage.clock.advance(10.0)
    assert code_of(lambda: state(me)) == "ResourceNotFoundException"
    create(me)


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("ValidationException", lambda me: create(me, TableName="no")),
        ("ValidationException", lambda me: create(me, TableName="a b c")),
        ("ValidationException", lambda me: create(me, AttributeDefinitions=[ID, OWNER])),
        ("ValidationException", lambda me: create(me, AttributeDefinitions=[OWNER])),
        ("ValidationException", lambda me: create(me, KeySchema=[{"AttributeName": "id", "KeyType": "RANGE"}])),
        ("ValidationException", lambda me: create(me, BillingMode="PROVISIONED")),
        ("ValidationException", lambda me: create(me, BillingMode=None)),
        ("ValidationException", lambda me: create(me, ProvisionedThroughput=UNITS)),
        ("ValidationException", lambda me: create(me, StreamSpecification={"StreamEnabled": True})),
        ("ValidationException", lambda me: create(me, GlobalSecondaryIndexes=[BY_OWNER])),
        (
            "ValidationException",
            lambda me: create(
                me, AttributeDefinitions=[ID, OWNER], GlobalSecondaryIndexes=[{**BY_OWNER, "Projection": {}}]
            ),
        ),
        ("ValidationException", lambda me: create(me, Tags=[{"Key": "aws:x", "Value": "y"}])),
        ("ResourceInUseException", lambda me: (create(me), create(me))),
        ("ResourceNotFoundException", lambda me: me.dynamodb.delete_table(TableName="nobody")),
        ("TableNotFoundException", lambda me: me.dynamodb.describe_continuous_backups(TableName="nobody")),
        ("ValidationException", lambda me: (create(me), update(me))),
        (
            "ValidationException",
            lambda me: (
                create(me, BillingMode="PROVISIONED", ProvisionedThroughput=UNITS),
                update(me, ProvisionedThroughput=UNITS),
            ),
        ),
        (
            "ValidationException",
            lambda me: (create(me), update(me, StreamSpecification={"StreamEnabled": False})),
        ),
        (
            "ValidationException",
            lambda me: (
                create(me, DeletionProtectionEnabled=True),
                me.dynamodb.delete_table(TableName="front"),
            ),
        ),
        ("ValidationException", lambda me: (create(me), let_last(me, enabled=False))),
        (
            "LimitExceededException",
            lambda me: (
                create(me),
                update(
                    me,
                    GlobalSecondaryIndexUpdates=[{"Create": BY_OWNER}, {"Create": {**BY_OWNER, "IndexName": "more"}}],
                    AttributeDefinitions=[ID, OWNER],
                ),
            ),
        ),
        (
            "ResourceNotFoundException",
            lambda me: (create(me), update(me, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "owners"}}])),
        ),
    ],
)
def test_what_tables_do_not_take_is_refused_in_their_words(code: str, call: Refused) -> None:
    assert code_of(lambda: call(Stage().me)) == code


def test_a_stream_must_end_before_another_begins() -> None:
    me = Stage().me
    create(me, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    other = {"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"}
    assert code_of(lambda: update(me, StreamSpecification=other)) == "ValidationException"
    update(me, StreamSpecification={"StreamEnabled": False})
    update(me, StreamSpecification=other)


def test_time_to_live_changes_once_in_an_hour_and_is_under_way_for_as_long() -> None:
    stage = Stage(pace=Pace())
    me = stage.me
    create(me)
    stage.clock.advance(10.0)
    let_last(me, enabled=True)
    shown = me.dynamodb.describe_time_to_live(TableName="front")["TimeToLiveDescription"]
    assert shown == {"TimeToLiveStatus": "ENABLING", "AttributeName": "until"}
    assert code_of(lambda: let_last(me, enabled=False)) == "ValidationException"
    stage.clock.advance(3600.0)
    assert (
        me.dynamodb.describe_time_to_live(TableName="front")["TimeToLiveDescription"]["TimeToLiveStatus"] == "ENABLED"
    )
    let_last(me, enabled=False)


def test_a_new_table_has_no_backups_for_a_while() -> None:
    stage = Stage(pace=Pace())
    create(stage.me)

    def back_up() -> Any:
        wanted = {"PointInTimeRecoveryEnabled": True}
        return stage.me.dynamodb.update_continuous_backups(TableName="front", PointInTimeRecoverySpecification=wanted)

    stage.clock.advance(29.0)
    assert code_of(back_up) == "ContinuousBackupsUnavailableException"
    stage.clock.advance(1.0)
    back_up()


def test_an_index_comes_and_goes_with_its_attributes() -> None:
    me = Stage().me
    create(me)
    update(me, GlobalSecondaryIndexUpdates=[{"Create": BY_OWNER}], AttributeDefinitions=[ID, OWNER])
    table = me.dynamodb.describe_table(TableName="front")["Table"]
    assert [one["IndexStatus"] for one in table["GlobalSecondaryIndexes"]] == ["ACTIVE"]
    update(me, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "owners"}}])
    table = me.dynamodb.describe_table(TableName="front")["Table"]
    assert "GlobalSecondaryIndexes" not in table
    assert table["AttributeDefinitions"] == [ID]


def test_an_attribute_keeps_its_type_while_a_key_uses_it() -> None:
    me = Stage().me
    create(me, AttributeDefinitions=[ID, OWNER], GlobalSecondaryIndexes=[BY_OWNER])
    others = [{"Create": {**BY_OWNER, "IndexName": "others"}}]
    for one in (ID, OWNER):
        retyped = [{**each, "AttributeType": "N"} if each is one else each for each in (ID, OWNER)]
        made = partial(update, me, GlobalSecondaryIndexUpdates=others, AttributeDefinitions=retyped)
        assert code_of(made) == "ValidationException"


def test_a_table_that_is_billed_for_its_throughput_needs_that_of_each_index() -> None:
    stage = Stage()
    me = stage.me
    create(me, AttributeDefinitions=[ID, OWNER], GlobalSecondaryIndexes=[BY_OWNER])
    stage.clock.advance(10.0)
    billing = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": UNITS}
    assert code_of(lambda: update(me, **billing)) == "ValidationException"
    update(
        me, **billing, GlobalSecondaryIndexUpdates=[{"Update": {"IndexName": "owners", "ProvisionedThroughput": UNITS}}]
    )
    [index] = me.dynamodb.describe_table(TableName="front")["Table"]["GlobalSecondaryIndexes"]
    assert UNITS.items() <= index["ProvisionedThroughput"].items()


def test_tables_and_their_tags_come_in_pages() -> None:
    me = Stage().me
    for number in range(101):
        create(me, TableName=f"front-{number:03}")
    first = me.dynamodb.list_tables()
    second = me.dynamodb.list_tables(ExclusiveStartTableName=first["LastEvaluatedTableName"])
    assert [len(page["TableNames"]) for page in (first, second)] == [100, 1]
    assert "LastEvaluatedTableName" not in second
    arn = create(me, Tags=[{"Key": f"k{n:02}", "Value": "v"} for n in range(11)])["TableDescription"]["TableArn"]
    tags = me.dynamodb.list_tags_of_resource(ResourceArn=arn)
    rest = me.dynamodb.list_tags_of_resource(ResourceArn=arn, NextToken=tags["NextToken"])
    assert [len(page["Tags"]) for page in (tags, rest)] == [10, 1]


def test_a_new_table_is_not_found_until_its_time_has_come_but_its_name_is_taken() -> None:
    stage = Stage(lag=Lag(new_s=3.0))
    create(stage.me)
    assert code_of(lambda: state(stage.me)) == "ResourceNotFoundException"
    assert code_of(lambda: create(stage.me)) == "ResourceInUseException"
    stage.clock.advance(3.0)
    assert state(stage.me) == "ACTIVE"
