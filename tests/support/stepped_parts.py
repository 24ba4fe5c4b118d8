"""The parts of a stepped host: what phases wait on, a lease by a virtual clock, and a driver whose agent dies."""

import threading
from collections.abc import Callable, Mapping, Sequence

from tenuto.model.ids import ObjectId
from tenuto.providers.local.driver import Problem, Seen, Spec
from tenuto.providers.local.drivers.memory import MemoryDriver
from tenuto.providers.local.leases import Lease
from tenuto_testing.mortality import Crash


class Waiting(threading.Condition):
    """What phases wait on. Nobody else has a thread here: whoever waits lets the hosts work."""

    def __init__(self, turn: Callable[[], bool], passes: Callable[[float], None]) -> None:
        super().__init__()
        self._turn = turn
        self._passes = passes

    def wait(self, timeout: float | None = None) -> bool:
        if self._turn():
            return True
        self._passes(timeout or 1.0)
        return False


class SteppedLease(Lease):
    """A lease in memory, by the clock of its host."""

    def __init__(self, steady: Callable[[], float]) -> None:
        self._steady = steady
        self._end: float | None = None
        self.is_guarded = True
        """Whether anything ends what runs on the host when the lease is over."""

    def hold(self, until: float) -> None:
        self._end = max(until, self._end or 0.0)

    def release(self) -> None:
        self._end = None

    def _until(self) -> float | None:
        return self._end

    def is_over(self) -> bool:
        return self.is_guarded and self._end is not None and self._steady() > self._end


class MortalDriver:
    """Implements `HostDriver` over another one; after `blow` calls that change something its agent is dead."""

    name = "memory"

    def __init__(self, inner: MemoryDriver) -> None:
        self.inner = inner
        self.blow = 0

    def meet(self, hosts: Mapping[str, str]) -> None:
        self.inner.meet(hosts)

    def isolate(self, object_ids: Sequence[ObjectId]) -> str:
        return self.inner.isolate(object_ids)

    def doubt(self) -> str:
        return self.inner.doubt()

    def foreign(self) -> str:
        return self.inner.foreign()

    def ensure(self, specs: Sequence[Spec]) -> Mapping[ObjectId, Problem]:
        return self._struck(self.inner.ensure(specs))

    def remove(self, object_ids: Sequence[ObjectId]) -> Mapping[ObjectId, Problem]:
        return self._struck(self.inner.remove(object_ids))

    def hold(self, until: float) -> None:
        self.inner.hold(until)

    def let_go(self) -> None:
        self.inner.let_go()

    def observe(self) -> Sequence[Seen]:
        return self.inner.observe()

    def _struck(self, problems: Mapping[ObjectId, Problem]) -> Mapping[ObjectId, Problem]:
        if self.blow:
            self.blow -= 1
            if not self.blow:
                raise Crash("the agent")
        return problems
