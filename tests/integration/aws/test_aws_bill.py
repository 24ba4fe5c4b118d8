"""What the types say of their calls is what they really call: the bill of a plan is a lower bound of the ops."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from aws_examples import COMPUTE, NETWORK, ROUTING, STORAGE

from tenuto.core.planning.bill import bill_of
from tenuto.model.ids import Fid, Instant, Partition, PlanId
from tenuto.model.outcome import Request
from tenuto.model.plan import Plan, StepKind
from tenuto.providers.aws.provider import AwsProvider
from tenuto.providers.aws.rates.buckets import api_name
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, ProviderCase
from tenuto_testing.store_samples import a_step

EXAMPLES = (*NETWORK, *ROUTING, *COMPUTE, *STORAGE)


def billed(provider: AwsProvider, partition: Partition, request: Request, kind: StepKind) -> Counter[str]:
    step = a_step(
        kind, request.logical_id, object_id=request.object_id, type=request.type, properties=request.properties
    )
    plan = Plan(
        plan_id=PlanId("plan"), fid=Fid("process"), partition=partition, command="run", observed_at=Instant(0.0),
        steps=(step,),
    )  # fmt: skip
    return Counter({line.api: line.calls for line in bill_of(plan, provider.types()).lines})


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

    def called(act: Callable[[], Any]) -> Counter[str]:
        before = len(ops.all)
        act()
        return Counter(api_name(op.service, op.operation) for op in ops.all[before:] if not op.code)

    with Bench(case) as bench:
        made: list[Request] = []
        for example in EXAMPLES:
            request = bench.request(example)
            calls = called(lambda request=request: made.append(bench.make(request)))
            if "PublicKeyMaterial" in request.properties:
                continue  # the one type that is made by another call of the same kind
            bill = billed(provider, partition, request, StepKind.MAKE)
            assert bill, f"{request.type} names no calls"
            assert not bill - calls, f"{request.type}: billed {bill}, called {calls}"
        for request in reversed(made):
            calls = called(lambda request=request: bench.remove(request))
            bill = billed(provider, partition, request, StepKind.REMOVE)
            assert bill, f"{request.type} names no calls"
            assert not bill - calls, f"{request.type}: billed {bill}, called {calls}"
