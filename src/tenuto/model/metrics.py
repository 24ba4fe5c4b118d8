"""The metrics of a Conductor. docs/guide/metrics.md has the same table; a test compares them."""

from tenuto.kit.metrics import Metric, MetricKind

_STEPS_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
"""The bounds of durations, from a plan of nothing to a NAT gateway."""
_CONVERGENCE_S = (1.0, 5.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0)

BUILD_INFO = Metric(
    name="tenuto_build_info", kind=MetricKind.GAUGE, summary="1, with the version as a label", labels=("version",)
)
QUEUE_AGE = Metric(
    name="tenuto_queue_age_seconds",
    kind=MetricKind.GAUGE,
    summary="for how long the process that is due longest has been waiting for a thread",
)
QUEUE_LENGTH = Metric(
    name="tenuto_queue_length", kind=MetricKind.GAUGE, summary="processes that are due and wait for a thread"
)
JOBS = Metric(
    name="tenuto_jobs_total",
    kind=MetricKind.COUNTER,
    summary="jobs that ended, by what they were for and how they ended",
    labels=("command", "status"),
)
JOB_STEPS = Metric(
    name="tenuto_job_step_seconds",
    kind=MetricKind.HISTOGRAM,
    summary="how long the steps of jobs took: `observe`, `plan` (compare and plan), `execute`",
    labels=("step",),
    buckets=_STEPS_S,
)
CONVERGENCE = Metric(
    name="tenuto_convergence_seconds",
    kind=MetricKind.HISTOGRAM,
    summary="from the moment at which a process was known not to be as declared, to the job that found it so",
    buckets=_CONVERGENCE_S,
)
DRIFT_FOUND = Metric(
    name="tenuto_drift_found_total",
    kind=MetricKind.COUNTER,
    summary="drifts that no command asked for, each counted once: as many as there are `drift.found` events",
)
DRIFT_REPAIRED = Metric(
    name="tenuto_drift_repaired_total",
    kind=MetricKind.COUNTER,
    summary="those of them that were found as declared again",
)
CALLS = Metric(
    name="tenuto_provider_calls_total",
    kind=MetricKind.COUNTER,
    summary="calls to the provider, by service and API; `result` is `ok`, `throttled` or `error`",
    labels=("service", "api", "result"),
)
REFUSED = Metric(
    name="tenuto_requests_refused_total",
    kind=MetricKind.COUNTER,
    summary="requests that were refused because their caller asks too much, by the limit",
    labels=("limit",),
)
PROCESSES = Metric(
    name="tenuto_processes", kind=MetricKind.GAUGE, summary="live processes, by state", labels=("state",)
)
UNCONVERGED = Metric(
    name="tenuto_processes_unconverged", kind=MetricKind.GAUGE, summary="Running processes that are not as declared"
)
RESOURCES = Metric(
    name="tenuto_resources",
    kind=MetricKind.GAUGE,
    summary="incarnations of resources that are not gone, by state",
    labels=("state",),
)
NOTIFICATIONS = Metric(
    name="tenuto_notifications",
    kind=MetricKind.GAUGE,
    summary="events that have not arrived, by notification; `status` is `waiting` or `dead`",
    labels=("notification", "status"),
)

METRICS = (
    BUILD_INFO,
    QUEUE_AGE,
    QUEUE_LENGTH,
    JOBS,
    JOB_STEPS,
    CONVERGENCE,
    DRIFT_FOUND,
    DRIFT_REPAIRED,
    CALLS,
    REFUSED,
    PROCESSES,
    UNCONVERGED,
    RESOURCES,
    NOTIFICATIONS,
)
