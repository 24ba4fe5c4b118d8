"""Changes in place of the thing of a bench, as the planner asks for them."""

from dataclasses import replace
from typing import Any

from block_examples import THING

from tenuto.model.outcome import Done, Outcome
from tenuto_testing.provider_bench import Bench


def changed(bench: Bench, **properties: Any) -> Outcome:
    """Change some properties. What is done is seen as it was declared."""
    request = bench.requests[THING]
    request = replace(request, properties={**request.properties, **properties})
    request = replace(request, observed=bench.ready(request).properties)
    [outcome] = bench.provider.modify(bench.partition, [request])
    if isinstance(outcome, Done):
        bench.requests[THING] = replace(request, observed=bench.ready(request).properties)
        assert bench.differing(request, bench.ready(request)) == ()
    return outcome
