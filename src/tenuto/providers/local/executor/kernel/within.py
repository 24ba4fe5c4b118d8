"""Acts within a namespace of the kernel: a thread can be in another one than its process, and takes that with it when
it ends. No other thread of the executor is ever in it.
"""

import ctypes
import errno
import os
import threading
from collections.abc import Callable
from typing import TypeVar

NETWORK = 0x40000000
"""The flag of a network namespace for `setns`."""
NAMES = 0x04000000
"""The flag of a namespace of host names."""
_Value = TypeVar("_Value")


def within(namespace: str, kind: int, act: Callable[[], _Value]) -> _Value:
    """The answer of an act in the namespace that a file stands for. Raises OSError, of the act or of the way in."""
    found: list[_Value] = []
    failures: list[OSError] = []

    def enter() -> None:
        try:
            _enter(namespace, kind)
            found.append(act())
        except OSError as failed:
            failures.append(failed)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]
    return found[0]


def _enter(namespace: str, kind: int) -> None:
    """Put the calling thread into a namespace."""
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = os.open(namespace, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if library.setns(descriptor, kind):
            code = ctypes.get_errno() or errno.EINVAL
            raise OSError(code, os.strerror(code))
    finally:
        os.close(descriptor)
