"""The calls that types tell of are those that they make: the bill of a plan is a lower bound of the ops, and exact for
an adoption and a release.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from aws_examples import COMPUTE, NETWORK, ROUTING, STORAGE
from billing import billed, called, is_adopted_for_its_bill, is_released_for_its_bill

from tenuto.model.ids import Partition
from tenuto.model.outcome import Request
from tenuto.model.plan import StepKind
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, ProviderCase

EXAMPLES = (*NETWORK, *ROUTING, *COMPUTE, *STORAGE)


@pytest.mark.slow
def test_no_bill_is_higher_than_what_is_called(
    provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps
) -> None:
    case = ProviderCase(
        provider=provider,
        partition=partition,
        examples=EXAMPLES,
        ids=ids,
        ops=ops,
        wait=lambda seconds: None,
        is_strict=False,
    )

    def made_by(act: Callable[[], Any]) -> Counter[str]:
        before = len(ops.all)
        act()
        return called(ops.all[before:])

    with Bench(case) as bench:
        made: list[Request] = []
        for example in EXAMPLES:
            request = bench.request(example)
            calls = made_by(lambda request=request: made.append(bench.make(request)))
            if "PublicKeyMaterial" in request.properties:
                continue  # the one type that is made by another call of the same kind
            bill = billed(bench, request, StepKind.MAKE)
            assert bill, f"{request.type} names no calls"
            assert not bill - calls, f"{request.type}: billed {bill}, called {calls}"
        for request in made:
            is_released_for_its_bill(bench, bench.requests[request.logical_id])
            is_adopted_for_its_bill(bench, bench.requests[request.logical_id])
        for request in reversed(made):
            calls = made_by(lambda request=request: bench.remove(request))
            bill = billed(bench, request, StepKind.REMOVE)
            assert not bill - calls, f"{request.type}: billed {bill}, called {calls}"
