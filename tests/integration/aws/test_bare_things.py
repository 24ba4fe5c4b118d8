"""Things of which little is declared: a name alone, of which the list shows too little for the calls about tags, a role
by its name where its ARN is shown, and lists in which conditions leave nothing.
"""

import pytest

from tenuto.model.ids import Json, LogicalId, Partition, TypeName
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

THING = LogicalId("Thing")
PROJECT = {
    "Artifacts": {"Type": "NO_ARTIFACTS"},
    "Environment": {
        "Type": "LINUX_CONTAINER",
        "ComputeType": "BUILD_GENERAL1_SMALL",
        "Image": "aws/codebuild/standard:7.0",
    },
    "ServiceRole": "builder",
    "Source": {"Type": "NO_SOURCE", "BuildSpec": "version: 0.2"},
}
TABLE = {
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
    "GlobalSecondaryIndexes": [],
    "LocalSecondaryIndexes": [],
}


@pytest.mark.parametrize(
    ("name", "properties"),
    [
        ("AWS::CodeBuild::Project", PROJECT),
        ("AWS::CodeCommit::Repository", {"RepositoryName": "site"}),
        ("AWS::DynamoDB::Table", TABLE),
        ("AWS::ECR::Repository", {"RepositoryName": "site"}),
    ],
)
def test_a_thing_of_which_little_is_declared_is_seen_with_its_tags(
    name: str,
    properties: dict[str, Json],
    provider: AwsProvider,
    partition: Partition,
    ids: SeededIds,
    ops: RecordedOps,
) -> None:
    thing = Example(name=THING, type=TypeName(name), properties=properties)
    case = ProviderCase(
        provider=provider, partition=partition, examples=(thing,), ids=ids, ops=ops, wait=lambda seconds: None
    )
    with Bench(case) as bench:
        bench.make_all()
        made = bench.requests[THING]
        item = bench.ready(made)
        assert bench.differing(made, item) == ()
        assert item.owner is not None
        assert item.owner.object_id == made.object_id
        bench.remove(made)
