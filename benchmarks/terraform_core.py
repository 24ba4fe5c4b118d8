"""The kernel on the simulated provider beside Terraform's core alone, on resources that are nothing but state.

Of as many resources a tenth are what the others refer to. Terraform's apply grows with the square of the count, because
the whole state is written again for every resource that is done; so each of its steps may take `_PATIENCE_S`, and what
would take longer is said to. Processor seconds of the simulated cloud are not among Tenuto's.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import kernel, peers
from benchmarks.measuring import cost_of
from benchmarks.worlds import bench_world
from tenuto_testing.world import PERIOD_S

_PATIENCE_S = 900.0


def terraform_core(size: int) -> list[dict[str, Any]]:
    """The same steps of both."""
    return tenuto(size) + _terraform(size)


def tenuto(size: int) -> list[dict[str, Any]]:
    """Plan, create, an unchanged job and kill, with nothing between."""
    rows: list[dict[str, Any]] = []
    with bench_world(size) as bench:

        def step(name: str, work: Callable[[], object]) -> None:
            spent = bench.spend(work)
            rows.append({"step": f"{name}, Tenuto", "resources": size, "cpu s": spent.cpu_s, "wall s": spent.wall_s})

        submissions = bench.submissions()
        step("plan of new", lambda: kernel.plan_of_new(bench.world, submissions))
        step("create", lambda: kernel.create(bench.world, submissions))
        bench.world.advance(PERIOD_S)
        step("no-op", lambda: bench.world.advance(PERIOD_S))
        step("destroy", lambda: kernel.kill(bench.world))
    return rows


def _terraform(size: int) -> list[dict[str, Any]]:
    roots = max(1, size // 10)
    configuration = {
        "resource": {
            "terraform_data": {
                "root": {"count": roots, "input": "root-${count.index}"},
                "leaf": {"count": size - roots, "input": f"${{terraform_data.root[count.index % {roots}].output}}"},
            }
        }
    }
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        terraform = peers.Terraform(peers.installed(), Path(folder), configuration)
        terraform.run("init", "-no-color")

        def step(name: str, *words: str) -> None:
            row = {"step": f"{name}, Terraform", "resources": size}
            cost = cost_of(lambda: terraform.run(*words, "-no-color", timeout_s=_PATIENCE_S))
            rows.append(row | {"cpu s": cost.cpu_s, "wall s": cost.wall_s})

        steps = {"create": ("apply", "-auto-approve"), "no-op": ("plan",), "destroy": ("destroy", "-auto-approve")}
        try:
            for name, words in {"plan of new": ("plan",), **steps}.items():
                step(name, *words)
        except subprocess.TimeoutExpired:
            rows.append({"step": f"{name}, Terraform", "resources": size, "wall s": f"stopped after {_PATIENCE_S:.0f}"})
    return rows
