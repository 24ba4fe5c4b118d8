"""Recorders of AWS Config that somebody else made: they record on, whatever becomes of a channel of ours."""

from collections.abc import Iterator
from typing import Any

import botocore.session
import pytest

from tenuto.model.ids import LogicalId, Partition, TypeName
from tenuto.model.outcome import Done, Pending
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

ROLE = "arn:aws:iam::123456789012:role/recorder"
NEEDS = (
    Example(name=LogicalId("Bucket"), type=TypeName("AWS::S3::Bucket"), properties={}),
    Example(
        name=LogicalId("Channel"),
        type=TypeName("AWS::Config::DeliveryChannel"),
        properties={"S3BucketName": {"Ref": "Bucket"}},
    ),
)


@pytest.fixture
def client(session: botocore.session.Session) -> Any:
    return session.create_client("config", region_name="us-east-1")


@pytest.fixture
def bench(
    provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps, client: Any
) -> Iterator[Bench]:
    client.put_configuration_recorder(ConfigurationRecorder={"name": "audit", "roleARN": ROLE})
    case = ProviderCase(
        provider=provider, partition=partition, examples=NEEDS, ids=ids, ops=ops, wait=lambda seconds: None
    )
    with Bench(case) as made:
        made.make_all()
        yield made


def is_recording(client: Any) -> bool:
    (status,) = client.describe_configuration_recorder_status()["ConfigurationRecordersStatus"]
    return bool(status["recording"])


def test_a_channel_waits_for_a_recorder_of_somebody_else_and_never_stops_it(bench: Bench, client: Any) -> None:
    assert is_recording(client)
    request = bench.requests[LogicalId("Channel")]
    (outcome,) = bench.provider.delete(bench.partition, [request])
    assert isinstance(outcome, Pending)
    assert outcome.is_held
    assert is_recording(client)
    client.delete_configuration_recorder(ConfigurationRecorderName="audit")
    (outcome,) = bench.provider.delete(bench.partition, [request])
    assert isinstance(outcome, Done)
    assert not client.describe_delivery_channels()["DeliveryChannels"]
