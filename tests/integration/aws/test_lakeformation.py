"""Places of S3 that Lake Formation guards with the role that it makes for itself."""

from dataclasses import replace

import pytest
from block_examples import THING, BenchOf

from tenuto.model.ids import TypeName
from tenuto.model.outcome import Done
from tenuto_testing.provider_conformance import Bench, Example

PLACE = {"ResourceArn": "arn:aws:s3:::lake/front", "UseServiceLinkedRole": True}


@pytest.fixture
def bench(bench_of: BenchOf) -> Bench:
    return bench_of((Example(name=THING, type=TypeName("AWS::LakeFormation::Resource"), properties=PLACE),))


def test_a_place_with_the_role_of_the_service_keeps_it_through_a_change(bench: Bench) -> None:
    with bench:
        bench.make_all()
        made = bench.requests[THING]
        item = bench.ready(made)
        assert bench.differing(made, item) == ()
        role = item.properties["RoleArn"]
        wanted = replace(made, properties={**PLACE, "HybridAccessEnabled": True}, observed=item.properties)
        [outcome] = bench.provider.modify(bench.partition, [wanted])
        assert isinstance(outcome, Done)
        changed = bench.ready(wanted)
        assert bench.differing(wanted, changed) == ()
        assert changed.properties["RoleArn"] == role
