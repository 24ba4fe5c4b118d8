"""Caches: nodes come and go and are never moved, shards and replicas change in place, endpoints are texts."""

from collections.abc import Callable
from typing import Any

import pytest
from block_examples import THING, BenchOf
from changing import changed

from tenuto.model.ids import TypeName
from tenuto.model.outcome import Done, Refused
from tenuto_testing.provider_conformance import Bench, Example

CLUSTER = {
    "ClusterName": "front",
    "Engine": "memcached",
    "CacheNodeType": "cache.t3.micro",
    "NumCacheNodes": 3,
    "AZMode": "cross-az",
    "PreferredAvailabilityZones": ["us-east-1a", "us-east-1b", "us-east-1a"],
}
GROUP = {
    "ReplicationGroupId": "front",
    "ReplicationGroupDescription": "the front",
    "CacheNodeType": "cache.t3.micro",
    "Engine": "redis",
}


@pytest.fixture
def bench(bench_of: BenchOf, request: pytest.FixtureRequest) -> Bench:
    kind, properties = request.param
    return bench_of((Example(name=THING, type=TypeName(f"AWS::ElastiCache::{kind}"), properties=properties),))


SPREAD = {name: value for name, value in CLUSTER.items() if name != "PreferredAvailabilityZones"}


@pytest.mark.parametrize("bench", [("CacheCluster", SPREAD)], indirect=True)
def test_nodes_across_zones_that_are_not_told_are_as_declared(bench: Bench) -> None:
    with bench:
        bench.make_all()
        request = bench.requests[THING]
        assert bench.ready(request).properties["AZMode"] == "cross-az"
        assert bench.differing(request, bench.ready(request)) == ()


@pytest.mark.parametrize("bench", [("CacheCluster", CLUSTER)], indirect=True)
def test_nodes_that_go_are_the_last_ones_and_none_is_moved(bench: Bench, stranger: Callable[[str], Any]) -> None:
    with bench:
        bench.make_all()
        fewer = {"NumCacheNodes": 2, "PreferredAvailabilityZones": CLUSTER["PreferredAvailabilityZones"][:2]}
        assert isinstance(changed(bench, **fewer), Done)
        [cluster] = stranger("elasticache").describe_cache_clusters(ShowCacheNodeInfo=True)["CacheClusters"]
        assert [node["CacheNodeId"] for node in cluster["CacheNodes"]] == ["0001", "0002"]
        for moved in ({"PreferredAvailabilityZones": ["us-east-1a", "us-east-1c"]}, {"AZMode": "single-az"}):
            before = len(bench.case.ops.all)
            outcome = changed(bench, **moved)
            assert isinstance(outcome, Refused)
            assert "moves none" in outcome.message
            assert len(bench.case.ops.all) == before


@pytest.mark.parametrize(
    "bench", [("ReplicationGroup", {**GROUP, "NumNodeGroups": 2, "ReplicasPerNodeGroup": 1})], indirect=True
)
def test_shards_and_replicas_of_a_group_change_in_place(bench: Bench) -> None:
    with bench:
        bench.make_all()
        attributes = bench.ready(bench.requests[THING]).attributes
        assert attributes["ConfigurationEndPoint.Port"] == "6379"
        assert "PrimaryEndPoint.Address" not in attributes
        for sizes in ({"NumNodeGroups": 3}, {"NumNodeGroups": 1}, {"ReplicasPerNodeGroup": 2}):
            assert isinstance(changed(bench, **sizes), Done)
        shown = bench.ready(bench.requests[THING]).properties
        assert (shown["NumNodeGroups"], shown["ReplicasPerNodeGroup"], shown["NumCacheClusters"]) == (1, 2, 3)


@pytest.mark.parametrize("bench", [("ReplicationGroup", {**GROUP, "NumCacheClusters": 2})], indirect=True)
def test_the_endpoints_of_a_group_are_what_cloudformation_answers(bench: Bench) -> None:
    with bench:
        bench.make_all()
        attributes = bench.ready(bench.requests[THING]).attributes
        assert attributes["PrimaryEndPoint.Port"] == "6379"
        assert attributes["ReaderEndPoint.Address"].startswith("replica.front")
        hosts = attributes["ReadEndPoint.AddressesList"]
        assert len(hosts) == 2
        assert attributes["ReadEndPoint.Addresses"] == f"[{', '.join(hosts)}]"
        assert (attributes["ReadEndPoint.Ports"], attributes["ReadEndPoint.PortsList"]) == (
            "[6379, 6379]",
            ["6379"] * 2,
        )
