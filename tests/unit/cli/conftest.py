"""A command line and the Conductor that it speaks to over loopback: `tenuto("status")` is what a user would type."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from front import Front, served
from terminal import Shell


@pytest.fixture
def front() -> Front:
    return Front()


@pytest.fixture
def tenuto(front: Front, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Shell]:
    with served(front) as url:
        yield Shell(url, tmp_path, capsys)
