"""A real Conductor whose database is moved away says so everywhere, ends, and finds it again when it is put back."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live
from ports import free_port

pytestmark = pytest.mark.timeout(200)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    made = Live(tmp_path, f"http://127.0.0.1:{free_port()}")
    yield made
    made.stop()


def health(live: Live) -> tuple[int, str]:
    """The status of the probe, and the reason when there is one."""
    try:
        with urllib.request.urlopen(f"http://{live.listen}/healthz", timeout=10) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as refused:
        return refused.code, str(json.load(refused)["detail"])


def test_a_database_that_is_moved_away_ends_the_conductor_and_is_found_again_when_it_is_back(live: Live) -> None:
    live.start()
    assert health(live) == (200, "")
    away = live.folder / "away"
    away.mkdir()
    parts = [live.database.with_name(f"tenuto.db{end}") for end in ("", "-wal", "-shm")]
    for part in parts:
        part.rename(away / part.name)
    status, reason = health(live)
    assert status == 503
    assert "is not there any more" in reason
    told = live.tenuto("status")
    assert told.code == 1
    assert "moved, deleted or replaced" in told.err
    assert live.process is not None
    assert live.process.wait(timeout=90) == 1
    live.process = None
    log = (live.folder / "conductor.log").read_text()
    assert "store.lost" in log
    assert "Put the file back" in log
    assert not live.database.exists()
    refused = live.tenuto("conductor")
    assert refused.code == 2
    assert "its key file" in refused.err
    for part in parts:
        (away / part.name).rename(part)
    live.start()
    assert health(live) == (200, "")
    assert live.stop() == 0
