"""Terraform's core alone, on resources that are nothing but state: beside `kernel`, on the simulated provider.

Applying grows with the square of the count, because the whole state is written again for every resource that is done;
so beyond `_MOST_APPLIED` only the first plan is measured.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import peers
from benchmarks.measuring import cost_of

_MOST_APPLIED = 1000


def terraform_core(size: int) -> list[dict[str, Any]]:
    """`size` resources, a tenth of which the others refer to."""
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
            cost = cost_of(lambda: terraform.run(*words, "-no-color"))
            rows.append({"step": name, "resources": size, "cpu s": cost.cpu_s, "wall s": cost.wall_s})

        step("plan of new", "plan")
        if size <= _MOST_APPLIED:
            step("create", "apply", "-auto-approve")
            step("no-op", "plan")
            step("destroy", "destroy", "-auto-approve")
    return rows
