"""Queues and topics of the strict cloud: what is taken for the same, what is too soon, and what is listed late."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError
from strict_cloud import Somebody, Stage, code_of

from tenuto_testing.cloud import Lag, Pace

FRONT = "arn:aws:sns:us-east-1:123456789012:front"
QUEUE = "arn:aws:sqs:us-east-1:123456789012:front"
GONE = "AWS.SimpleQueueService.NonExistentQueue"
Refused = Callable[[Somebody], object]


def queue(me: Somebody, name: str = "front", **attributes: str) -> str:
    return str(me.sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"])


def topic(me: Somebody, name: str = "front", **more: Any) -> str:
    return str(me.sns.create_topic(Name=name, **more)["TopicArn"])


def test_a_queue_that_is_there_is_the_answer_when_it_is_as_ordered_and_a_refusal_when_not() -> None:
    me = Stage().me
    assert queue(me, DelaySeconds="5") == queue(me, DelaySeconds="5") == queue(me)
    assert code_of(lambda: queue(me, DelaySeconds="6")) == "QueueAlreadyExists"


def test_a_queue_is_known_by_name_at_once_and_listed_a_minute_later() -> None:
    stage = Stage(pace=Pace())
    url = queue(stage.me)
    assert stage.me.sqs.get_queue_url(QueueName="front")["QueueUrl"] == url
    assert "QueueUrls" not in stage.me.sqs.list_queues()
    stage.clock.advance(60.0)
    assert stage.me.sqs.list_queues()["QueueUrls"] == [url]


def test_a_deleted_queue_is_gone_at_once_listed_for_a_minute_and_its_name_is_taken_for_as_long() -> None:
    stage = Stage(pace=Pace())
    url = queue(stage.me)
    stage.clock.advance(60.0)
    stage.me.sqs.delete_queue(QueueUrl=url)
    assert code_of(lambda: stage.me.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])) == GONE
    assert stage.me.sqs.list_queues()["QueueUrls"] == [url]
    assert code_of(lambda: queue(stage.me)) == "AWS.SimpleQueueService.QueueDeletedRecently"
    stage.clock.advance(59.0)
    assert code_of(lambda: queue(stage.me)) == "AWS.SimpleQueueService.QueueDeletedRecently"
    stage.clock.advance(1.0)
    assert "QueueUrls" not in stage.me.sqs.list_queues()
    queue(stage.me)


def test_a_queue_tells_both_codes_of_a_refusal() -> None:
    me = Stage().me
    with pytest.raises(ClientError) as refused:
        me.sqs.get_queue_url(QueueName="nobody")
    error = refused.value.response["Error"]
    assert (error["Code"], error["QueryErrorCode"]) == (GONE, "QueueDoesNotExist")


def test_queues_come_in_pages_of_the_size_that_was_asked_for() -> None:
    me = Stage().me
    urls = [queue(me, f"front-{number}") for number in range(5)]
    first = me.sqs.list_queues(MaxResults=3)
    second = me.sqs.list_queues(MaxResults=3, NextToken=first["NextToken"])
    assert first["QueueUrls"] + second["QueueUrls"] == urls
    assert "NextToken" not in second
    assert code_of(lambda: me.sqs.list_queues(MaxResults=1001)) == "InvalidParameterValue"


@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("InvalidParameterValue", lambda me: queue(me, "bad name")),
        ("InvalidParameterValue", lambda me: queue(me, "x" * 81)),
        ("InvalidParameterValue", lambda me: queue(me, "front.fifo")),
        ("InvalidParameterValue", lambda me: queue(me, "front", FifoQueue="true")),
        ("InvalidAttributeName", lambda me: queue(me, ContentBasedDeduplication="true")),
        ("InvalidAttributeName", lambda me: queue(me, Colour="red")),
        ("InvalidAttributeValue", lambda me: queue(me, VisibilityTimeout="43201")),
        ("InvalidAttributeValue", lambda me: queue(me, DelaySeconds="soon")),
        ("InvalidAttributeValue", lambda me: queue(me, KmsMasterKeyId="k", SqsManagedSseEnabled="true")),
        (
            "InvalidParameterValue",
            lambda me: queue(me, RedrivePolicy=json.dumps({"deadLetterTargetArn": QUEUE, "maxReceiveCount": 3})),
        ),
        ("InvalidParameterValue", lambda me: me.sqs.create_queue(QueueName="front", tags={"aws:x": "y"})),
        (
            "InvalidParameterValue",
            lambda me: me.sqs.create_queue(QueueName="front", tags={f"k{n}": "v" for n in range(51)}),
        ),
        (
            "InvalidAttributeName",
            lambda me: me.sqs.set_queue_attributes(QueueUrl=queue(me), Attributes={"FifoQueue": "true"}),
        ),
        (GONE, lambda me: me.sqs.delete_queue(QueueUrl="https://sqs.us-east-1.amazonaws.com/123456789012/nobody")),
        ("MissingParameter", lambda me: me.sqs.create_queue()),
        ("SerializationException", lambda me: me.sqs.create_queue(QueueName=5)),
        ("InvalidParameter", lambda me: topic(me, "bad name")),
        ("InvalidParameter", lambda me: topic(me, "front.fifo")),
        ("InvalidParameter", lambda me: topic(me, Attributes={"Colour": "red"})),
        ("InvalidParameter", lambda me: topic(me, Attributes={"DisplayName": "x" * 101})),
        ("InvalidParameter", lambda me: topic(me, Tags=[{"Key": "aws:x", "Value": "y"}])),
        ("TagLimitExceeded", lambda me: topic(me, Tags=[{"Key": f"k{n}", "Value": ""} for n in range(51)])),
        ("NotFound", lambda me: me.sns.get_topic_attributes(TopicArn=FRONT)),
        ("InvalidParameter", lambda me: me.sns.get_topic_attributes(TopicArn="front")),
        ("ResourceNotFound", lambda me: me.sns.list_tags_for_resource(ResourceArn=FRONT)),
        ("NotFound", lambda me: me.sns.subscribe(TopicArn=FRONT, Protocol="sqs", Endpoint=QUEUE)),
        ("InvalidParameter", lambda me: me.sns.subscribe(TopicArn=topic(me), Protocol="sqs", Endpoint="front")),
        ("InvalidParameter", lambda me: me.sns.subscribe(TopicArn=topic(me), Protocol="pigeon", Endpoint="front")),
        (
            "InvalidParameter",
            lambda me: me.sns.subscribe(TopicArn=topic(me), Protocol="sqs", Endpoint=f"{QUEUE}.fifo"),
        ),
        (
            "InvalidParameter",
            lambda me: me.sns.subscribe(
                TopicArn=topic(me), Protocol="email", Endpoint="a@b.example", Attributes={"RawMessageDelivery": "true"}
            ),
        ),
    ],
)
def test_what_queues_and_topics_do_not_take_is_refused_in_their_words(code: str, call: Refused) -> None:
    assert code_of(lambda: call(Stage().me)) == code


def test_a_dead_letter_queue_must_be_there_and_of_the_same_type() -> None:
    me = Stage().me
    queue(me, "dead.fifo", FifoQueue="true")
    policy = json.dumps({"deadLetterTargetArn": f"{QUEUE[:-5]}dead.fifo", "maxReceiveCount": 3})
    assert code_of(lambda: queue(me, RedrivePolicy=policy)) == "InvalidParameterValue"
    queue(me, "front.fifo", FifoQueue="true", RedrivePolicy=policy)


def test_a_topic_that_is_there_is_the_answer_when_it_is_as_ordered_and_a_refusal_when_not() -> None:
    me, tags = Stage().me, [{"Key": "team", "Value": "web"}]
    assert topic(me, Attributes={"DisplayName": "f"}, Tags=tags) == FRONT
    assert topic(me, Attributes={"DisplayName": "f"}, Tags=tags) == topic(me) == FRONT
    assert code_of(lambda: topic(me, Attributes={"DisplayName": "g"})) == "InvalidParameter"
    assert code_of(lambda: topic(me, Tags=[{"Key": "team", "Value": "db"}])) == "InvalidParameter"


def test_deleting_a_topic_twice_is_no_error_and_takes_its_subscriptions_along() -> None:
    me = Stage().me
    me.sns.subscribe(TopicArn=topic(me), Protocol="sqs", Endpoint=QUEUE)
    for _ in range(2):
        me.sns.delete_topic(TopicArn=FRONT)
    assert me.sns.list_subscriptions()["Subscriptions"] == []


def test_people_must_agree_to_a_subscription_and_until_then_it_cannot_be_ended() -> None:
    me = Stage().me
    order = {"TopicArn": topic(me), "Protocol": "email", "Endpoint": "a@b.example"}
    assert me.sns.subscribe(**order)["SubscriptionArn"] == "pending confirmation"
    arn = me.sns.subscribe(**order, ReturnSubscriptionArn=True)["SubscriptionArn"]
    (listed,) = me.sns.list_subscriptions_by_topic(TopicArn=FRONT)["Subscriptions"]
    assert listed["SubscriptionArn"] == "PendingConfirmation"
    assert code_of(lambda: me.sns.unsubscribe(SubscriptionArn=arn)) == "InvalidParameter"


def test_a_second_subscription_of_an_endpoint_is_the_first_unless_it_would_be_another() -> None:
    me = Stage().me
    order = {"TopicArn": topic(me), "Protocol": "sqs", "Endpoint": QUEUE}
    assert me.sns.subscribe(**order)["SubscriptionArn"] == me.sns.subscribe(**order)["SubscriptionArn"]
    other = {"RawMessageDelivery": "true"}
    assert code_of(lambda: me.sns.subscribe(**order, Attributes=other)) == "InvalidParameter"


def test_topics_come_in_pages_of_a_hundred() -> None:
    me = Stage().me
    for number in range(101):
        topic(me, f"front-{number:03}")
    first = me.sns.list_topics()
    second = me.sns.list_topics(NextToken=first["NextToken"])
    assert [len(page["Topics"]) for page in (first, second)] == [100, 1]
    assert "NextToken" not in second


def test_a_new_queue_and_a_new_topic_are_not_known_until_their_time_has_come() -> None:
    stage = Stage(lag=Lag(new_s=3.0))
    url, arn = queue(stage.me), topic(stage.me)
    assert code_of(lambda: stage.me.sqs.get_queue_url(QueueName="front")) == GONE
    assert code_of(lambda: stage.me.sns.get_topic_attributes(TopicArn=arn)) == "NotFound"
    stage.clock.advance(3.0)
    assert stage.me.sqs.get_queue_url(QueueName="front")["QueueUrl"] == url
    assert stage.me.sns.list_topics()["Topics"] == [{"TopicArn": arn}]
