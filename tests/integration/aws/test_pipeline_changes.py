"""A token that CodePipeline hides is no drift, another one is sent, and a change starts the pipeline where that is
declared."""

import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from block_examples import EXAMPLES, THING

from tenuto.model.ids import Partition, TypeName
from tenuto.model.outcome import Done, Request
from tenuto.providers.aws.provider import AwsProvider
from tenuto_testing.ids import SeededIds
from tenuto_testing.ops import RecordedOps
from tenuto_testing.provider_conformance import Bench, ProviderCase

PIPELINE = TypeName("AWS::CodePipeline::Pipeline")


@pytest.fixture
def bench(provider: AwsProvider, partition: Partition, ids: SeededIds, ops: RecordedOps) -> Bench:
    example = EXAMPLES[PIPELINE]
    examples = (*example.needs, example.thing)
    return Bench(
        ProviderCase(
            provider=provider, partition=partition, examples=examples, ids=ids, ops=ops, wait=lambda seconds: None
        )
    )


def with_token(request: Request, token: str) -> Request:
    stages: Any = copy.deepcopy(request.properties["Stages"])
    stages[0]["Actions"][0]["Configuration"]["OAuthToken"] = token
    return replace(request, properties={**request.properties, "Stages": stages})


def sent(bench: Bench, request: Request) -> list[str]:
    """The calls that bring the pipeline to what the request declares."""
    before = len(bench.case.ops.all)
    item = bench.ready(request)
    outcome = bench.until_done(bench.provider.modify, replace(request, observed=item.properties))
    assert isinstance(outcome, Done)
    bench.requests[THING] = replace(request, attributes={**request.attributes, **outcome.attributes})
    return [op.operation for op in bench.case.ops.all[before:]]


def test_a_hidden_token_is_sent_once(bench: Bench) -> None:
    with bench:
        bench.make_all()
        first = bench.requests[THING]
        item = bench.ready(first)
        assert "OAuthToken" not in str(item.properties)
        assert bench.differing(first, item) == ()
        assert sent(bench, first) == []
        assert sent(bench, with_token(bench.requests[THING], "another")) == ["UpdatePipeline"]
        assert sent(bench, with_token(bench.requests[THING], "another")) == []


@pytest.mark.parametrize("does_start", [True, False])
def test_a_change_starts_the_pipeline_where_that_is_declared(
    bench: Bench, does_start: bool, stranger: Callable[[str], Any]
) -> None:
    with bench:
        bench.make_all()
        made = bench.requests[THING]
        changed = {**made.properties, "RestartExecutionOnUpdate": does_start, "ExecutionMode": "QUEUED"}
        assert sent(bench, replace(made, properties=changed))[:1] == ["UpdatePipeline"]
        listed = stranger("codepipeline").list_pipeline_executions(pipelineName=made.physical_id)
        assert len(listed["pipelineExecutionSummaries"]) == int(does_start)
