"""What one step costs: processor, clock, memory, and calls to a provider."""

import os
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass

_PAGE_MB = resource.getpagesize() / 1_048_576
_KILOBYTES_PER_MB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Seconds of processor (of this process and the children that ended) and of the clock."""

    cpu_s: float
    wall_s: float


def cost_of(work: Callable[[], object]) -> Cost:
    """Do it, and say what it took."""
    cpu, wall = _cpu_s(), time.perf_counter()
    work()
    return Cost(cpu_s=_cpu_s() - cpu, wall_s=time.perf_counter() - wall)


def resident_mb() -> float:
    """What this process holds in memory now."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * _PAGE_MB


def peak_mb() -> float:
    """The most that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KILOBYTES_PER_MB


def _cpu_s() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def calibration_s() -> float:
    """Processor seconds of a fixed piece of Python: says how fast this machine is just now."""
    began = time.process_time()
    table: dict[int, tuple[int, str]] = {}
    for number in range(1_000_000):
        table[number % 1000] = (number, str(number))
    return time.process_time() - began
