"""Counters, gauges and histograms of one running thing, without any global.

A metric is a value that describes one measurement. A meter holds the numbers; code that measures gets one, and code
that shows them reads it. Labels are given in the order of the metric's names. Histograms keep one number per bucket, so
that a meter is as large after a year as after a day.
"""

import threading
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum


class MetricKind(StrEnum):
    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A measured quantity. Names of counters end in `_total`, those of times in `_seconds`."""

    name: str
    kind: MetricKind
    summary: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()
    """The upper bounds of a histogram, rising, without the infinite one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One number, or one histogram: `counts` has a number for each bucket and one for all beyond."""

    metric: Metric
    labels: tuple[str, ...] = ()
    value: float = 0.0
    """The value; of a histogram the sum of the observed values."""
    counts: tuple[int, ...] = ()


@dataclass(slots=True)
class _Cell:
    value: float = 0.0
    counts: list[int] = field(default_factory=list)


class Meter:
    """The counters, gauges and histograms of a Conductor. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cells: dict[tuple[Metric, tuple[str, ...]], _Cell] = {}
        self._watched: list[tuple[Metric, Callable[[], float]]] = []

    def count(self, metric: Metric, *labels: str, amount: float = 1) -> None:
        """Add to a counter."""
        with self._lock:
            self._cell(metric, labels).value += amount

    def begin(self, metric: Metric, *labels: str) -> None:
        """Show a counter before its first count: `rate` in Prometheus does not see the first value of a series."""
        self.count(metric, *labels, amount=0)

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Add one observation to a histogram."""
        with self._lock:
            cell = self._cell(metric, labels)
            cell.value += value
            cell.counts[bisect_left(metric.buckets, value)] += 1

    def watch(self, metric: Metric, read: Callable[[], float]) -> None:
        """Watch a gauge: it is read whenever the meter is read."""
        with self._lock:
            self._watched.append((metric, read))

    def samples(self) -> tuple[Sample, ...]:
        """Return every sample as it is now, by name and labels."""
        with self._lock:
            found = [
                Sample(metric=metric, labels=labels, value=cell.value, counts=tuple(cell.counts))
                for (metric, labels), cell in self._cells.items()
            ]
            watched = tuple(self._watched)
        found += [Sample(metric=metric, value=read()) for metric, read in watched]
        return tuple(sorted(found, key=lambda sample: (sample.metric.name, sample.labels)))

    def _cell(self, metric: Metric, labels: tuple[str, ...]) -> _Cell:
        key = (metric, labels)
        if key not in self._cells:
            self._cells[key] = _Cell(counts=[0] * (len(metric.buckets) + 1) if metric.buckets else [])
        return self._cells[key]
