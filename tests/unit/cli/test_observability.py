"""The board and the rules ask for metrics that there are."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tenuto.cli.observability import ALERTS, PANELS, alerts, dashboard
from tenuto.model.metrics import METRICS

NAMES = {metric.name: metric for metric in METRICS}


def queries() -> list[str]:
    return [query for panel in PANELS for query in panel.queries.values()] + [one.expression for one in ALERTS]


@pytest.mark.parametrize("query", queries())
def test_a_query_names_metrics_and_labels_that_there_are(query: str) -> None:
    found = re.findall(r"\btenuto_\w+", query)
    assert found
    for name in found:
        metric = NAMES[name.removesuffix("_bucket")]
        used = set(re.findall(r'(\w+)="', query)) | {
            one for group in re.findall(r"by \(([^)]*)\)", query) for one in group.split(", ")
        }
        assert used - {"le"} <= set(metric.labels), query


def test_every_metric_is_on_the_board() -> None:
    shown = " ".join(query for panel in PANELS for query in panel.queries.values())
    assert [name for name in NAMES if name not in shown] == []


def test_the_board_has_a_place_for_each_panel() -> None:
    panels = json.loads(dashboard())["panels"]
    places = {(one["gridPos"]["x"], one["gridPos"]["y"]) for one in panels}
    assert len(places) == len(panels) == len(PANELS)


def test_prometheus_takes_the_rules(tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed")
    file = tmp_path / "rules.yml"
    file.write_text(alerts())
    done = subprocess.run(
        [promtool, "check", "rules", str(file)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(ALERTS)} rules found" in done.stdout
