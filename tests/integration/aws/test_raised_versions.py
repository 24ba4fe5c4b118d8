"""A version that the provider raised by itself is no drift, and no change of something else asks to go back."""

from dataclasses import replace
from typing import Any

import botocore.session
import pytest
from block_examples import BenchOf

from tenuto.model.ids import Json, LogicalId, Partition, TypeName
from tenuto_testing.provider_conformance import Example

THING = LogicalId("Thing")
DMS: dict[str, Json] = {
    "ReplicationInstanceIdentifier": "mover",
    "ReplicationInstanceClass": "dms.t3.medium",
    "EngineVersion": "3.5.2",
}
DATABASE: dict[str, Json] = {
    "DBInstanceIdentifier": "shop",
    "DBInstanceClass": "db.t3.medium",
    "Engine": "postgres",
    "EngineVersion": "15.4",
    "AllocatedStorage": "20",
    "MasterUsername": "keeper",
    "MasterUserPassword": "not-a-secret-here",
}


def _raise_instance(session: botocore.session.Session, region: str, physical_id: str) -> None:
    client: Any = session.create_client("dms", region_name=region)
    client.modify_replication_instance(ReplicationInstanceArn=physical_id, EngineVersion="3.5.3")


def _raise_database(session: botocore.session.Session, region: str, physical_id: str) -> None:
    client: Any = session.create_client("rds", region_name=region)
    client.modify_db_instance(DBInstanceIdentifier=physical_id, EngineVersion="15.5", ApplyImmediately=True)


@pytest.mark.parametrize(
    ("name", "properties", "raised", "version", "other"),
    [
        ("AWS::DMS::ReplicationInstance", DMS, _raise_instance, "3.5.3", {"ReplicationInstanceClass": "dms.t3.large"}),
        ("AWS::RDS::DBInstance", DATABASE, _raise_database, "15.5", {"DBInstanceClass": "db.t3.large"}),
    ],
    ids=["DMS", "RDS"],
)
def test_a_raised_version_stays(
    name: str,
    properties: dict[str, Json],
    raised: Any,
    version: str,
    other: dict[str, Json],
    bench_of: BenchOf,
    session: botocore.session.Session,
    partition: Partition,
) -> None:
    example = Example(name=THING, type=TypeName(name), properties=properties, drift={}, copies=False)
    with bench_of((example,)) as bench:
        (made,) = bench.make_all()
        raised(session, partition.region, str(made.physical_id))
        shown = bench.ready(made)
        assert shown.properties["EngineVersion"] == version
        assert bench.differing(made, shown) == ()
        wanted = replace(made, properties={**properties, **other}, observed=shown.properties)
        bench.configure(wanted)
        after = bench.ready(wanted)
        assert after.properties["EngineVersion"] == version
        assert bench.differing(wanted, after) == ()
