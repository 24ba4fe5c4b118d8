"""Alarms of CloudWatch on queries in PromQL: they have neither a metric nor a threshold."""

from dataclasses import replace

from block_examples import THING, BenchOf

from tenuto.model.ids import TypeName
from tenuto_testing.provider_conformance import Bench, Example

QUERY = {
    "AlarmName": "slow",
    "EvaluationCriteria": {"PromQLCriteria": {"Query": "latency > 1", "PendingPeriod": 60, "RecoveryPeriod": 60}},
    "EvaluationInterval": 60,
}
METRIC = {
    "AlarmName": "slow",
    "ComparisonOperator": "GreaterThanThreshold",
    "EvaluationPeriods": 2,
    "MetricName": "Latency",
    "Namespace": "AWS/ELB",
    "Period": 60,
    "Statistic": "Average",
    "Threshold": 1,
}


def bench(bench_of: BenchOf, properties: dict[str, object]) -> Bench:
    return bench_of((Example(name=THING, type=TypeName("AWS::CloudWatch::Alarm"), properties=properties),))


def test_an_alarm_on_a_query_is_as_declared_and_changes_in_place(bench_of: BenchOf) -> None:
    with bench(bench_of, QUERY) as made:
        (request,) = made.make_all()
        assert made.differing(request, made.ready(request)) == ()
        slower = {"PromQLCriteria": {"Query": "latency > 2"}}
        changed = made.configure(replace(request, properties={**QUERY, "EvaluationCriteria": slower}))
        shown = made.ready(changed).properties["EvaluationCriteria"]["PromQLCriteria"]
        assert shown == {"Query": "latency > 2"}


def test_an_alarm_on_a_query_becomes_one_on_a_metric(bench_of: BenchOf) -> None:
    with bench(bench_of, QUERY) as made:
        (request,) = made.make_all()
        facts = made.types[request.type]
        taken = {name: facts.defaults[name] for name in ("EvaluationCriteria", "EvaluationInterval")}
        changed = made.configure(replace(request, properties={**METRIC, **taken}))
        shown = made.ready(changed).properties
        assert not shown.keys() & taken.keys()
        assert shown["MetricName"] == "Latency"
