"""The numbers of a Conductor: the counts since its start, and the counts of its store now."""

from collections import Counter
from collections.abc import Collection, Iterable

import tenuto
from tenuto.kit.metrics import Meter, Metric, MetricKind, Sample
from tenuto.model import metrics
from tenuto.model.command import ProcessState
from tenuto.ports.store import Store


class Metrics:
    """Raises StoreError when the store cannot be read."""

    def __init__(self, *, store: Store, meter: Meter) -> None:
        self._store = store
        self._meter = meter

    def samples(self) -> tuple[Sample, ...]:
        """Return every sample, by name and labels."""
        processes = self._store.processes()
        states = Counter(process.state for process in processes)
        waiting = sum(1 for one in processes if one.state is ProcessState.RUNNING and one.converged_at is None)
        found = [
            *self._meter.samples(),
            Sample(metric=metrics.BUILD_INFO, labels=(tenuto.__version__,), value=1),
            Sample(metric=metrics.UNCONVERGED, value=waiting),
            *(
                Sample(metric=metrics.PROCESSES, labels=(state.value,), value=states[state])
                for state in ProcessState
                if state is not ProcessState.GONE
            ),
            *(
                Sample(metric=metrics.RESOURCES, labels=(state,), value=count)
                for state, count in self._store.resource_states().items()
            ),
        ]
        for name, backlog in self._store.backlogs().items():
            found.append(Sample(metric=metrics.NOTIFICATIONS, labels=(name, "waiting"), value=backlog.waiting))
            found.append(Sample(metric=metrics.NOTIFICATIONS, labels=(name, "dead"), value=backlog.dead))
        found += _zeros({sample.metric for sample in found})
        return tuple(sorted(found, key=lambda sample: (sample.metric.name, sample.labels)))


def _zeros(known: Collection[Metric]) -> Iterable[Sample]:
    """The metrics that have not happened yet, at zero: an alert on a number that is not there never fires."""
    for metric in metrics.METRICS:
        if metric not in known and not metric.labels and metric.kind is not MetricKind.GAUGE:
            yield Sample(metric=metric, counts=(0,) * (len(metric.buckets) + 1) if metric.buckets else ())
