"""Clusters of DAX: nodes come and go where a composition says, and are never moved."""

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
    "NodeType": "dax.t3.small",
    "ReplicationFactor": 3,
    "AvailabilityZones": ["us-east-1a", "us-east-1b", "us-east-1c"],
    "IAMRoleARN": "arn:aws:iam::123456789012:role/dax",
}
ANYWHERE = {name: value for name, value in CLUSTER.items() if name != "AvailabilityZones"} | {"ReplicationFactor": 1}


@pytest.fixture
def bench(bench_of: BenchOf, request: pytest.FixtureRequest) -> Bench:
    return bench_of((Example(name=THING, type=TypeName("AWS::DAX::Cluster"), properties=request.param),))


def zones_of(client: Any) -> dict[str, str]:
    [cluster] = client.describe_clusters()["Clusters"]
    return {node["NodeId"]: node["AvailabilityZone"] for node in cluster["Nodes"]}


@pytest.mark.parametrize("bench", [CLUSTER], indirect=True)
def test_the_node_that_goes_is_that_of_the_zone_that_is_not_declared_any_more(
    bench: Bench, stranger: Callable[[str], Any]
) -> None:
    with bench:
        bench.make_all()
        fewer = {"ReplicationFactor": 2, "AvailabilityZones": ["us-east-1b", "us-east-1c"]}
        assert isinstance(changed(bench, **fewer), Done)
        assert zones_of(stranger("dax")) == {"front-b": "us-east-1b", "front-c": "us-east-1c"}


@pytest.mark.parametrize("bench", [ANYWHERE], indirect=True)
def test_a_cluster_without_zones_grows_and_loses_its_last_nodes(bench: Bench, stranger: Callable[[str], Any]) -> None:
    with bench:
        bench.make_all()
        assert isinstance(changed(bench, ReplicationFactor=3), Done)
        assert isinstance(changed(bench, ReplicationFactor=2), Done)
        assert sorted(zones_of(stranger("dax"))) == ["front-a", "front-b"]


@pytest.mark.parametrize("bench", [{**ANYWHERE, "AvailabilityZones": ["us-east-1a"]}], indirect=True)
def test_nodes_that_come_are_put_where_none_is_and_none_is_moved(bench: Bench, stranger: Callable[[str], Any]) -> None:
    with bench:
        bench.make_all()
        more = {"ReplicationFactor": 3, "AvailabilityZones": ["us-east-1c", "us-east-1b", "us-east-1a"]}
        assert isinstance(changed(bench, **more), Done)
        assert sorted(zones_of(stranger("dax")).values()) == ["us-east-1a", "us-east-1b", "us-east-1c"]
        before = len(bench.case.ops.all)
        outcome = changed(bench, AvailabilityZones=["us-east-1a", "us-east-1a", "us-east-1d"])
        assert isinstance(outcome, Refused)
        assert "moves none" in outcome.message
        assert len(bench.case.ops.all) == before


@pytest.mark.parametrize("bench", [CLUSTER], indirect=True)
def test_the_endpoint_of_a_cluster_has_its_port(bench: Bench) -> None:
    with bench:
        bench.make_all()
        attributes = bench.ready(bench.requests[THING]).attributes
        assert attributes["ClusterDiscoveryEndpoint"].endswith(":8111")
        assert attributes["ClusterDiscoveryEndpointURL"].startswith("dax://front.")
        assert attributes["Id"] == "front"
