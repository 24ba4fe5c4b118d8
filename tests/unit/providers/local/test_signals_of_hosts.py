"""Signals to the processes of a host: to the one that is meant, and to no other with its number."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tenuto.providers.local.executor.kernel.processes import end, send

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="hosts run Linux")


@pytest.fixture
def sleeper() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


def test_a_process_that_is_not_meant_any_more_gets_no_signal(sleeper: "subprocess.Popen[bytes]") -> None:
    """Its number went to another one while the executor decided."""
    send(sleeper.pid, signal.SIGKILL, lambda: False)
    end(sleeper.pid, lambda: False)
    assert sleeper.poll() is None


def test_the_process_that_is_meant_gets_the_signal(sleeper: "subprocess.Popen[bytes]") -> None:
    send(sleeper.pid, signal.SIGTERM, lambda: True)
    assert sleeper.wait(30) == -signal.SIGTERM


def test_a_process_is_ended_at_once(sleeper: "subprocess.Popen[bytes]") -> None:
    end(sleeper.pid, lambda: True)
    assert sleeper.wait(30) == -signal.SIGKILL


def test_one_that_is_gone_is_no_fault(sleeper: "subprocess.Popen[bytes]") -> None:
    sleeper.kill()
    sleeper.wait()
    send(sleeper.pid, signal.SIGKILL, lambda: True)
    end(sleeper.pid, lambda: True)
