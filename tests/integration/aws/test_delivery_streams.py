"""Delivery streams with another destination than S3: sent when it is declared anew, and never read back."""

from dataclasses import replace

from block_examples import EXAMPLES, THING, BenchOf

from tenuto.model.ids import TypeName
from tenuto.model.outcome import Done
from tenuto_testing.ops import RecordedOps

NAME = TypeName("AWS::KinesisFirehose::DeliveryStream")
KEY = "hush-hush"


def test_a_key_of_a_destination_is_sent_once_and_never_read_back(bench_of: BenchOf, ops: RecordedOps) -> None:
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
    with bench_of((*example.needs, thing)) as bench:
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
