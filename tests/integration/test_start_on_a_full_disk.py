"""A start on a full disk says which disk it is, what is needed and what to do, and leaves nothing half made."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live
from ports import free_port

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk"),
    pytest.mark.timeout(200),
]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no disk may be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def fill(path: Path, *, leaving: int) -> None:
    """Write until so many bytes are left."""
    found = os.statvfs(path.parent)
    path.write_bytes(b"x" * (found.f_bavail * found.f_frsize - leaving))


def test_a_first_start_and_a_later_one_on_a_full_disk_say_what_to_do_and_a_start_with_room_goes_on(
    disk: Path, tmp_path: Path
) -> None:
    live = Live(tmp_path, f"http://127.0.0.1:{free_port()}")
    live.database = disk / "tenuto.db"
    filling = disk / "filling"
    try:
        for leaving in (0, 2**20):
            fill(filling, leaving=leaving)
            refused = live.tenuto("conductor")
            assert refused.code == 2
            assert f"the disk of {live.database} is full" in refused.err
            assert "A start needs 4 MB" in refused.err
            assert "goes on by itself" not in refused.err
            assert [one.name for one in disk.iterdir()] == ["filling"]
            filling.unlink()
        live.start()
        assert live.stop() == 0
        fill(filling, leaving=0)
        refused = live.tenuto("conductor")
        assert (refused.code, "A start needs 1 MB" in refused.err) == (2, True)
        filling.unlink()
        live.start()
    finally:
        live.stop()
