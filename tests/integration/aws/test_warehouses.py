"""A cluster of Redshift: a last snapshot of it, another one from that, and changes that go only by themselves."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from block_examples import BenchOf
from scripted_world import World, a_request

from tenuto.model.ids import Json, LogicalId, TypeName
from tenuto.model.outcome import Done
from tenuto_testing.provider_conformance import Bench, Example

FIRST, SECOND = LogicalId("First"), LogicalId("Second")
SIZE: dict[str, Json] = {"ClusterType": "multi-node", "NodeType": "ra3.large", "NumberOfNodes": 2}
DECLARED: dict[str, Json] = {
    "DBName": "sales",
    "MasterUsername": "keeper",
    "MasterUserPassword": "not-a-Secret-1",
    "Tags": [{"Key": "team", "Value": "web"}],
}


def a_cluster(name: LogicalId, **properties: Json) -> Example:
    declared = {"ClusterIdentifier": name.lower(), **DECLARED, **SIZE, **properties}
    return Example(name=name, type=TypeName("AWS::Redshift::Cluster"), properties=declared)


def calls_for(bench: Bench, name: LogicalId, **properties: Json) -> list[str]:
    """The changes of a cluster for these values of properties."""
    request = bench.requests[name]
    before = len(bench.case.ops.all)
    bench.configure(replace(request, properties={**request.properties, **properties}))
    return [op.operation for op in bench.case.ops.all[before:]]


def test_a_cluster_is_made_from_the_last_snapshot_of_another_one(
    bench_of: BenchOf, stranger: Callable[[str], Any]
) -> None:
    with bench_of((a_cluster(FIRST),)) as bench:
        bench.make_all()
        bench.remove(replace(bench.requests[FIRST], keeps_snapshot=True))
        (kept,) = stranger("redshift").describe_cluster_snapshots(SnapshotType="manual")["Snapshots"]
        before = len(bench.case.ops.all)
        bench.make(bench.request(a_cluster(SECOND, SnapshotIdentifier=kept["SnapshotIdentifier"])))
        made = [op.operation for op in bench.case.ops.all[before:]]
        # No call that restores a cluster takes tags or a password.
        assert made == ["RestoreFromClusterSnapshot", "CreateTags", "ModifyCluster"]
        second = bench.requests[SECOND]
        item = bench.ready(second)
        assert item.owner == bench.owner(second)
        assert bench.differing(second, item) == ()
        bench.remove(second)
        left = stranger("redshift").describe_cluster_snapshots(SnapshotType="manual")["Snapshots"]
        assert left == [kept]


def test_another_size_and_another_encryption_go_by_themselves(bench_of: BenchOf) -> None:
    with bench_of((a_cluster(FIRST),)) as bench:
        bench.make_all()
        change = {"NodeType": "ra3.xlplus", "Encrypted": True, "ManualSnapshotRetentionPeriod": 5, "Port": 5440}
        assert calls_for(bench, FIRST, **change) == ["ModifyCluster"] * 3
        assert calls_for(bench, FIRST, **change) == []


def test_a_cluster_of_one_node_is_made_without_a_number_of_nodes(world: World) -> None:
    shown = "<Cluster><ClusterIdentifier>first</ClusterIdentifier></Cluster>"
    answer = f"<CreateClusterResponse><CreateClusterResult>{shown}</CreateClusterResult></CreateClusterResponse>"
    world.endpoint.scripts["CreateCluster"] = [(200, answer)]
    declared = a_cluster(FIRST, ClusterType="single-node", NumberOfNodes=1)
    assert isinstance(world.create(a_request(declared.type, declared.properties)), Done)
    (given,) = [form for called, form in world.endpoint.calls if called == "CreateCluster"]
    assert given["ClusterType"] == "single-node"
    assert "NumberOfNodes" not in given
