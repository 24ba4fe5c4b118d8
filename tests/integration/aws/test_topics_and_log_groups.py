"""Settings of topics and log groups that cannot be as they are declared, or that a thing of another kind lacks."""

from dataclasses import replace
from typing import Any

import pytest
from block_examples import THING, BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto.model.outcome import Refused
from tenuto_testing.provider_conformance import Example

ROLE = "arn:aws:iam::123456789012:role/logs"
LOGS = [{"Protocol": "sqs", "FailureFeedbackRoleArn": ROLE}, {"Protocol": "lambda", "FailureFeedbackRoleArn": ROLE}]


@pytest.mark.parametrize(
    ("type_name", "properties", "told"),
    [
        ("AWS::SNS::Topic", {"DeliveryStatusLogging": [{"Protocol": "sqs"}]}, "says nothing but its protocol"),
        (
            "AWS::SNS::Topic",
            {"DeliveryStatusLogging": [{"Protocol": "sqs", "SuccessFeedbackSampleRate": "0"}]},
            "says nothing but its protocol",
        ),
        ("AWS::Logs::LogGroup", {"FieldIndexPolicies": [{"Fields": ["one"]}, {"Fields": ["two"]}]}, "one index policy"),
    ],
)
def test_a_setting_that_would_never_be_shown_is_refused(
    bench_of: BenchOf, type_name: str, properties: dict[str, Any], told: str
) -> None:
    with bench_of((Example(name=THING, type=TypeName(type_name), properties={}),)) as bench:
        [made] = bench.make_all()
        [outcome] = bench.provider.modify(bench.partition, [replace(made, properties=properties)])
        assert isinstance(outcome, Refused)
        assert told in outcome.message


def test_a_topic_that_keeps_the_order_is_found_although_it_has_no_protection_of_data(bench_of: BenchOf) -> None:
    topic = Example(name=THING, type=TypeName("AWS::SNS::Topic"), properties={"FifoTopic": True})
    with bench_of((topic,)) as bench:
        bench.make_all()
        asked = replace(bench.requests[THING], physical_id=None, observed=None, attributes={})
        [found] = bench.provider.find(bench.partition, [asked])
        assert found is not None
        assert "DataProtectionPolicy" not in found.properties


def test_the_log_of_one_protocol_changes_without_that_of_another(bench_of: BenchOf) -> None:
    topic = Example(
        name=LogicalId("Topic"), type=TypeName("AWS::SNS::Topic"), properties={"DeliveryStatusLogging": LOGS}
    )
    with bench_of((topic,)) as bench:
        [made] = bench.make_all()
        before = len(bench.case.ops.all)
        changed = bench.configure(replace(made, properties={"DeliveryStatusLogging": LOGS[:1]}))
        assert [op.operation for op in bench.case.ops.all[before:]] == ["SetTopicAttributes"]
        assert (changed.observed or {})["DeliveryStatusLogging"] == LOGS[:1]


def test_a_subscription_may_name_the_region_of_its_topic_and_no_other(bench_of: BenchOf) -> None:
    """The region of the process is often written with `AWS::Region`."""
    topic = Example(name=LogicalId("Topic"), type=TypeName("AWS::SNS::Topic"), properties={})
    queue = Example(name=LogicalId("Queue"), type=TypeName("AWS::SQS::Queue"), properties={})
    declared = {
        "TopicArn": {"Ref": "Topic"},
        "Protocol": "sqs",
        "Endpoint": {"Fn::GetAtt": ["Queue", "Arn"]},
        "Region": "us-east-1",
    }
    own = Example(name=LogicalId("Own"), type=TypeName("AWS::SNS::Subscription"), properties=declared)
    with bench_of((topic, queue, own)) as bench:
        *_, made = bench.make_all()
        assert not bench.differing(made, bench.ready(made))
        other = {**made.properties, "Region": "eu-west-1", "Endpoint": "arn:aws:sqs:us-east-1:123456789012:other"}
        elsewhere = replace(made, properties=other, physical_id=None)
        for outcome in (
            *bench.provider.create(bench.partition, [elsewhere]),
            *bench.provider.modify(bench.partition, [replace(elsewhere, physical_id=made.physical_id)]),
        ):
            assert isinstance(outcome, Refused)
            assert "composition of the region of the topic" in outcome.message
