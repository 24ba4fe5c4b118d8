"""The clock of production goes on evenly when the system clock is set."""

import time

from hypothesis import given
from hypothesis import strategies as some

from tenuto.bootstrap.clock import SystemClock

HOUR_S = 3600.0


class Machine:
    """A machine with a system clock that can be set, and a counter that cannot."""

    def __init__(self, wall: float = 1_750_000_000.0) -> None:
        self.wall = wall
        self.elapsed_s = 17.0
        self.clock = SystemClock(lambda: self.wall, lambda: self.elapsed_s)

    def passes(self, seconds: float) -> None:
        self.wall += seconds
        self.elapsed_s += seconds


def test_it_begins_with_the_system_clock() -> None:
    machine = Machine()
    assert machine.clock.now() == machine.clock.wall() == 1_750_000_000.0


@given(some.lists(some.tuples(some.integers(-(10**9), 10**9), some.integers(0, 1000)), max_size=20))
def test_it_counts_what_passes_and_no_step(acts: list[tuple[int, int]]) -> None:
    machine = Machine()
    began, passed = machine.clock.now(), 0
    for step, seconds in acts:
        machine.wall += step
        assert machine.clock.now() == began + passed
        assert machine.clock.wall() == machine.wall
        machine.passes(seconds)
        passed += seconds
        assert machine.clock.now() == began + passed


def test_another_one_begins_with_the_system_clock_as_it_was_set() -> None:
    machine = Machine()
    machine.wall -= HOUR_S
    assert SystemClock(lambda: machine.wall, lambda: machine.elapsed_s).now() == machine.clock.now() - HOUR_S


def test_the_one_of_this_machine_tells_the_time() -> None:
    before = time.time()
    clock = SystemClock()
    assert before - 1 <= clock.now()
    earlier = clock.now()
    assert clock.now() >= earlier
    assert abs(clock.wall() - time.time()) < HOUR_S
