"""Streams of Kinesis on demand: the throughput that they are ready for, and the way in which they spread records."""

from dataclasses import replace

import pytest
from billing import gives_back
from block_examples import THING, BenchOf

from tenuto.model.ids import JsonMap, TypeName
from tenuto_testing.provider_conformance import Bench, Example

WARM, SPREAD = "WarmThroughputMiBps", "RecordDistributionStrategy"
ON_DEMAND = {"Name": "clicks", "StreamModeDetails": {"StreamMode": "ON_DEMAND"}}


@pytest.fixture
def bench(bench_of: BenchOf, request: pytest.FixtureRequest) -> Bench:
    return bench_of((Example(name=THING, type=TypeName("AWS::Kinesis::Stream"), properties=request.param),))


def shown(bench: Bench) -> JsonMap:
    return bench.ready(bench.requests[THING]).properties


@pytest.mark.parametrize("bench", [{**ON_DEMAND, WARM: "100", SPREAD: "AUTO"}], indirect=True)
def test_a_stream_on_demand_has_its_throughput_and_its_way_from_the_beginning(bench: Bench) -> None:
    with bench:
        (request,) = bench.make_all()
        assert bench.differing(request, bench.ready(request)) == ()
        assert (shown(bench)[WARM], shown(bench)[SPREAD]) == (100, "AUTO")


@pytest.mark.parametrize("bench", [{**ON_DEMAND, WARM: 100, SPREAD: "AUTO"}], indirect=True)
def test_the_throughput_and_the_way_of_a_stream_change_in_place_and_the_way_goes_back(bench: Bench) -> None:
    with bench:
        (request,) = bench.make_all()
        more = bench.configure(replace(request, properties={**request.properties, WARM: 200}))
        assert shown(bench)[WARM] == 200
        back, _ = gives_back(bench, more, {SPREAD: "USER_PARTITION_KEY"})
        assert (back.observed or {})[SPREAD] == "USER_PARTITION_KEY"


@pytest.mark.parametrize("bench", [{"Name": "clicks", "ShardCount": 1}], indirect=True)
def test_a_stream_that_becomes_one_on_demand_gets_its_throughput_afterwards(bench: Bench) -> None:
    with bench:
        (request,) = bench.make_all()
        bench.configure(replace(request, properties={**ON_DEMAND, WARM: 100, SPREAD: "AUTO"}))
        assert (shown(bench)[WARM], shown(bench)[SPREAD]) == (100, "AUTO")
