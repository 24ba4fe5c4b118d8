"""New deployments of services of ECS, which a composition forces, and no repair of a drift."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from block_examples import EXAMPLES, THING, BenchOf

from tenuto.model.ids import TypeName
from tenuto.model.outcome import Done
from tenuto_testing.provider_conformance import Bench

SERVICE = TypeName("AWS::ECS::Service")
FORCED = "ForceNewDeployment"


def test_another_nonce_forces_one_deployment_and_a_repair_forces_none(
    bench_of: BenchOf, stranger: Callable[[str], Any]
) -> None:
    example = EXAMPLES[SERVICE]
    ecs = stranger("ecs")

    def deployment(bench: Bench) -> str:
        cluster, _, name = str(bench.requests[THING].physical_id).partition("|")
        return str(ecs.describe_services(cluster=cluster, services=[name])["services"][0]["deployments"][0]["id"])

    def changed(bench: Bench, **properties: Any) -> None:
        asked = bench.requests[THING]
        request = replace(asked, properties={**asked.properties, **properties}, observed=bench.ready(asked).properties)
        outcome = bench.until_done(bench.provider.modify, request)
        assert isinstance(outcome, Done)
        bench.requests[THING] = replace(request, attributes={**request.attributes, **outcome.attributes})

    with bench_of((*example.needs, example.thing)) as bench:
        bench.make_all()
        first = deployment(bench)
        changed(bench, DesiredCount=3)
        assert deployment(bench) == first, "a change of the count forced a deployment"
        changed(bench, **{FORCED: {"EnableForceNewDeployment": "true", "ForceNewDeploymentNonce": "of today"}})
        second = deployment(bench)
        assert second != first, "another nonce forced no deployment"
        changed(bench, DesiredCount=1)
        assert deployment(bench) == second, "the nonce was sent twice"
