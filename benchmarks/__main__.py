"""The one command: `python -m benchmarks [NAME …] [--sizes N …] [--json FILE]`."""

import argparse
import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import structlog

from benchmarks import (
    compiling,
    crowd,
    kernel,
    local,
    machine,
    phases,
    reading,
    rest,
    script,
    stacks,
    terraform_core,
    web,
)
from benchmarks.report import table, with_exponents, with_ratios
from tenuto.bootstrap.collector import collect_seldom

Measure = Callable[[int], list[dict[str, Any]]]

BENCHMARKS: dict[str, tuple[Measure, tuple[int, ...], str]] = {
    "kernel": (
        kernel.kernel,
        (1_000, 10_000),
        "plan, create, unchanged job, drift, kill; simulated provider",
    ),
    "phases": (phases.phases, (1_000, 10_000), "the phase engine around plugins that do nothing"),
    "read": (reading.reading, (250, 2_500), "a sweep of security groups, rules and subnets, beside botocore alone"),
    "crowd": (crowd.crowd, (100, 400), "one command to one of many small processes in one account; strict cloud"),
    "rest": (rest.rest, (50, 200), "an hour at rest of things of one type, for each of several types; strict cloud"),
    "script": (script.script, (50, 250), "VPC, subnets and group beside a plain script of the SDK; strict cloud"),
    "stacks": (stacks.stacks, (10, 50, 250), "VPC, subnets and group on ministack, beside Terraform (see --peers)"),
    "stacks-moto": (stacks.stacks_on_moto, (10, 50), "the same on moto, beside Terraform (see --peers)"),
    "terraform-core": (
        terraform_core.terraform_core,
        (100, 1_000, 10_000),
        "the kernel beside Terraform without a cloud (see --peers)",
    ),
    "web": (web.web, (100, 1_000), "pages of the dashboard, and twenty viewers while fifty things happen a second"),
    "local": (local.local, (4,), "networks and machines of a host, beside ip, nft and QEMU alone; needs root"),
    "compile": (compiling.compiling, (500,), "a template, as YAML and as JSON"),
}

WITH_PEERS = ("stacks", "stacks-moto", "terraform-core")


def main() -> None:
    listed = "\n".join(f"  {name:<10} {about}" for name, (_, _, about) in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=f"Measures what Tenuto costs.\n\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which ones (default: all)")
    parser.add_argument("--sizes", type=int, nargs="+", help="other sizes than those of each benchmark")
    parser.add_argument("--json", type=Path, help="write the results, with the facts of the machine, to a file, too")
    parser.add_argument("--peers", action="store_true", help="also those that install Terraform and an emulator first")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        _measure(options.measure[0], int(options.measure[1]))
        return
    unknown = sorted(set(options.names) - BENCHMARKS.keys())
    if unknown:
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
    facts = machine.facts()
    print("  ".join(f"{name}: {value}" for name, value in facts.items()))
    results: dict[str, Any] = {"machine": facts}
    chosen = options.names or [name for name in BENCHMARKS if options.peers or name not in WITH_PEERS]
    for name in chosen:
        sizes = options.sizes or BENCHMARKS[name][1]
        rows = with_ratios(with_exponents([row for size in sizes for row in _in_a_process(name, size)]))
        results[name] = rows
        print(f"\n{name}\n{table(rows)}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


def _in_a_process(name: str, size: int) -> list[dict[str, Any]]:
    """The rows of one measurement, made in a process of its own: memory that was used once is never given back."""
    command = [sys.executable, "-m", "benchmarks", "--measure", name, str(size)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        return [{"step": f"FAILED with {done.returncode}", "resources": size}]
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def _measure(name: str, size: int) -> None:
    collect_seldom()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    print(json.dumps(BENCHMARKS[name][0](size)))


if __name__ == "__main__":
    main()
