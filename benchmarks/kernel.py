"""What the kernel costs on the simulated provider: build, unchanged job, one repair, kill.

    python benchmarks/kernel.py [--resources 1000 10000] [--store sqlite|memory] [--json FILE]

The clock of the simulated cloud is virtual, so nobody waits; what the simulated cloud itself computes is taken out, and
the seconds are Tenuto's own. Compare ratios between sizes, not numbers between machines.
"""

import argparse
import json
import logging
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import structlog

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from simulation import Simulation, declare

from tenuto.model.composition import Composition
from tenuto.model.process import Command, ProcessState
from tenuto.storage.open import open_store


def composition(resources: int) -> Composition:
    """A network for every nine groups in it."""
    declared = []
    for number in range(resources):
        net = f"Net{number // 10}"
        if number % 10 == 0:
            declared.append(declare(net, "Network", CidrBlock="10.0.0.0/16", Label="one"))
        else:
            declared.append(declare(f"Group{number}", "Group", (net,), NetworkId={"Ref": net}))
    return Composition(name="big", digest=f"d{resources}", region="us-east-1", resources=tuple(declared))


class Watch:
    """How much processor time is spent inside a provider."""

    def __init__(self, provider: object) -> None:
        self.spent_s = 0.0
        for name in ("context", "lookup", "sweep", "find", "create", "modify", "delete"):
            setattr(provider, name, self._timed(getattr(provider, name)))

    def _timed(self, method: Callable[..., object]) -> Callable[..., object]:
        def timed(*arguments: object) -> object:
            began = time.process_time()
            try:
                return method(*arguments)
            finally:
                self.spent_s += time.process_time() - began

        return timed


def measure(resources: int, store: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(store=open_store(f"{folder}/t.db") if store == "sqlite" else None)
        watch = Watch(simulation.provider)
        simulation.begin(composition(resources))
        found: dict[str, float] = {"resources": resources}

        def step(name: str, work: Callable[[], object]) -> None:
            calls, cpu, cloud = len(simulation.provider.calls), time.process_time(), watch.spent_s
            work()
            found[f"{name} cpu s"] = round(time.process_time() - cpu - (watch.spent_s - cloud), 3)
            found[f"{name} calls"] = len(simulation.provider.calls) - calls

        def next_job() -> None:
            simulation.clock.set(simulation.process().next_job_at)
            simulation.turn(5.0)

        step("build", lambda: simulation.settle(3000.0))
        step("unchanged job", next_job)
        network = simulation.live()["Net0"].physical_id
        assert network is not None
        simulation.cloud.tamper(network, "Label", "a stranger's")
        step("repair", next_job)
        simulation.command(ProcessState.KILLING, Command.KILL)
        step("kill", lambda: simulation.settle(3000.0))
        assert simulation.process().state is ProcessState.GONE
        found["peak MB"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        simulation.store.close()
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--resources", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--store", choices=("sqlite", "memory"), default="sqlite")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    rows = [measure(count, options.store) for count in options.resources]
    for name in rows[0]:
        print(f"{name:<20}" + "".join(f"{row[name]:>12}" for row in rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
