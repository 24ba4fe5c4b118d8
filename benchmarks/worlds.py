"""A whole Tenuto on a virtual clock, with a process of many resources, and a watch on its provider.

The clock of the simulated cloud is virtual, so nobody waits; what the simulated cloud itself computes is told apart.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring import cost_of
from tenuto.compositions.documents.canonical import digest
from tenuto.compositions.documents.document import to_document
from tenuto.model.composition import Composition, Declaration
from tenuto.model.ids import Json, LogicalId, TypeName
from tenuto.service.intake.composition import Submission
from tenuto.storage.open import open_store
from tenuto_testing.world import World

PER_PROCESS = 10_000
"""Resources in one process, twenty times what CloudFormation allows; larger worlds have several such processes."""
REGION = "sim-1"
_CALLS = ("context", "lookup", "sweep", "find", "create", "modify", "delete", "claim", "disclaim")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a piece of a world's life cost: Tenuto's own processor seconds, those of the cloud, and calls to it."""

    cpu_s: float
    cloud_cpu_s: float
    wall_s: float
    calls: int


class BenchWorld:
    """`size` resources in processes of at most PER_PROCESS."""

    def __init__(self, world: World, size: int) -> None:
        self.world = world
        self.size = size
        self._cloud_s = 0.0
        for name in _CALLS:
            setattr(world.provider, name, self._timed(getattr(world.provider, name)))

    def submissions(self) -> list[Submission]:
        counts = [min(PER_PROCESS, self.size - start) for start in range(0, self.size, PER_PROCESS)]
        return [Submission(document=to_document(composition(count)), secrets={}) for count in counts]

    def spend(self, work: Callable[[], object]) -> Spent:
        calls, cloud_s = len(self.world.calls), self._cloud_s
        cost = cost_of(work)
        cloud_s = self._cloud_s - cloud_s
        return Spent(
            cpu_s=cost.cpu_s - cloud_s,
            cloud_cpu_s=cloud_s,
            wall_s=cost.wall_s,
            calls=len(self.world.calls) - calls,
        )

    def _timed(self, method: Callable[..., object]) -> Callable[..., object]:
        def timed(*arguments: object, **named: object) -> object:
            began = time.process_time()
            try:
                return method(*arguments, **named)
            finally:
                self._cloud_s += time.process_time() - began

        return timed


@contextmanager
def bench_world(size: int) -> Iterator[BenchWorld]:
    """On a fresh database file."""
    with TemporaryDirectory() as folder:
        store = open_store(str(Path(folder) / "tenuto.db"))
        try:
            yield BenchWorld(World(store=store), size)
        finally:
            store.close()


def composition(count: int) -> Composition:
    """Stacks of ten: a network, two subnets, seven groups with a rule each."""
    declared: list[Declaration] = []
    for number in range(count):
        net = f"Net{number // 10:05}"
        match number % 10:
            case 0:
                declared.append(_declare(net, "Network", CidrBlock="10.0.0.0/16", Label="one", Tags=_tags(net)))
            case 1 | 2:
                block = f"10.0.{number % 10}.0/24"
                declared.append(
                    _declare(f"Sub{number:06}", "Subnet", net, NetworkId={"Ref": net}, CidrBlock=block, Tags=_tags(net))
                )
            case _:
                rules = [{"Protocol": "tcp", "Port": 443, "Cidr": "10.0.0.0/8"}]
                declared.append(
                    _declare(f"Grp{number:06}", "Group", net, NetworkId={"Ref": net}, Ingress=rules, Tags=_tags(net))
                )
    undigested = Composition(name="big", digest="", region=REGION, resources=tuple(declared))
    return Composition(name="big", digest=digest(undigested), region=REGION, resources=tuple(declared))


def _tags(name: str) -> list[Json]:
    return [{"Key": "Name", "Value": name}, {"Key": "Stage", "Value": "bench"}]


def _declare(name: str, type_name: str, need: str = "", **properties: Json) -> Declaration:
    return Declaration(
        logical_id=LogicalId(name),
        type=TypeName(f"Simulated::{type_name}"),
        properties=properties,
        depends_on=(LogicalId(need),) if need else (),
    )
