"""A database with the deletion policy Snapshot leaves its content behind, and one with another policy nothing."""

from dataclasses import replace
from typing import Any

import botocore.session
import pytest
from block_examples import EXAMPLES, THING

from tenuto.model.ids import Partition, TypeName
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, ProviderCase

INSTANCE, CLUSTER = TypeName("AWS::RDS::DBInstance"), TypeName("AWS::RDS::DBCluster")


def snapshots(session: botocore.session.Session, partition: Partition, database: str) -> int:
    """The number of snapshots of a database that somebody ordered; RDS makes others by itself."""
    client: Any = session.create_client("rds", region_name=partition.region)
    of_instances = client.describe_db_snapshots(SnapshotType="manual")["DBSnapshots"]
    of_clusters = client.describe_db_cluster_snapshots(SnapshotType="manual")["DBClusterSnapshots"]
    names = [one.get("DBInstanceIdentifier") or one["DBClusterIdentifier"] for one in of_instances + of_clusters]
    return names.count(database)


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize(("name", "identifier"), [(INSTANCE, "DBInstanceIdentifier"), (CLUSTER, "DBClusterIdentifier")])
def test_a_last_snapshot_is_made_where_the_policy_asks_for_one(
    name: TypeName,
    identifier: str,
    is_kept: bool,
    provider: AwsProvider,
    session: botocore.session.Session,
    partition: Partition,
    ids: SeededIds,
    ops: RecordedOps,
) -> None:
    example = EXAMPLES[name]
    case = ProviderCase(
        provider=provider,
        partition=partition,
        examples=(*example.needs, example.thing),
        ids=ids,
        ops=ops,
        wait=lambda seconds: None,
    )
    with Bench(case) as bench:
        bench.make_all()
        made = replace(bench.requests[THING], keeps_snapshot=is_kept)
        database = made.properties[identifier]
        before = snapshots(session, partition, database)
        bench.remove(made)
        assert snapshots(session, partition, database) - before == (1 if is_kept else 0)
