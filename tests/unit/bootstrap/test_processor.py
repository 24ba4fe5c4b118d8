"""The Conductor computes on one processor, and everybody else on any."""

import os
from threading import Thread

import pytest

from tenuto.bootstrap.processor import kept_to_one_processor

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system has no affinity")


def test_a_thread_that_is_kept_to_one_processor_passes_that_on_and_is_let_go_again() -> None:
    before = os.sched_getaffinity(0)
    seen: list[set[int]] = []

    def look() -> None:
        seen.append(os.sched_getaffinity(0))

    def run() -> None:
        with kept_to_one_processor():
            look()
            child = Thread(target=look)
            child.start()
            child.join()
        look()

    conductor = Thread(target=run)
    conductor.start()
    conductor.join()
    assert seen[0] == seen[1]
    assert len(seen[0]) == 1
    assert seen[0] <= before
    assert seen[2] == before
    assert os.sched_getaffinity(0) == before
