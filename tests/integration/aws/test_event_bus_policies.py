"""Statements of the policy of an event bus that are declared by their caller, beside others that stand there."""

import json
from collections.abc import Sequence
from dataclasses import replace

from block_examples import BenchOf

from tenuto.model.ids import LogicalId, TypeName
from tenuto.model.outcome import Done
from tenuto_testing.provider_conformance import Bench, Example

POLICY = TypeName("AWS::Events::EventBusPolicy")
BUS = Example(name=LogicalId("Bus"), type=TypeName("AWS::Events::EventBus"), properties={"Name": "front"})
BY_CALLER = Example(
    name=LogicalId("Caller"),
    type=POLICY,
    properties={"EventBusName": "front", "StatementId": "caller", "Principal": "111122223333"},
)
STATEMENT = {
    "Effect": "Deny",
    "Principal": "*",
    "Action": "events:PutEvents",
    "Resource": "arn:aws:events:us-east-1:123456789012:event-bus/front",
}
WHOLE = Example(
    name=LogicalId("Whole"),
    type=POLICY,
    properties={"EventBusName": "front", "StatementId": "whole", "Statement": STATEMENT},
)


def statements(bench: Bench) -> Sequence[str]:
    bus = bench.ready(bench.requests[BUS.name])
    policy = bus.properties.get("Policy") or {}
    policy = json.loads(policy) if isinstance(policy, str) else policy
    return sorted(f"{one['Sid']} {one['Effect']} {one['Principal']}" for one in policy.get("Statement", ()))


def test_statements_come_and_go_beside_each_other(bench_of: BenchOf) -> None:
    with bench_of((BUS, BY_CALLER, WHOLE)) as bench:
        bench.make_all()
        assert [one.split()[0] for one in statements(bench)] == ["caller", "whole"]
        bench.remove(bench.requests[BY_CALLER.name])
        assert [one.split()[0] for one in statements(bench)] == ["whole"]


def test_another_caller_is_put_once(bench_of: BenchOf) -> None:
    with bench_of((BUS, BY_CALLER)) as bench:
        bench.make_all()
        made = bench.requests[BY_CALLER.name]
        asked = replace(made, properties={**made.properties, "Principal": "444455556666"})
        for _ in range(2):
            before = len(bench.case.ops.all)
            outcome = bench.until_done(bench.provider.modify, asked)
            assert isinstance(outcome, Done)
            asked = replace(asked, attributes={**asked.attributes, **outcome.attributes})
        assert len(bench.case.ops.all) == before, "what was sent is sent again"
        [statement] = statements(bench)
        assert "444455556666" in statement
