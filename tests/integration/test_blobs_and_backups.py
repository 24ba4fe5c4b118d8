"""A backup with the blobs of a database: made beside a Conductor at work, checked, and restored."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from images import digest, disk
from live import Live

from tenuto.cli.terminal.exits import Exit

CONTENT = disk("backed up", 3 * 1024**2)
NOWHERE = "http://127.0.0.1:9"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(200)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    found = Live(tmp_path, NOWHERE, TENUTO_PROVIDERS="local")
    found.start()
    try:
        (tmp_path / "base.img").write_bytes(CONTENT)
        found.tenuto("artifact", "upload", "base", str(tmp_path / "base.img"), check=True)
        yield found
    finally:
        found.stop()


def test_a_backup_without_blobs_says_so_and_one_with_them_is_restored_whole(live: Live, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    alone, whole = tmp_path / "kept/alone.db", tmp_path / "kept/whole.db"
    told = live.tenuto("store", "backup", str(alone), check=True).out
    assert "Its 1 blob in" in told
    assert "is not in the copy: --with-blobs copies them, too." in told
    checked = live.tenuto("store", "check", str(alone), check=True).out
    assert "Its 1 blob (3,145,728 bytes) are not beside it" in checked

    made = live.tenuto("--json", "store", "backup", str(whole), "--with-blobs", check=True).document["blobs"]
    assert (made["count"], made["bytes"], made["damaged"]) == (1, len(CONTENT), [])
    copied = tmp_path / "kept/whole.blobs" / digest(CONTENT)[:2] / digest(CONTENT)
    assert copied.read_bytes() == CONTENT
    assert copied.stat().st_mode & 0o777 == 0o600
    assert live.tenuto("--json", "store", "check", str(whole), check=True).document["blobs"]["count"] == 1

    # The machine is lost: everything of the database goes, and the backup takes its place.
    live.stop()
    database = Path(live.database)
    blobs = database.with_name(f"{database.stem}.blobs")
    for one in (database, *database.parent.glob(f"{database.name}-*")):
        one.unlink()
    shutil.rmtree(blobs)
    shutil.copy(whole, database)
    shutil.copytree(tmp_path / "kept/whole.blobs", blobs)
    live.start()
    live.tenuto("artifact", "download", "base", str(tmp_path / "back.img"), check=True)
    assert (tmp_path / "back.img").read_bytes() == CONTENT
    [blob] = live.tenuto("--json", "blob", "list", check=True).document["objects"]
    assert live.tenuto("--json", "blob", "verify", blob["id"], check=True).document["damage"] is None


def test_what_is_wrong_with_the_blobs_of_a_backup_is_said(live: Live, tmp_path: Path) -> None:
    database, whole = Path(live.database), tmp_path / "whole.db"
    # Of a name that leads to the database's own blobs, none is made.
    refused = live.tenuto("store", "backup", str(database.with_suffix(".copy")), "--with-blobs")
    assert (refused.code, "those of the database" in refused.err) == (Exit.USAGE, True), refused
    assert not database.with_suffix(".copy").exists()

    live.tenuto("store", "backup", str(whole), "--with-blobs", check=True)
    copied = tmp_path / "whole.blobs" / digest(CONTENT)[:2] / digest(CONTENT)
    copied.write_bytes(CONTENT[:-1] + b"?")
    spoiled = live.tenuto("store", "check", str(whole))
    assert (spoiled.code, "has other bytes than it had" in spoiled.out) == (Exit.UNSOUND, True), spoiled
    copied.unlink()
    lost = live.tenuto("store", "check", str(whole))
    assert (lost.code, f"the blob {digest(CONTENT)[:16]}… is not in" in lost.out) == (Exit.UNSOUND, True), lost

    # A blob that is damaged where the Conductor has it is no part of a backup, and that is said.
    database.with_name(f"{database.stem}.blobs").joinpath(digest(CONTENT)[:2], digest(CONTENT)).write_bytes(b"spoiled")
    again = live.tenuto("store", "backup", str(tmp_path / "again.db"), "--with-blobs")
    assert (again.code, "is damaged and was left out" in again.out) == (Exit.UNSOUND, True), again
    assert not [*(tmp_path / "again.blobs").glob("??/*")]
