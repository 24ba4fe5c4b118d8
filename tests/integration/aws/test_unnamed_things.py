"""Things whose name may be left out, where AWS asks for one: Tenuto makes a name of the request."""

import pytest

from tenuto.model.ids import LogicalId, Partition, TypeName
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase


@pytest.mark.parametrize("content", ["application/json", "application/xml"])
def test_a_model_of_an_api_needs_no_name(
    content: str, provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps
) -> None:
    api = Example(name=LogicalId("Api"), type=TypeName("AWS::ApiGateway::RestApi"), properties={"Name": "shop"})
    declared = {"RestApiId": {"Ref": "Api"}, "ContentType": content, "Schema": {"type": "object"}}
    model = Example(name=LogicalId("Pet-Model"), type=TypeName("AWS::ApiGateway::Model"), properties=declared)
    case = ProviderCase(
        provider=provider, partition=partition, examples=(api, model), ids=ids, ops=ops, wait=lambda seconds: None
    )
    with Bench(case) as bench:
        bench.make_all()
        made = bench.requests[model.name]
        name = str(made.physical_id).rpartition("|")[2]
        assert name.isalnum()
        assert bench.differing(made, bench.ready(made)) == ()
        bench.remove(made)
        bench.remove(bench.requests[api.name])
