"""The driver `memory` of a host: machines and networks that exist in a file of the agent, and nowhere else.

It is the simulated driver with one host, behind the port of an agent. It needs no root and no Linux, so tests and
machines without either use it; everything but packets and guests is as on a real host. The file outlives the agent, as
machines outlive it.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tenuto.model.ids import Instant, ObjectId
from tenuto.providers.local.driver import HostDriver, Problem, Seen, Send, Spec
from tenuto.providers.local.drivers.simulated import SimulatedDriver
from tenuto.providers.local.drivers.simulated_disks import SentContents
from tenuto.providers.local.images.folder import BLOBS, BlobFolder
from tenuto.providers.local.leases import Lease
from tenuto.providers.local.rules.machines.placement import Host
from tenuto.providers.local.rules.machines.replacement import is_fenced
from tenuto.providers.local.types import INSTANCE

HERE = "here"
"""The one zone of the file."""
FILE = "memory.json"
LEASE = "lease"


_SILENT = Problem(message="it did not hear from the Conductor for too long, and starts nothing before it does")
"""The answer to an order for a machine that would end at once: the lease is renewed only after the order came."""


class MemoryDriver:
    """Implements `providers.local.driver.HostDriver`."""

    name = "memory"

    def __init__(self, world: SimulatedDriver, lease: Lease, contents: SentContents) -> None:
        self.world = world
        self._lease = lease
        self._contents = contents

    def send_by(self, send: Send) -> None:
        self._contents.sender = send

    def meet(self, hosts: Mapping[str, str]) -> None:
        """Ignore the hosts: none of them reaches the things here."""

    def isolate(self, object_ids: Sequence[ObjectId]) -> str:
        hosts = {spec.host for spec, _ in self.world.everything().get(HERE, ((), ()))[1]}
        for name in sorted(hosts):
            self.world.isolate(HERE, name, object_ids)
        return ""

    def doubt(self) -> str:
        return ""

    def foreign(self) -> str:
        return ""

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        with self.world.turn():
            self._end_leased()
            refused = {spec.object_id: _SILENT for spec in specs if self._lease.is_over() and _is_leased(spec)}
            specs = [spec for spec in specs if spec.object_id not in refused]
            for name in sorted({spec.host for spec in specs}):
                self.world.add_host(HERE, Host(name=name, cores=os.cpu_count() or 1, memory_mib=0))
            return {**refused, **self.world.ensure(HERE, specs)}

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return self.world.remove(HERE, object_ids)

    def hold(self, until: float) -> None:
        with self.world.turn():
            self._end_leased()
            self._lease.hold(until)

    def let_go(self) -> None:
        self._lease.release()

    def observe(self) -> Sequence[Seen]:
        self._end_leased()
        _, things = self.world.everything().get(HERE, ((), ()))
        return [seen for _, seen in things]

    def _end_leased(self) -> None:
        """End the machines that end with the lease. Nothing here has a process, so it is enough to do that before
        anything else."""
        if self._lease.is_over():
            self.world.end_leased(HERE)


def _is_leased(spec: Spec) -> bool:
    return spec.type == INSTANCE and is_fenced(str(spec.properties.get("Replace")))


class _SystemClock:
    """The clock of the system as a `ports.clock.Clock`: the machines that boot here need no other."""

    def now(self) -> Instant:
        return Instant(time.time())

    def wall(self) -> Instant:
        return Instant(time.time())

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def make_driver(state: Path, *, host: str, address: str, conductor: Sequence[str] = ()) -> HostDriver:
    """The driver of an agent with this state directory. Its machines reach nothing."""
    contents = SentContents(BlobFolder(state / BLOBS))
    world, lease = SimulatedDriver(_SystemClock(), state / FILE, contents=contents), Lease(state / LEASE)
    lease.reserve()
    return MemoryDriver(world, lease, contents)
