"""Records that are written over in their place: of one size for ever, and never read by halves."""

from pathlib import Path

import pytest

from tenuto.kit.record_file import LONGEST, read_record, write_record


def test_a_later_record_takes_no_more_room_than_the_first_one(tmp_path: Path) -> None:
    file = tmp_path / "record"
    write_record(file, "a" * LONGEST)
    before = file.stat()
    write_record(file, "b")
    assert read_record(file) == "b"
    assert (file.stat().st_ino, file.stat().st_size) == (before.st_ino, before.st_size)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_half_written_record_is_none(tmp_path: Path) -> None:
    file = tmp_path / "record"
    write_record(file, "until 199.5")
    with file.open("r+b") as opened:
        opened.write(b"until 219.5")
    assert read_record(file) == ""


def test_a_file_of_an_earlier_release_is_read(tmp_path: Path) -> None:
    file = tmp_path / "record"
    file.write_text('{"until": 1}')
    assert read_record(file) == '{"until": 1}'


@pytest.mark.parametrize("text", ["a" * (LONGEST + 1), "a\nb"])
def test_what_is_no_record_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match="is no record"):
        write_record(tmp_path / "record", text)
    assert not (tmp_path / "record").exists()


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "record").symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match="symbolic link"):
        write_record(tmp_path / "record", "a")
    assert not (tmp_path / "other").exists()
