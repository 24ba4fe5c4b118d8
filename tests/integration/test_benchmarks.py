"""Every benchmark that needs no peer runs, at a tiny size. What it measures is nobody's business here.

The one that makes this machine a host runs in `tests/linux`, where one test at a time does that.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from benchmarks import rest
from benchmarks.__main__ import BENCHMARKS, WITH_PEERS
from benchmarks.report import table, with_exponents, with_ratios
from benchmarks.terraform_core import tenuto
from night import by_day

ROOT = Path(__file__).parents[2]
ON_A_HOST = "local"
SHORT = {"rest": lambda: rest.rest(2, rest_s=300)}
"""Two things of each type for some minutes: as of forty for an hour, what is measured is that it can be measured."""
WITH_SERVERS = ("script", "web")
"""They are measured in a process of their own, as by the command, since they leave their connections to its end."""


@pytest.fixture(autouse=True)
def own_environment() -> Iterator[None]:
    """A benchmark sets what the SDK reads, for good: it has a process of its own otherwise."""
    with patch.dict(os.environ):
        yield


@pytest.mark.parametrize("name", by_day(1, WITH_SERVERS))
def test_a_benchmark_with_a_server_runs_in_a_process_of_its_own(name: str) -> None:
    command = [sys.executable, "-m", "benchmarks", "--measure", name, "10"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert rows
    assert all(row["step"] and row["resources"] for row in rows)


@pytest.mark.parametrize("name", [name for name in BENCHMARKS if name not in (*WITH_PEERS, *WITH_SERVERS, ON_A_HOST)])
def test_a_benchmark_runs_and_tells_what_each_step_took(name: str) -> None:
    measure, _, _ = BENCHMARKS[name]
    rows = SHORT[name]() if name in SHORT else measure(40)
    assert rows
    assert all(row["step"] and row["resources"] and "cpu s" in row for row in rows)


def test_the_half_of_a_comparison_that_is_ours_runs() -> None:
    assert [row["step"] for row in tenuto(20)] == [
        "plan of new, Tenuto",
        "create, Tenuto",
        "no-op, Tenuto",
        "destroy, Tenuto",
    ]


def test_a_table_tells_growth_between_sizes_and_the_ratio_to_the_peer() -> None:
    rows = [
        {"step": f"create, {who}", "resources": size, "cpu s": cpu, "wall s": cpu}
        for who, size, cpu in (
            ("Tenuto", 10, 1.0),
            ("Tenuto", 100, 10.0),
            ("Terraform", 10, 5.0),
            ("Terraform", 100, 90.0),
        )
    ]
    told = with_ratios(with_exponents(rows))
    assert [row.get("growth") for row in told] == [None, pytest.approx(1.0), None, pytest.approx(1.255, abs=0.001)]
    assert [row.get("cpu ratio") for row in told] == [5.0, 9.0, None, None]
    assert "wall ratio" in table(told).splitlines()[0]


def test_a_step_that_was_stopped_has_no_ratio() -> None:
    rows = [
        {"step": "create, Tenuto", "resources": 10, "cpu s": 1.0, "wall s": 1.0},
        {"step": "create, Terraform", "resources": 10, "wall s": "stopped after 900"},
    ]
    assert "cpu ratio" not in with_ratios(rows)[0]
    assert "stopped after 900" in table(with_ratios(rows))
