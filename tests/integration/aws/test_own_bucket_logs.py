"""A bucket whose logging names no other one keeps its own logs, as in CloudFormation."""

from dataclasses import replace

import botocore.session
import pytest
from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto_testing.provider_conformance import Example

LOGS = LogicalId("Logs")


@pytest.mark.parametrize("prefix", [{}, {"LogFilePrefix": "own/"}])
def test_a_bucket_keeps_its_own_logs(
    prefix: dict[str, str], bench_of: BenchOf, session: botocore.session.Session
) -> None:
    properties = {
        "AccessControl": "LogDeliveryWrite",
        "OwnershipControls": {"Rules": [{"ObjectOwnership": "ObjectWriter"}]},
    }
    wanted = {"LogFilePrefix": "first/"} | prefix
    bucket = Example(
        name=LOGS, type=TypeName("AWS::S3::Bucket"), properties=properties | {"LoggingConfiguration": wanted}
    )
    with bench_of((bucket,)) as bench:
        bench.make_all()
        request = bench.requests[LOGS]
        shown = bench.ready(request)
        assert shown.properties["LoggingConfiguration"] == wanted | {"DestinationBucketName": str(request.physical_id)}
        assert bench.differing(request, shown) == ()
        named = wanted | {"DestinationBucketName": str(request.physical_id)}
        asked = replace(request, properties={**request.properties, "LoggingConfiguration": named})
        assert bench.differing(asked, shown) == ()
        # The emulator writes a log at once, and a bucket with logs in it stays.
        s3, name = session.create_client("s3", region_name=bench.partition.region), str(request.physical_id)
        s3.put_bucket_logging(Bucket=name, BucketLoggingStatus={})
        for one in s3.list_objects_v2(Bucket=name).get("Contents") or ():
            s3.delete_object(Bucket=name, Key=one["Key"])
