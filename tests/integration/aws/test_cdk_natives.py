"""Work of functions of the CDK that Tenuto does itself: notifications of buckets, and the retention of log groups."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tenuto.model.cdk_types import BUCKET_NOTIFICATIONS, EVENT_BRIDGE, LOG_RETENTION
from tenuto.model.ids import JsonMap, LogicalId, Partition, PhysicalId, TypeName
from tenuto.model.outcome import Done
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

THING = LogicalId("Thing")
QUEUES = "QueueConfigurations"


@pytest.fixture
def make(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Callable[..., Bench]:
    def bench(name: TypeName, **properties: Any) -> Bench:
        thing = Example(name=THING, type=name, properties=properties)
        return Bench(
            ProviderCase(
                provider=provider, partition=partition, examples=(thing,), ids=ids, ops=ops, wait=lambda seconds: None
            )
        )

    return bench


@pytest.fixture
def bucket(stranger: Callable[[str], Any], ids: SeededIds) -> str:
    name = f"told-{ids.new('thing')}".lower()[:40]
    stranger("s3").create_bucket(Bucket=name)
    return name


@pytest.fixture
def queue(stranger: Callable[[str], Any], ids: SeededIds) -> str:
    url = stranger("sqs").create_queue(QueueName=f"told-{ids.new('thing')}"[:40])["QueueUrl"]
    return str(
        stranger("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    )


def told(queue: str, *events: str, prefix: str = "") -> JsonMap:
    rules = {"Filter": {"Key": {"FilterRules": [{"Name": "prefix", "Value": prefix}]}}} if prefix else {}
    return {"Events": list(events), "QueueArn": queue, **rules}


def changed(bench: Bench, properties: JsonMap) -> None:
    """Carry out an update, after what the last sweep shows."""
    request = replace(bench.requests[THING], properties=properties)
    request = replace(request, observed=bench.ready(request).properties)
    assert isinstance(bench.until_done(bench.provider.modify, request), Done)
    bench.requests[THING] = request


def events_of(stranger: Callable[[str], Any], bucket: str) -> set[str]:
    found = stranger("s3").get_bucket_notification_configuration(Bucket=bucket)
    return {event for one in found.get(QUEUES, ()) for event in one["Events"]}


CREATED, REMOVED, TAGGED = "s3:ObjectCreated:*", "s3:ObjectRemoved:*", "s3:ObjectTagging:*"


def test_notifications_are_changed_and_taken_out_and_those_of_others_stay(
    make: Callable[..., Bench], stranger: Callable[[str], Any], bucket: str, queue: str
) -> None:
    theirs = {QUEUES: [{"Id": "theirs", "QueueArn": queue, "Events": [TAGGED]}], "EventBridgeConfiguration": {}}
    stranger("s3").put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration=theirs)
    declared = {"BucketName": bucket, QUEUES: [told(queue, CREATED, prefix="in/")], "Managed": False}
    with make(BUCKET_NOTIFICATIONS, **declared) as bench:
        bench.make_all()
        assert events_of(stranger, bucket) == {CREATED, TAGGED}
        assert bench.ready(bench.requests[THING]).properties[QUEUES] == declared[QUEUES]
        changed(bench, {**declared, QUEUES: [told(queue, REMOVED)]})
        assert events_of(stranger, bucket) == {REMOVED, TAGGED}
        bench.remove(bench.requests[THING])
    found = stranger("s3").get_bucket_notification_configuration(Bucket=bucket)
    assert ([one["Id"] for one in found[QUEUES]], "EventBridgeConfiguration" in found) == (["theirs"], True)


def test_a_notification_that_was_taken_away_is_missed_and_put_back(
    make: Callable[..., Bench], stranger: Callable[[str], Any], bucket: str, queue: str
) -> None:
    declared = {"BucketName": bucket, QUEUES: [told(queue, CREATED)], EVENT_BRIDGE: True, "Managed": True}
    with make(BUCKET_NOTIFICATIONS, **declared) as bench:
        bench.make_all()
        stranger("s3").put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration={})
        shown = bench.ready(bench.requests[THING]).properties
        assert (shown[QUEUES], shown[EVENT_BRIDGE]) == ([], False)
        changed(bench, declared)
        shown = bench.ready(bench.requests[THING]).properties
        assert (shown[QUEUES], shown[EVENT_BRIDGE]) == (declared[QUEUES], True)
        bench.remove(bench.requests[THING])
    left = stranger("s3").get_bucket_notification_configuration(Bucket=bucket)
    assert QUEUES not in left
    assert "EventBridgeConfiguration" not in left


def test_what_the_function_of_the_cdk_made_is_taken_over_and_not_written_twice(
    make: Callable[..., Bench], stranger: Callable[[str], Any], bucket: str, queue: str
) -> None:
    before = {QUEUES: [{"Id": "made-by-the-cdk", **told(queue, CREATED, prefix="in/")}]}
    stranger("s3").put_bucket_notification_configuration(Bucket=bucket, NotificationConfiguration=before)
    with make(BUCKET_NOTIFICATIONS, BucketName=bucket, **{QUEUES: [told(queue, CREATED, prefix="in/")]}) as bench:
        bench.make_all()
        (only,) = stranger("s3").get_bucket_notification_configuration(Bucket=bucket)[QUEUES]
        assert only["Id"].startswith("tenuto-")
        bench.remove(bench.requests[THING])
    assert events_of(stranger, bucket) == set()


def test_a_creation_without_an_answer_is_found_by_its_mark(make: Callable[..., Bench], bucket: str, queue: str) -> None:
    with make(BUCKET_NOTIFICATIONS, BucketName=bucket, **{QUEUES: [told(queue, CREATED)]}) as bench:
        request = bench.request(bench.case.examples[0])
        assert bench.provider.find(bench.partition, [request])[0] is None
        (made,) = bench.provider.create(bench.partition, [request])
        assert isinstance(made, Done)
        found = bench.provider.find(bench.partition, [request])[0]
        assert found is not None
        assert found.physical_id == made.physical_id
        bench.remove(replace(request, physical_id=found.physical_id))


def retention(stranger: Callable[[str], Any], name: str) -> int | None:
    """The days that a group is kept, 0 for ever; None where there is no such group."""
    groups = stranger("logs").describe_log_groups(logGroupNamePrefix=name)["logGroups"]
    return next((one.get("retentionInDays", 0) for one in groups if one["logGroupName"] == name), None)


def test_a_log_group_that_is_there_is_taken_and_left_with_its_retention(
    make: Callable[..., Bench], stranger: Callable[[str], Any], ids: SeededIds
) -> None:
    name = f"/aws/lambda/{ids.new('thing')}"
    stranger("logs").create_log_group(logGroupName=name)
    with make(LOG_RETENTION, LogGroupName=name, RetentionInDays=7) as bench:
        bench.make_all()
        assert bench.requests[THING].physical_id == PhysicalId(name)
        assert retention(stranger, name) == 7
        stranger("logs").delete_retention_policy(logGroupName=name)
        assert bench.ready(bench.requests[THING]).properties["RetentionInDays"] == 0
        changed(bench, {"LogGroupName": name, "RetentionInDays": 14})
        assert retention(stranger, name) == 14
        changed(bench, {"LogGroupName": name})
        assert retention(stranger, name) == 0
        bench.remove(bench.requests[THING])
    assert retention(stranger, name) == 0


def test_a_log_group_is_made_where_there_is_none_and_goes_when_the_app_says_so(
    make: Callable[..., Bench], stranger: Callable[[str], Any], ids: SeededIds
) -> None:
    name = f"/aws/lambda/{ids.new('thing')}"
    with make(LOG_RETENTION, LogGroupName=name, RetentionInDays=1, RemovalPolicy="destroy") as bench:
        bench.make_all()
        assert retention(stranger, name) == 1
        bench.remove(bench.requests[THING])
    assert retention(stranger, name) is None
