"""A board for Grafana and rules for Prometheus, made from the table of the Conductor's metrics.

They are written out and not shipped as files, so that a metric that gets another name takes its queries with it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tenuto.model.ids import JsonMap
from tenuto.model.metrics import (
    BUILD_INFO,
    CALLS,
    CONVERGENCE,
    DRIFT_FOUND,
    DRIFT_REPAIRED,
    JOB_STEPS,
    JOBS,
    NOTIFICATIONS,
    PROCESSES,
    QUEUE_AGE,
    QUEUE_LENGTH,
    REFUSED,
    RESOURCES,
    UNCONVERGED,
)

_HALF, _FULL = 12, 24
_HEIGHT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One panel of the board: its queries by the names of their lines."""

    title: str
    queries: Mapping[str, str]
    unit: str = "short"
    kind: str = "timeseries"


PANELS = (
    Panel(title="Processes by state", queries={"{{state}}": f"sum by (state) ({PROCESSES.name})"}),
    Panel(title="Running, and not as declared", queries={"unconverged": f"sum({UNCONVERGED.name})"}),
    Panel(
        title="Drift an hour",
        queries={
            "found": f"sum(increase({DRIFT_FOUND.name}[1h]))",
            "repaired": f"sum(increase({DRIFT_REPAIRED.name}[1h]))",
        },
    ),
    Panel(
        title="Until as declared again",
        unit="s",
        queries={
            "median": f"histogram_quantile(0.5, sum by (le) (rate({CONVERGENCE.name}_bucket[15m])))",
            "95 of 100": f"histogram_quantile(0.95, sum by (le) (rate({CONVERGENCE.name}_bucket[15m])))",
        },
    ),
    Panel(
        title="Jobs a minute",
        queries={"{{command}} {{status}}": f"sum by (command, status) (rate({JOBS.name}[5m])) * 60"},
    ),
    Panel(
        title="Steps of jobs, 95 of 100",
        unit="s",
        queries={"{{step}}": f"histogram_quantile(0.95, sum by (le, step) (rate({JOB_STEPS.name}_bucket[15m])))"},
    ),
    Panel(
        title="Calls to the provider, a second",
        queries={"{{service}} {{result}}": f"sum by (service, result) (rate({CALLS.name}[5m]))"},
    ),
    Panel(
        title="Throttled, a second",
        queries={"{{service}} {{api}}": f'sum by (service, api) (rate({CALLS.name}{{result="throttled"}}[5m]))'},
    ),
    Panel(
        title="Requests refused by a limit, a minute",
        queries={"{{limit}}": f"sum by (limit) (rate({REFUSED.name}[5m])) * 60"},
    ),
    Panel(title="Queue", queries={"due": f"max({QUEUE_LENGTH.name})", "waits, s": f"max({QUEUE_AGE.name})"}),
    Panel(title="Resources by state", queries={"{{state}}": f"sum by (state) ({RESOURCES.name})"}),
    Panel(title="Notifications that have not arrived", queries={"{{notification}} {{status}}": NOTIFICATIONS.name}),
    Panel(title="Version", kind="stat", queries={"{{version}}": BUILD_INFO.name}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One rule: when it fires, for how long it must hold, and the advice."""

    name: str
    expression: str
    lasting: str
    severity: str
    summary: str
    advice: str


ALERTS = (
    Alert(
        name="TenutoDown",
        expression=f"absent({BUILD_INFO.name})",
        lasting="5m",
        severity="critical",
        summary="No Conductor is scraped.",
        advice="Nothing is enforced meanwhile, and nothing is lost. Start the Conductor, or correct the scrape.",
    ),
    Alert(
        name="TenutoUnconverged",
        expression=f"sum({UNCONVERGED.name}) > 0",
        lasting="30m",
        severity="warning",
        summary="{{ $value }} Running processes are not as declared.",
        advice="'tenuto status' names them, and 'tenuto explain PROCESS' tells why.",
    ),
    Alert(
        name="TenutoSuspended",
        expression=f'sum({PROCESSES.name}{{state="Suspended"}}) > 0',
        lasting="1h",
        severity="warning",
        summary="{{ $value }} processes are Suspended, and nothing is enforced there.",
        advice="'tenuto status' has the message of each; 'tenuto resume' goes on.",
    ),
    Alert(
        name="TenutoJobsFail",
        expression=f'sum(increase({JOBS.name}{{status="FAILED"}}[30m])) > 5',
        lasting="0m",
        severity="warning",
        summary="{{ $value }} jobs have failed in half an hour.",
        advice="'tenuto status' shows the last message of each process.",
    ),
    Alert(
        name="TenutoQueueLags",
        expression=f"max({QUEUE_AGE.name}) > 120",
        lasting="10m",
        severity="warning",
        summary="A process has been due for {{ $value }} s.",
        advice="The Conductor is short of processor time, or the provider answers slowly.",
    ),
    Alert(
        name="TenutoThrottled",
        expression=f'sum(rate({CALLS.name}{{result="throttled"}}[15m])) / sum(rate({CALLS.name}[15m])) > 0.05',
        lasting="30m",
        severity="info",
        summary="More than one call of twenty is throttled.",
        advice="Tenuto slows down by itself. Others use the account, too, or TENUTO_API_SHARE is too high.",
    ),
    Alert(
        name="TenutoNotificationsDead",
        expression=f'sum({NOTIFICATIONS.name}{{status="dead"}}) > 0',
        lasting="10m",
        severity="warning",
        summary="{{ $value }} notifications were given up.",
        advice="'tenuto notification dead NAME' lists them, and 'tenuto notification redeliver NAME' sends them again.",
    ),
)


def dashboard() -> str:
    """The board, as Grafana imports it."""
    panels = [_panel(number, one) for number, one in enumerate(PANELS)]
    document = {
        "title": "Tenuto",
        "uid": "tenuto",
        "schemaVersion": 39,
        "tags": ["tenuto"],
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "30s",
        "templating": {"list": [{"name": "source", "type": "datasource", "query": "prometheus", "label": "Source"}]},
        "panels": panels,
    }
    return json.dumps(document, indent=2)


def alerts() -> str:
    """The rules, as Prometheus reads them: JSON is YAML, and its texts need no further care."""
    rules = [
        {
            "alert": one.name,
            "expr": one.expression,
            "for": one.lasting,
            "labels": {"severity": one.severity},
            "annotations": {"summary": one.summary, "description": one.advice},
        }
        for one in ALERTS
    ]
    return json.dumps({"groups": [{"name": "tenuto", "rules": rules}]}, indent=2)


def _panel(number: int, one: Panel) -> JsonMap:
    source = {"type": "prometheus", "uid": "${source}"}
    return {
        "id": number + 1,
        "title": one.title,
        "type": one.kind,
        "datasource": source,
        "gridPos": {"h": _HEIGHT, "w": _HALF, "x": (number * _HALF) % _FULL, "y": number // 2 * _HEIGHT},
        "fieldConfig": {"defaults": {"unit": one.unit}, "overrides": []},
        "targets": [
            {"refId": chr(ord("A") + at), "expr": query, "legendFormat": name, "datasource": source}
            for at, (name, query) in enumerate(one.queries.items())
        ],
    }
