"""Names in capitals of services that keep small letters: what a lost creation made is found by the name as declared."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from block_examples import EXAMPLES, THING

from tenuto.model.ids import Partition, TypeName
from tenuto.model.resource import Comparison
from tenuto.providers.aws.provider import AwsProvider
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, Example, ProviderCase

NAMES: Mapping[TypeName, str] = {
    TypeName("AWS::ElastiCache::CacheCluster"): "ClusterName",
    TypeName("AWS::ElastiCache::ReplicationGroup"): "ReplicationGroupId",
    TypeName("AWS::ElastiCache::SubnetGroup"): "CacheSubnetGroupName",
    TypeName("AWS::RDS::DBCluster"): "DBClusterIdentifier",
    TypeName("AWS::RDS::DBClusterParameterGroup"): "DBClusterParameterGroupName",
    TypeName("AWS::RDS::DBInstance"): "DBInstanceIdentifier",
    TypeName("AWS::RDS::DBParameterGroup"): "DBParameterGroupName",
    TypeName("AWS::RDS::DBSubnetGroup"): "DBSubnetGroupName",
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_what_was_made_under_a_name_in_capitals_is_found_by_it(
    name: TypeName, provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps
) -> None:
    example, word = EXAMPLES[name], NAMES[name]
    assert CATALOGUE[name].facts.compare_as[word] is Comparison.FOLDED
    thing = Example(name=THING, type=name, properties={**example.properties, word: "Front-Office"})
    case = ProviderCase(
        provider=provider,
        partition=partition,
        examples=(*example.needs, thing),
        ids=ids,
        ops=ops,
        wait=lambda seconds: None,
    )
    with Bench(case) as bench:
        bench.make_all()
        request = bench.requests[THING]
        lost = replace(request, physical_id=None, observed=None, attributes={})
        [found] = provider.find(partition, [lost])
        assert found is not None
        assert found.physical_id == request.physical_id
