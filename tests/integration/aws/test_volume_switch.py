"""The switch of a volume that lets it work on after a doubt about its data, which only a call of its own shows."""

from dataclasses import replace

from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto_testing.provider_conformance import Example

DATA = LogicalId("Data")
VOLUME = Example(
    name=DATA,
    type=TypeName("AWS::EC2::Volume"),
    properties={"Size": 1, "AvailabilityZone": "us-east-1a", "AutoEnableIO": True},
)


def test_the_switch_is_set_seen_and_put_back(bench_of: BenchOf) -> None:
    with bench_of((VOLUME,)) as bench:
        bench.make_all()
        request = bench.requests[DATA]
        assert bench.ready(request).properties["AutoEnableIO"] is True
        off = bench.configure(replace(request, properties={**request.properties, "AutoEnableIO": "false"}))
        assert bench.ready(off).properties["AutoEnableIO"] is False
        assert bench.differing(request, bench.ready(request)) == ("AutoEnableIO",)
        assert bench.differing(request, bench.ready(bench.configure(request))) == ()
