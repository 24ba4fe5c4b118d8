"""A database that is made of another one, as that was at some moment, or of a snapshot of it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from block_examples import BenchOf
from scripted_endpoint import refusal
from scripted_world import World, a_request

from tenuto.model.ids import Json, LogicalId, TypeName
from tenuto.model.outcome import Done, Refused
from tenuto_testing.provider_conformance import Bench, Example

CLUSTER, INSTANCE, DOCUMENTS = "AWS::RDS::DBCluster", "AWS::RDS::DBInstance", "AWS::DocDB::DBCluster"
OF_CLUSTERS, OF_INSTANCES = "RestoreDBClusterToPointInTime", "RestoreDBInstanceToPointInTime"
PASSWORD = {"MasterUserPassword": "not-a-secret-here"}
KEEPER: dict[str, Json] = {"MasterUsername": "keeper", **PASSWORD}
SIZE: dict[str, Json] = {"DBInstanceClass": "db.t3.micro", "Engine": "mysql", "AllocatedStorage": "20"}
FIRST, SECOND = LogicalId("First"), LogicalId("Second")
AURORA: dict[str, Json] = {"Engine": "aurora-mysql"}
OF_FIRST: dict[str, Json] = {"Ref": FIRST}


def an_example(name: LogicalId, kind: str, properties: dict[str, Json]) -> Example:
    identifier = "DBInstanceIdentifier" if kind == INSTANCE else "DBClusterIdentifier"
    return Example(name=name, type=TypeName(kind), properties={identifier: name.lower(), **properties})


def calls_for(bench: Bench, example: Example) -> list[str]:
    """The calls that make one."""
    before = len(bench.case.ops.all)
    bench.make(bench.request(example))
    return [op.operation for op in bench.case.ops.all[before:]]


@pytest.mark.parametrize(
    ("kind", "first", "moment", "call"),
    [
        (CLUSTER, AURORA, {"SourceDBClusterIdentifier": OF_FIRST, "UseLatestRestorableTime": True}, OF_CLUSTERS),
        (
            CLUSTER,
            AURORA,
            {
                "SourceDbClusterResourceId": {"Fn::GetAtt": [FIRST, "DBClusterResourceId"]},
                "RestoreType": "copy-on-write",
                "UseLatestRestorableTime": True,
            },
            OF_CLUSTERS,
        ),
        (
            CLUSTER,
            AURORA,
            {"SourceDBClusterIdentifier": OF_FIRST, "RestoreToTime": "2026-01-02T03:04:05Z"},
            OF_CLUSTERS,
        ),
        (DOCUMENTS, {}, {"SourceDBClusterIdentifier": OF_FIRST, "UseLatestRestorableTime": True}, OF_CLUSTERS),
        (INSTANCE, SIZE, {"SourceDBInstanceIdentifier": OF_FIRST, "UseLatestRestorableTime": True}, OF_INSTANCES),
        (INSTANCE, SIZE, {"SourceDBInstanceIdentifier": OF_FIRST, "RestoreTime": "2026-01-02T03:04:05Z"}, OF_INSTANCES),
    ],
    ids=["latest", "clone", "moment", "documents", "instance", "moment of an instance"],
)
def test_a_database_is_made_of_another_one(
    kind: str, first: dict[str, Json], moment: dict[str, Json], call: str, bench_of: BenchOf
) -> None:
    with bench_of((an_example(FIRST, kind, {**first, **KEEPER}),)) as bench:
        bench.make_all()
        made = calls_for(bench, an_example(SECOND, kind, {**first, **moment, "CopyTagsToSnapshot": True}))
        assert made[0] == call
        second = bench.requests[SECOND]
        item = bench.ready(second)
        assert second.physical_id == "second"
        assert item.owner == bench.owner(second)
        assert item.properties["MasterUsername"] == "keeper"
        assert bench.differing(second, item) == ()


@pytest.mark.parametrize(
    ("kind", "first", "source"),
    [
        (CLUSTER, AURORA, {"SourceDBClusterIdentifier": OF_FIRST}),
        (DOCUMENTS, {}, {"SourceDBClusterIdentifier": OF_FIRST}),
        (INSTANCE, SIZE, {"SourceDBInstanceIdentifier": OF_FIRST}),
    ],
    ids=["cluster", "documents", "instance"],
)
def test_a_restored_database_gets_its_own_password_once(
    kind: str, first: dict[str, Json], source: dict[str, Json], bench_of: BenchOf
) -> None:
    modify = "ModifyDBInstance" if kind == INSTANCE else "ModifyDBCluster"
    own: dict[str, Json] = {
        **first,
        **source,
        "UseLatestRestorableTime": True,
        "MasterUserPassword": "another-one-here",
    }
    with bench_of((an_example(FIRST, kind, {**first, **KEEPER}),)) as bench:
        bench.make_all()
        assert modify in calls_for(bench, an_example(SECOND, kind, own))
        before = len(bench.case.ops.all)
        bench.configure(bench.requests[SECOND])
        assert [op.operation for op in bench.case.ops.all[before:]] == []


@pytest.mark.parametrize("is_declared_still", [True, False])
def test_a_restored_instance_leaves_a_last_snapshot_and_a_replica_none(
    is_declared_still: bool, bench_of: BenchOf, stranger: Callable[[str], Any]
) -> None:
    source: dict[str, Json] = {"SourceDBInstanceIdentifier": OF_FIRST}
    moment: dict[str, Json] = {"UseLatestRestorableTime": True}
    third = LogicalId("Third")
    with bench_of((an_example(FIRST, INSTANCE, {**SIZE, **KEEPER}),)) as bench:
        bench.make_all()
        restored = calls_for(bench, an_example(SECOND, INSTANCE, {**SIZE, **source, **moment}))
        assert restored[0] == OF_INSTANCES
        followed = calls_for(bench, an_example(third, INSTANCE, {"DBInstanceClass": "db.t3.micro", **source}))
        assert followed[0] == "CreateDBInstanceReadReplica"
        for name, found in ((third, 0), (SECOND, 1)):
            there = bench.requests[name]
            left = {one: value for one, value in there.properties.items() if is_declared_still or one not in moment}
            bench.remove(replace(there, properties=left, keeps_snapshot=True))
            kept = stranger("rds").describe_db_snapshots(SnapshotType="manual", DBInstanceIdentifier=name.lower())
            assert len(kept["DBSnapshots"]) == found
            for one in kept["DBSnapshots"]:
                stranger("rds").delete_db_snapshot(DBSnapshotIdentifier=one["DBSnapshotIdentifier"])


BACKUPS = "arn:aws:rds:us-east-1:123456789012:auto-backup:ab-1"


@pytest.mark.parametrize(
    ("source", "action", "named"),
    [
        ({"DBSnapshotIdentifier": "last"}, "RestoreDBInstanceFromDBSnapshot", "DBInstanceIdentifier"),
        ({"DBClusterSnapshotIdentifier": "last"}, "RestoreDBInstanceFromDBSnapshot", "DBInstanceIdentifier"),
        ({"SourceDBInstanceIdentifier": "shop"}, "CreateDBInstanceReadReplica", "DBInstanceIdentifier"),
        ({"SourceDBClusterIdentifier": "shop"}, "CreateDBInstanceReadReplica", "DBInstanceIdentifier"),
        (
            {"SourceDbiResourceId": "db-1", "UseLatestRestorableTime": "true"},
            OF_INSTANCES,
            "TargetDBInstanceIdentifier",
        ),
        (
            {"SourceDBInstanceAutomatedBackupsArn": BACKUPS, "RestoreTime": "2026-01-02T03:04:05Z"},
            OF_INSTANCES,
            "TargetDBInstanceIdentifier",
        ),
        ({}, "CreateDBInstance", "DBInstanceIdentifier"),
    ],
)
def test_the_source_of_an_instance_decides_the_call(
    source: dict[str, Json], action: str, named: str, world: World
) -> None:
    shown = "<DBInstance><DBInstanceIdentifier>copy</DBInstanceIdentifier></DBInstance>"
    answer = f"<{action}Response><{action}Result>{shown}</{action}Result></{action}Response>"
    world.endpoint.scripts[action] = [(200, answer)]
    declared = {"DBInstanceIdentifier": "copy", "DBInstanceClass": "db.t3.micro", "Engine": "mysql", **source}
    outcome = world.create(a_request(INSTANCE, declared))
    assert isinstance(outcome, Done)
    assert outcome.physical_id == "copy"
    (given,) = [form for called, form in world.endpoint.calls if called == action]
    assert given[named] == "copy"
    assert {name: given[name] for name in source} == source


@pytest.mark.parametrize("kind", [CLUSTER, DOCUMENTS])
@pytest.mark.parametrize("moment", [{"UseLatestRestorableTime": True}, {"RestoreToTime": "2026-01-02T03:04:05Z"}])
def test_a_moment_of_no_cluster_makes_no_empty_one(kind: str, moment: dict[str, Json], world: World) -> None:
    world.endpoint.scripts[OF_CLUSTERS] = [refusal("InvalidParameterCombination", "name a cluster")]
    declared = {"DBClusterIdentifier": "copy", **moment, **(AURORA if kind == CLUSTER else {})}
    assert isinstance(world.create(a_request(kind, declared)), Refused)
    assert "CreateDBCluster" not in {action for action, _ in world.endpoint.calls}
