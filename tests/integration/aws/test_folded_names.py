"""Names in capitals of services that keep small letters: what a lost creation made is found by the name as declared."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from block_examples import EXAMPLES, THING, BenchOf

from tenuto.model.ids import TypeName
from tenuto.model.resource import Comparison
from tenuto.providers.aws.types.catalogue import CATALOGUE
from tenuto_testing.provider_conformance import Example

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
def test_what_was_made_under_a_name_in_capitals_is_found_by_it(name: TypeName, bench_of: BenchOf) -> None:
    example, word = EXAMPLES[name], NAMES[name]
    assert CATALOGUE[name].facts.compare_as[word] is Comparison.FOLDED
    thing = Example(name=THING, type=name, properties={**example.properties, word: "Front-Office"})
    with bench_of((*example.needs, thing)) as bench:
        bench.make_all()
        request = bench.requests[THING]
        lost = replace(request, physical_id=None, observed=None, attributes={})
        [found] = bench.provider.find(bench.partition, [lost])
        assert found is not None
        assert found.physical_id == request.physical_id
