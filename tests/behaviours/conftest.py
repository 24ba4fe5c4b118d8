"""The numbered behaviours of a process (one test or more for each number; test_numbers.py keeps count)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import Desk, a_desk


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    with a_desk(tmp_path, capsys) as found:
        yield found
