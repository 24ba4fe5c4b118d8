"""The order in which the tests of a run begin, so that no processor idles while there are tests left.

Theory of operation. A few hundred tests talk to real Conductors, machines and browsers, take from seconds to minutes,
and mostly wait; thousands compute, and take milliseconds. A run gives each of its workers an equal share of the list,
and a worker that has none left takes from the end of another one's. So the long ones go first and the short ones last:
what is taken in the end is short. The last worker has short ones alone: it computes while the others wait.

The tests of a kernel take turns (`tests/linux/conftest.py`), so they are one row at the beginning of one share: a
second worker that had some of them would wait for the first one. Tests of a module stay together, since they share what
they start.
"""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeVar

_T = TypeVar("_T")
_ALONE = "linux"
_LONG = ("journeys", "integration")


def ordered(tests: Sequence[_T], workers: int, *, file: Callable[[_T], str], is_slow: Callable[[_T], bool]) -> list[_T]:
    """The same tests: the shares of the workers in a row, each with its long tests at its beginning.

    `file` tells the path of a test below the folder of all tests, and `is_slow` whether it is marked so.
    """
    alone: list[_T] = []
    long: list[list[_T]] = []
    short: list[_T] = []
    for name, found in groupby(tests, key=file):
        module = list(found)
        if name.startswith(f"{_ALONE}/"):
            alone += module
        elif any(name == f"{folder}/{name.rpartition('/')[2]}" for folder in _LONG) or any(map(is_slow, module)):
            long.append(module)
        else:
            short += module
    shares: list[list[_T]] = [[] for _ in range(workers)]
    waiting = shares[: max(workers - 1, 1)]
    waiting[0] += alone
    others = waiting[1:] or waiting
    for number, module in enumerate(long):
        others[number % len(others)] += module
    result: list[_T] = []
    for number, share in enumerate(shares):
        size = (len(tests) - len(result)) // (workers - number)
        taken = max(size - len(share), 0)
        result += share + short[:taken]
        short = short[taken:]
    return result + short
