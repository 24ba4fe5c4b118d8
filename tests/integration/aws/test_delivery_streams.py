"""Delivery streams with another destination than S3: sent when it is declared anew, and never read back."""

from dataclasses import replace

from block_examples import EXAMPLES, THING

from tenuto.model.ids import Partition, TypeName
from tenuto.model.outcome import Done
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, ProviderCase

NAME = TypeName("AWS::KinesisFirehose::DeliveryStream")
KEY = "hush-hush"


def test_a_key_of_a_destination_is_sent_once_and_never_read_back(
    provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps
) -> None:
    example = EXAMPLES[NAME]
    bucket = example.properties["ExtendedS3DestinationConfiguration"]
    backup = {name: bucket[name] for name in ("BucketARN", "RoleARN")}
    endpoint = {"Url": "https://example.com/in", "AccessKey": KEY}
    thing = replace(
        example.thing,
        properties={
            "HttpEndpointDestinationConfiguration": {"EndpointConfiguration": endpoint, "S3Configuration": backup}
        },
    )
    case = ProviderCase(
        provider=provider,
        partition=partition,
        examples=(*example.needs, thing),
        ids=ids,
        ops=ops,
        wait=lambda seconds: None,
    )
    with Bench(case) as bench:
        bench.make_all()
        made = bench.requests[THING]
        assert KEY not in str(bench.ready(made))
        before = len(ops.all)
        other = {"EndpointConfiguration": {**endpoint, "Url": "https://example.com/out"}, "S3Configuration": backup}
        changed = replace(made, properties=bench.resolved({"HttpEndpointDestinationConfiguration": other}))
        for _ in range(2):
            outcome = bench.until_done(bench.provider.modify, changed)
            assert isinstance(outcome, Done)
            changed = replace(changed, attributes={**changed.attributes, **outcome.attributes})
        assert [op.operation for op in ops.all[before:]] == ["UpdateDestination"]
        assert KEY not in str(changed.attributes)
        bench.remove(changed)
