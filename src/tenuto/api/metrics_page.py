"""The numbers of a Conductor in the text format of Prometheus. Loaded at the first request for it."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, groupby

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from tenuto.kit.metrics import MetricKind, Sample

CONTENT_TYPE: str = CONTENT_TYPE_PLAIN_0_0_4


def metrics_page(samples: Iterable[Sample]) -> bytes:
    """The page. Samples come by name. The registry lives as long as the page: there is no global one."""
    registry = CollectorRegistry()
    registry.register(_Samples(tuple(samples)))
    page: bytes = generate_latest(registry)
    return page


class _Samples(Collector):
    def __init__(self, samples: tuple[Sample, ...]) -> None:
        self._samples = samples

    def collect(self) -> Iterator[Metric]:
        for metric, group in groupby(self._samples, key=lambda sample: sample.metric):
            labels = list(metric.labels)
            summary = metric.summary.replace("`", "")
            match metric.kind:
                case MetricKind.COUNTER:
                    counter = CounterMetricFamily(metric.name, summary, labels=labels)
                    for one in group:
                        counter.add_metric(list(one.labels), one.value)
                    yield counter
                case MetricKind.GAUGE:
                    gauge = GaugeMetricFamily(metric.name, summary, labels=labels)
                    for one in group:
                        gauge.add_metric(list(one.labels), one.value)
                    yield gauge
                case MetricKind.HISTOGRAM:
                    histogram = HistogramMetricFamily(metric.name, summary, labels=labels)
                    for one in group:
                        bounds = [*map(str, metric.buckets), "+Inf"]
                        totals = map(float, accumulate(one.counts))
                        histogram.add_metric(list(one.labels), list(zip(bounds, totals, strict=True)), one.value)
                    yield histogram
