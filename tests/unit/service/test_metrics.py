"""What is counted is shown, and what the guide lists is what there is."""

import re
from pathlib import Path

import pytest

from tenuto.compositions.compile import compile_file
from tenuto.compositions.documents.document import to_document
from tenuto.kit.metrics import Meter, Metric, MetricKind
from tenuto.model.metrics import METRICS
from tenuto.service.intake.composition import Submission
from tenuto_testing.world import PERIOD_S, World

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "guide" / "metrics.md"
WEB = ROOT / "tests" / "scenarios" / "compositions" / "web.yaml"


def numbers(world: World) -> dict[tuple[str, ...], float]:
    return {(one.metric.name, *one.labels): one.value for one in world.system.metrics.samples()}


def test_the_guide_lists_every_metric_as_it_is() -> None:
    rows = [
        f"| `{one.name}` | {one.kind} | {', '.join(f'`{label}`' for label in one.labels)} | {one.summary} |"
        for one in METRICS
    ]
    listed = re.findall(r"^\| `tenuto_.*\|$", GUIDE.read_text(), re.MULTILINE)
    assert listed == rows


def test_names_follow_the_custom_of_prometheus() -> None:
    for one in METRICS:
        assert re.fullmatch(r"tenuto_[a-z_]+", one.name)
        assert one.name.endswith("_total") is (one.kind is MetricKind.COUNTER)
        assert bool(one.buckets) is (one.kind is MetricKind.HISTOGRAM)
        assert list(one.buckets) == sorted(one.buckets)


def test_a_process_that_is_built_drifts_and_is_repaired_shows_in_the_numbers() -> None:
    world = World()
    compiled = compile_file(WEB, parameters={}, region="sim-1")
    world.system.commands.run(
        Submission(document=to_document(compiled.composition), secrets=compiled.secrets), alias="web"
    )
    assert world.settle()
    built = numbers(world)
    assert built["tenuto_jobs_total", "run", "SUCCEEDED"] >= 1
    assert built["tenuto_resources", "Started"] == 8
    assert (built["tenuto_processes", "Running"], built["tenuto_processes", "Killing"]) == (1, 0)
    assert built["tenuto_processes_unconverged",] == 0
    assert built["tenuto_convergence_seconds",] > 0
    assert built["tenuto_drift_found_total",] == 0
    world.cloud.tamper("net-1", "Label", "changed")
    assert world.settle()
    repaired = numbers(world)
    assert (repaired["tenuto_drift_found_total",], repaired["tenuto_drift_repaired_total",]) == (1, 1)
    assert ("tenuto_job_step_seconds", "execute") in repaired
    world.advance(3 * PERIOD_S)
    assert numbers(world)["tenuto_drift_found_total",] == 1
    assert numbers(world)["tenuto_queue_length",] == 0


def test_what_has_not_happened_yet_is_zero_and_not_missing() -> None:
    found = numbers(World())
    for one in METRICS:
        if not one.labels:
            assert found[one.name,] == 0


def test_a_histogram_counts_each_observation_in_one_bucket_bounds_included() -> None:
    metric = Metric(name="t_seconds", kind=MetricKind.HISTOGRAM, summary="", labels=("a",), buckets=(1.0, 5.0))
    meter = Meter()
    for value in (0.5, 1.0, 3.0, 5.0, 7.0):
        meter.observe(metric, value, "x")
    [sample] = meter.samples()
    assert (sample.labels, sample.counts, sample.value) == (("x",), (2, 2, 1), 16.5)


def test_the_page_is_what_a_scraper_understands() -> None:
    pytest.importorskip("prometheus_client", reason="the environment is older than the dependency")
    from prometheus_client.parser import text_string_to_metric_families

    from tenuto.api.metrics_page import metrics_page

    counter = Metric(name="t_calls_total", kind=MetricKind.COUNTER, summary="calls", labels=("service",))
    histogram = Metric(name="t_seconds", kind=MetricKind.HISTOGRAM, summary="times", buckets=(1.0, 5.0))
    meter = Meter()
    meter.count(counter, 'a "quoted"\nname', amount=2)
    for value in (0.5, 3.0, 7.0):
        meter.observe(histogram, value)
    families = {one.name: one for one in text_string_to_metric_families(metrics_page(meter.samples()).decode())}
    [call] = families["t_calls"].samples
    assert (call.labels, call.value) == ({"service": 'a "quoted"\nname'}, 2.0)
    times = {(one.name, one.labels.get("le")): one.value for one in families["t_seconds"].samples}
    assert [times["t_seconds_bucket", bound] for bound in ("1.0", "5.0", "+Inf")] == [1.0, 2.0, 3.0]
    assert (times["t_seconds_sum", None], times["t_seconds_count", None]) == (10.5, 3.0)
