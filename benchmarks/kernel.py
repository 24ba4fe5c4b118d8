"""The kernel on the simulated provider: plan, create, unchanged job, drift and repair, kill."""

import gc
from random import Random
from statistics import median, quantiles
from typing import Any

from benchmarks.measuring import peak_mb, resident_mb
from benchmarks.worlds import BenchWorld, Spent, bench_world
from tenuto.model.command import ProcessState
from tenuto_testing.world import PERIOD_S, World

Row = dict[str, Any]
_ROUNDS = 3
_DRIFTS = 200
_DRIFT_PERIODS = 10


def kernel(size: int) -> list[Row]:
    """One life of `size` resources, from the first plan to the end of the kill."""
    with bench_world(size) as bench:
        world = bench.world
        submissions = bench.submissions()
        rows = [_row("plan of new", bench, bench.spend(lambda: plan_of_new(world, submissions)))]
        before_mb = resident_mb()
        rows.append(_row("create", bench, bench.spend(lambda: create(world, submissions))))
        rounds = [bench.spend(lambda: world.advance(PERIOD_S)) for _ in range(_ROUNDS)]
        gc.collect()
        steady = _row("unchanged job", bench, sorted(rounds, key=lambda spent: spent.cpu_s)[_ROUNDS // 2])
        rows.append(steady | {"resident MB": resident_mb(), "KB/resource": 1024 * (resident_mb() - before_mb) / size})
        rows.append(_drift(bench))
        rows.append(_row("kill", bench, bench.spend(lambda: kill(world))))
        return [row | {"peak MB": peak_mb()} for row in rows]


def plan_of_new(world: World, submissions: list[Any]) -> None:
    """A dry run of each."""
    for submission in submissions:
        planned = world.system.commands.dry_runs.run(submission, alias=None, account="default")
        assert planned is not None


def create(world: World, submissions: list[Any]) -> None:
    """A process of each, until all is there."""
    for number, submission in enumerate(submissions):
        world.system.commands.run(submission, alias=f"big-{number}")
    assert world.settle(), "it did not come to rest"


def kill(world: World) -> None:
    """All processes, until nothing is left."""
    for process in world.store.processes():
        world.system.commands.kill(process.fid)
    assert world.settle(), "it did not come to rest"
    assert not world.store.processes()
    assert not world.cloud.things()


def _drift(bench: BenchWorld) -> Row:
    """Strangers change a network each at random moments: how long until it is as declared again."""
    world, random = bench.world, Random(bench.size)
    networks = [thing for thing in world.cloud.things() if thing.type.prefix == "net"]
    count = min(_DRIFTS, len(networks))
    moments = sorted(random.uniform(0.0, _DRIFT_PERIODS * PERIOD_S) for _ in range(count))
    chosen = random.sample(networks, count)
    began = world.clock.now()
    waits: list[float] = []
    open_since: dict[str, float] = {}

    def watch() -> None:
        now = world.clock.now()
        labels = {one.physical_id: one.properties["Label"] for one in chosen if one.physical_id in open_since}
        for name, label in labels.items():
            if label == "one":
                waits.append(now - open_since.pop(name))

    def live() -> None:
        for moment, thing in zip(moments, chosen, strict=True):
            while world.clock.now() < began + moment:
                world.advance(min(1.0, began + moment - world.clock.now()))
                watch()
            world.cloud.tamper(thing.physical_id, "Label", "a stranger's")
            open_since[thing.physical_id] = world.clock.now()
        while open_since:
            world.advance(1.0)
            watch()

    spent = bench.spend(live)
    assert all(process.state is ProcessState.RUNNING for process in world.store.processes())
    cuts = quantiles(waits, n=100)
    return _row("drift to repaired", bench, spent) | {
        "repairs": count,
        "p50 s": median(waits),
        "p99 s": cuts[98],
        "cpu ms/repair": 1000 * spent.cpu_s / count,
    }


def _row(step: str, bench: BenchWorld, spent: Spent) -> Row:
    return {
        "step": step,
        "resources": bench.size,
        "cpu s": spent.cpu_s,
        "cloud cpu s": spent.cloud_cpu_s,
        "wall s": spent.wall_s,
        "calls": spent.calls,
        "µs/resource": 1_000_000 * spent.cpu_s / bench.size,
    }
