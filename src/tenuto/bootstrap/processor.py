"""The threads of the Conductor, kept on one processor.

Theory of operation. Python lets one thread compute at a time. Where several processors are free, the system spreads
sixteen threads over them, so that the next to compute wakes up on another one, with cold caches: making 250 stacks took
8.4 s on two processors and 5.3 s on one. Waiting, for a disk or a provider, needs none. Each Conductor takes one by the
number of its process, and every other program there moves out of its way.

A thread passes this on to those that it starts: it is for the one that runs the Conductor, and neither for those of the
API nor for those that start programs.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def kept_to_one_processor() -> Iterator[None]:
    """Keep this thread, and those that it starts in the context, on one processor, where the system allows that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    allowed = os.sched_getaffinity(0)
    # A sandbox may forbid it, and then it is only slower.
    with suppress(OSError):
        os.sched_setaffinity(0, {sorted(allowed)[os.getpid() % len(allowed)]})
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, allowed)
