"""An emulated AWS for a test that is empty when it begins: one that runs already, if no other test has it.

An emulator takes more than a second of a processor until it answers, and as much again until it has read what it knows
of the services that are asked for. So those that are given back stay, and the next test gets one of them, emptied.
They end with the process that runs the tests, since each ends when its standard input does. A test that sets variables
for its emulator gets one of its own, which ends with it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import urllib3

from tenuto.bootstrap.tools.emulator import Emulator

_idle: list[Emulator] = []


@contextmanager
def emulated_aws() -> Iterator[Emulator]:
    if any(name.startswith("MOTO_") for name in os.environ):
        with Emulator() as own:
            yield own
        return
    found = _idle.pop() if _idle else Emulator().__enter__()
    try:
        _empty(found.url)
        yield found
    except BaseException:
        found.__exit__(None, None, None)  # Whatever went wrong, the next test is not to hear of it.
        raise
    _idle.append(found)


def _empty(url: str) -> None:
    with urllib3.PoolManager() as pool:
        answer = pool.request("POST", f"{url}/moto-api/reset")
    assert answer.status == 200, answer.data
