"""An executor that root has stopped by a signal: its agent says so, and the next one takes its place."""

import os
import signal
from pathlib import Path

import pytest
from passable import passable
from test_own_host import Host

from tenuto.providers.local.executor import link
from tenuto.providers.local.executor.link import ExecutorGoneError


def test_an_executor_that_stands_still_is_told_and_its_successor_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "_PATIENCE_S", 2.0)
    host = Host(passable(tmp_path))
    net, one, _ = host.stands()
    executor = int((tmp_path / "executor/executor").read_text())
    before = host.pid(one)
    os.kill(executor, signal.SIGSTOP)
    try:
        with pytest.raises(ExecutorGoneError, match=f"process {executor}.* hangs, or a program"):
            host.driver.observe()
    finally:
        os.kill(executor, signal.SIGCONT)
        host.link.close()
        host.start()
        told = host.differs(net), host.pid(one)
        host.end()
    assert not told[0]
    assert told[1] == before, "machines run on"
