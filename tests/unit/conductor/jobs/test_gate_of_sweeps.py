"""A job that waits for several sweeps is woken once: by the end of the last one."""

from collections.abc import Callable

from tenuto.conductor.jobs.manager import Need
from tenuto.conductor.jobs.pending import ObservationGate, PendingObservation
from tenuto.conductor.observing.sweeps import SweepKey
from tenuto.model.ids import Instant, Partition, TypeName
from tenuto_testing.store_samples import WEB, a_process

PROCESS = a_process()
NETWORKS, SUBNETS = TypeName("Simulated::Network"), TypeName("Simulated::Subnet")
AT = Instant(100.0)


class Needs:
    """A manager whose plans need both sweeps."""

    def needs(self, *_: object) -> tuple[Need, ...]:
        return tuple(Need(type=name, not_before=AT) for name in (NETWORKS, SUBNETS))


class Sweeps:
    """A reflector that has seen nothing, unless it is told; `on_ask` is called by each wish."""

    def __init__(self) -> None:
        self.seen: set[TypeName] = set()
        self.on_ask: Callable[[SweepKey], object] = lambda _: None

    def key_of(self, provider: str, partition: Partition, type: TypeName) -> SweepKey:  # noqa: A002
        return SweepKey(provider=provider, partition=partition, source=type)

    def is_seen(self, provider: str, partition: Partition, type: TypeName, *_: object) -> bool:  # noqa: A002
        return type in self.seen

    def failure(self, *_: object) -> None: ...

    def is_lacking(self, *_: object) -> bool:
        return False

    def want(self, *_: object) -> None: ...

    def ask(self, provider: str, partition: Partition, type: TypeName, *_: object) -> None:  # noqa: A002
        self.on_ask(self.key_of(provider, partition, type))


def key(name: TypeName) -> SweepKey:
    return Sweeps().key_of(PROCESS.provider, PROCESS.partition, name)


def a_gate() -> tuple[ObservationGate, Sweeps, PendingObservation]:
    sweeps = Sweeps()
    gate = ObservationGate(Needs(), sweeps)  # type: ignore[arg-type]
    return gate, sweeps, gate.begin(WEB, AT, AT)


def test_only_the_end_of_the_last_sweep_wakes_the_job() -> None:
    gate, _, pending = a_gate()
    assert gate.must_wait(pending, PROCESS, None, ())
    assert gate.ended(key(NETWORKS)) == ()
    assert gate.ended(key(NETWORKS)) == ()
    assert gate.ended(key(SUBNETS)) == (WEB,)
    assert gate.ended(key(SUBNETS)) == ()


def test_the_end_of_a_sweep_that_was_seen_is_not_waited_for() -> None:
    gate, sweeps, pending = a_gate()
    sweeps.seen.add(NETWORKS)
    assert gate.must_wait(pending, PROCESS, None, ())
    assert gate.ended(key(NETWORKS)) == ()
    assert gate.ended(key(SUBNETS)) == (WEB,)


def test_a_sweep_that_ends_while_the_job_asks_wakes_it() -> None:
    gate, sweeps, pending = a_gate()
    woken: list[object] = []
    sweeps.on_ask = lambda asked: woken.extend(gate.ended(asked))
    assert gate.must_wait(pending, PROCESS, None, ())
    assert woken == [WEB, WEB]


def test_a_job_that_is_woken_too_early_asks_again() -> None:
    gate, _, pending = a_gate()
    gate.must_wait(pending, PROCESS, None, ())
    gate.ended(key(NETWORKS))
    gate.ended(key(SUBNETS))
    assert gate.must_wait(pending, PROCESS, None, ())
    gate.ended(key(SUBNETS))
    assert gate.ended(key(NETWORKS)) == (WEB,)
