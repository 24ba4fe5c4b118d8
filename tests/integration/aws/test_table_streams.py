"""A table of DynamoDB tells one stream of Kinesis of its changes: it is turned on, changed and replaced."""

from dataclasses import replace
from typing import Any

import botocore.session
import pytest
from block_examples import BenchOf

from tenuto.model.ids import Json, LogicalId, Partition, TypeName
from tenuto_testing.provider_conformance import Example

TABLE = LogicalId("Orders")
PROPERTIES: dict[str, Json] = {
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
WISH = "KinesisStreamSpecification"


def stream(name: str, **more: str) -> dict[str, Json]:
    return {"StreamArn": f"arn:aws:kinesis:us-east-1:123456789012:stream/{name}", **more}


@pytest.mark.parametrize(
    "wish",
    [stream("one", ApproximateCreationDateTimePrecision="MICROSECOND"), stream("two")],
    ids=["another precision", "another stream"],
)
def test_a_table_tells_the_stream_that_is_declared(
    wish: dict[str, Json], bench_of: BenchOf, session: botocore.session.Session, partition: Partition
) -> None:
    example = Example(
        name=TABLE,
        type=TypeName("AWS::DynamoDB::Table"),
        properties={**PROPERTIES, WISH: stream("one")},
        drift={},
        copies=False,
    )
    client: Any = session.create_client("dynamodb", region_name=partition.region)

    def told() -> list[dict[str, Json]]:
        answer = client.describe_kinesis_streaming_destination(TableName=made.physical_id)
        return [one for one in answer["KinesisDataStreamDestinations"] if one["DestinationStatus"] == "ACTIVE"]

    with bench_of((example,)) as bench:
        (made,) = bench.make_all()
        assert [one["StreamArn"] for one in told()] == [stream("one")["StreamArn"]]
        assert made.observed[WISH] == stream("one", ApproximateCreationDateTimePrecision="MILLISECOND")
        bench.configure(replace(made, properties={**PROPERTIES, WISH: wish}))
        assert [wish.items() <= one.items() for one in told()] == [True]
