"""Configurations of which a bucket has many: the list is held whole, and only the members that differ are sent."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from billing import billed, called
from block_examples import BenchOf

from tenuto.model.delta import Change
from tenuto.model.ids import LogicalId, TypeName
from tenuto.model.outcome import Done
from tenuto.model.plan import StepKind
from tenuto_testing.provider_conformance import Example

KEPT = LogicalId("Kept")
METRICS = "MetricsConfigurations"
EVERYTHING = {"Id": "all", "Prefix": ""}
INCOMING = {"Id": "in", "TagFilters": [{"Key": "way", "Value": "in"}, {"Key": "use", "Value": "rare"}], "Prefix": "in/"}
BUCKET = Example(name=KEPT, type=TypeName("AWS::S3::Bucket"), properties={METRICS: [EVERYTHING, INCOMING]})


def test_a_configuration_that_somebody_adds_changes_or_deletes_is_seen_and_only_that_is_sent(
    bench_of: BenchOf, stranger: Callable[[str], Any]
) -> None:
    s3 = stranger("s3")
    with bench_of((BUCKET,)) as bench:
        bench.make_all()
        request = bench.requests[KEPT]
        name = str(request.physical_id)
        assert bench.differing(request, bench.ready(request)) == ()
        s3.put_bucket_metrics_configuration(Bucket=name, Id="more", MetricsConfiguration={"Id": "more"})
        s3.put_bucket_metrics_configuration(
            Bucket=name, Id="in", MetricsConfiguration={"Id": "in", "Filter": {"Prefix": "other/"}}
        )
        shown = bench.ready(request)
        assert bench.differing(request, shown) == (METRICS,)
        before = len(bench.case.ops.all)
        assert isinstance(bench.until_done(bench.provider.modify, replace(request, observed=shown.properties)), Done)
        sent = [op.operation for op in bench.case.ops.all[before:] if "Metrics" in op.operation]
        assert sorted(sent) == ["DeleteBucketMetricsConfiguration", "PutBucketMetricsConfiguration"]
        assert bench.differing(request, bench.ready(request)) == ()
        s3.delete_bucket_metrics_configuration(Bucket=name, Id="all")
        assert bench.differing(request, bench.ready(request)) == (METRICS,)


@pytest.mark.parametrize(
    ("after", "calls"),
    [
        ([INCOMING], {"DeleteBucketMetricsConfiguration": 1}),
        ([INCOMING, EVERYTHING], {}),
        ([{"Id": "all"}, {**INCOMING, "Prefix": "out/"}], {"PutBucketMetricsConfiguration": 1}),
        ([], {"DeleteBucketMetricsConfiguration": 2}),
    ],
)
def test_a_plan_says_the_calls_for_each_configuration(
    bench_of: BenchOf, after: list[Any], calls: dict[str, int]
) -> None:
    with bench_of((BUCKET,)) as bench:
        bench.make_all()
        shown = bench.ready(bench.requests[KEPT])
        asked = replace(
            bench.requests[KEPT],
            properties={**bench.requests[KEPT].properties, METRICS: after},
            observed=shown.properties,
        )
        changed = METRICS in bench.differing(asked, shown)
        changes = [Change(path=METRICS, before=shown.properties[METRICS], after=after)] if changed else []
        before = len(bench.case.ops.all)
        assert isinstance(bench.until_done(bench.provider.modify, asked), Done)
        made = bench.case.ops.all[before:]
        assert Counter(op.operation for op in made) == calls
        assert billed(bench, asked, StepKind.CHANGE, changes) == called(made)
