"""Older and odd spellings of properties, in front of a cloud that shows one: each converges, and stays."""

import json
from pathlib import Path
from typing import Any

import pytest
from strict_life import gone, settled

from tenuto_testing.cloud import Cloud
from tenuto_testing.strict_world import REGION, StrictWorld

Properties = dict[str, Any]
BUCKET = "AWS::S3::Bucket"
ORDERS = "arn:aws:sqs:us-east-1:123456789012:orders"


def lifecycle(*rules: Properties, **more: Any) -> Properties:
    return {
        "BucketName": "orders-of-tenuto",
        "LifecycleConfiguration": {"Rules": [{"Id": "a", "Status": "Enabled", **one} for one in rules], **more},
    }


def notified(name: str) -> Properties:
    rules = {"Filter": {"S3Key": {"Rules": [{"Name": name, "Value": "in/"}]}}}
    queue = {"Event": "s3:ObjectCreated:*", "Queue": ORDERS, **rules}
    return {"BucketName": "orders-of-tenuto", "NotificationConfiguration": {"QueueConfigurations": [queue]}}


def replicated(found: Properties) -> Properties:
    rule = {
        "DeleteMarkerReplication": {"Status": "Disabled"},
        "Destination": {"Bucket": "arn:aws:s3:::copies"},
        "Filter": found,
        "Id": "all",
        "Priority": 1,
        "Status": "Enabled",
    }
    return {
        "BucketName": "orders-of-tenuto",
        "VersioningConfiguration": {"Status": "Enabled"},
        "ReplicationConfiguration": {"Role": "arn:aws:iam::123456789012:role/copier", "Rules": [rule]},
    }


def table(*projected: str) -> Properties:
    index = {
        "IndexName": "by-owner",
        "KeySchema": [{"AttributeName": "owner", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(projected)},
    }
    return {
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "owner")],
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [index],
    }


GLACIER = {"StorageClass": "GLACIER", "TransitionInDays": 30}
COLD = {"StorageClass": "DEEP_ARCHIVE", "TransitionInDays": 90}
TAG = {"Key": "class", "Value": "cold"}
SAME = [
    pytest.param(
        BUCKET,
        lifecycle({"NoncurrentVersionExpirationInDays": 7}),
        lifecycle({"NoncurrentVersionExpiration": {"NoncurrentDays": 7}}),
        id="days of old versions",
    ),
    pytest.param(
        BUCKET,
        lifecycle({"Transition": {**GLACIER, "StorageClass": "Glacier"}}),
        lifecycle({"Transitions": [GLACIER]}),
        id="one transition",
    ),
    pytest.param(
        BUCKET,
        lifecycle({"Transition": COLD, "Transitions": [GLACIER]}),
        lifecycle({"Transitions": [COLD, GLACIER]}),
        id="a transition beside others",
    ),
    pytest.param(
        BUCKET,
        lifecycle({"NoncurrentVersionTransition": GLACIER}),
        lifecycle({"NoncurrentVersionTransitions": [GLACIER]}),
        id="one transition of old versions",
    ),
    pytest.param(
        BUCKET,
        lifecycle({"Transitions": [{"StorageClass": "GLACIER", "TransitionDate": "2030-01-01T00:00:00.000Z"}]}),
        lifecycle({"Transitions": [{"StorageClass": "GLACIER", "TransitionDate": "2030-01-01T00:00:00Z"}]}),
        id="a date",
    ),
    pytest.param(BUCKET, notified("Prefix"), notified("prefix"), id="the name of a filter rule"),
    pytest.param("AWS::DynamoDB::Table", table("name", "at"), table("at", "name"), id="the attributes of a projection"),
    pytest.param(
        "AWS::SSM::Parameter",
        {"Name": "/orders", "Type": "String", "Value": "x", "Tier": "Intelligent-Tiering"},
        {"Name": "/orders", "Type": "String", "Value": "x", "Tier": "Standard"},
        id="a tier that AWS chooses",
    ),
    pytest.param(
        "AWS::SQS::Queue",
        {"RedriveAllowPolicy": '{"redrivePermission": "denyAll"}'},
        {"RedriveAllowPolicy": {"redrivePermission": "denyAll"}},
        id="a policy as text",
    ),
]
HELD = [
    pytest.param(lifecycle({"ExpirationInDays": 3}, TransitionDefaultMinimumObjectSize=size), id=size)
    for size in ("varies_by_storage_class", "all_storage_classes_128K")
] + [
    pytest.param(replicated({"TagFilter": TAG}), id="replication of a tag"),
    pytest.param(replicated({"And": {"Prefix": "in/", "TagFilters": [TAG]}}), id="replication of a prefix and a tag"),
]


def written(folder: Path, type_name: str, properties: Properties) -> Path:
    path = folder / "web.json"
    path.write_text(json.dumps({"Resources": {"Data": {"Type": type_name, "Properties": properties}}}))
    return path


@pytest.mark.parametrize(("type_name", "one", "other"), SAME)
def test_either_spelling_is_as_declared_and_the_other_one_changes_nothing(
    tmp_path: Path, type_name: str, one: Properties, other: Properties
) -> None:
    for begin, then in ((one, other), (other, one)):
        world = StrictWorld(Cloud)
        before = world.standing()
        world.run(written(tmp_path, type_name, begin), "web")
        settled(world)
        assert world.system.queries.plan("web").planning.plan.is_empty
        ids, made = world.ids("web"), len(world.changes())
        world.update(written(tmp_path, type_name, then), "web")
        settled(world)
        assert world.ids("web") == ids
        assert world.system.queries.plan("web").planning.plan.is_empty
        assert world.changes()[made:] == []
        gone(world, before)


@pytest.mark.parametrize("properties", HELD)
def test_what_is_declared_is_sent_and_read(tmp_path: Path, properties: Properties) -> None:
    world = StrictWorld(Cloud)
    world.run(written(tmp_path, BUCKET, properties), "web")
    settled(world)
    assert world.system.queries.plan("web").planning.plan.is_empty


def test_another_smallest_size_is_drift_and_is_repaired(tmp_path: Path) -> None:
    world = StrictWorld(Cloud)
    wanted = lifecycle({"ExpirationInDays": 3}, TransitionDefaultMinimumObjectSize="varies_by_storage_class")
    world.run(written(tmp_path, BUCKET, wanted), "web")
    settled(world)
    s3 = world.stranger().create_client("s3", REGION)
    found = s3.get_bucket_lifecycle_configuration(Bucket="orders-of-tenuto")
    assert found["TransitionDefaultMinimumObjectSize"] == "varies_by_storage_class"
    s3.put_bucket_lifecycle_configuration(
        Bucket="orders-of-tenuto",
        LifecycleConfiguration={"Rules": found["Rules"]},
        TransitionDefaultMinimumObjectSize="all_storage_classes_128K",
    )
    [change] = [
        one.path for operation in world.system.queries.plan("web").planning.plan.operations for one in operation.changes
    ]
    assert change.startswith("LifecycleConfiguration")
