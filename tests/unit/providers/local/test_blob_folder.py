"""The folder of blobs and parts on a disk."""

import hashlib
import os
import resource
import stat
from pathlib import Path

import pytest

from tenuto.errors import BugError, NoRoomError, StoreUnavailableError
from tenuto.model.ids import Instant, ObjectId
from tenuto.providers.local.images.folder import BlobFolder

PART = ObjectId("p1")
AT = Instant(1000.0)
CONTENT = b"what a machine boots from"
SHA512 = hashlib.sha512(CONTENT).hexdigest()


def kept(folder: BlobFolder, content: bytes = CONTENT) -> str:
    folder.begin(PART, AT)
    folder.append(PART, 0, content, AT)
    sealed = folder.seal(PART)
    folder.keep(PART, sealed.sha512)
    return sealed.sha512


def test_a_part_becomes_a_blob_for_its_owners_eyes_only(tmp_path: Path) -> None:
    folder = BlobFolder(tmp_path / "blobs")
    assert kept(folder) == SHA512
    path = tmp_path / "blobs" / SHA512[:2] / SHA512
    assert path.read_bytes() == CONTENT
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == stat.S_IMODE((tmp_path / "blobs").stat().st_mode) == 0o700
    assert folder.part(PART) is None


def test_bytes_are_written_at_an_offset_and_what_was_behind_it_goes(tmp_path: Path) -> None:
    folder = BlobFolder(tmp_path)
    folder.begin(PART, AT)
    assert folder.append(PART, 0, b"0123456789", AT) == 10
    assert folder.append(PART, 4, b"", AT) == 4
    assert folder.append(PART, 4, b"abc", Instant(2000.0)) == 7
    found = folder.part(PART)
    assert found is not None
    assert (found.size, found.touched_at) == (7, 2000.0)
    assert folder.seal(PART).sha512 == hashlib.sha512(b"0123abc").hexdigest()


def test_another_program_finds_what_there_is(tmp_path: Path) -> None:
    kept(BlobFolder(tmp_path))
    other = BlobFolder(tmp_path)
    found = other.content(SHA512)
    assert found is not None
    assert found.sha512 == SHA512
    other.remove(SHA512)
    other.remove(SHA512)
    assert other.stamp(SHA512) is None
    assert other.content(SHA512) is None


def test_the_same_content_again_leaves_the_blob_as_it_is(tmp_path: Path) -> None:
    folder = BlobFolder(tmp_path)
    kept(folder)
    before = folder.path(SHA512).stat()
    kept(folder)
    assert folder.path(SHA512).stat().st_ino == before.st_ino
    assert folder.part(PART) is None


@pytest.mark.parametrize("kind", ["a folder", "a pipe", "a link"])
def test_what_is_no_file_in_the_place_of_a_blob_counts_as_missing_and_is_replaced(tmp_path: Path, kind: str) -> None:
    """A host took a folder of that name for the image, which never came again: its machines waited for ever."""
    folder = BlobFolder(tmp_path / "blobs")
    kept(folder)
    blob = folder.path(SHA512)
    elsewhere = blob.rename(tmp_path / "elsewhere")
    {"a folder": blob.mkdir, "a pipe": lambda: os.mkfifo(blob), "a link": lambda: blob.symlink_to(elsewhere)}[kind]()
    assert folder.stamp(SHA512) is None
    assert folder.content(SHA512) is None
    assert kept(folder) == SHA512
    assert folder.stamp(SHA512) is not None
    assert blob.read_bytes() == CONTENT
    assert folder.stored() == (SHA512,)
    folder.remove(SHA512)
    assert folder.stored() == ()


def test_a_full_disk_is_told_before_anything_is_written(tmp_path: Path) -> None:
    folder = BlobFolder(tmp_path, kept_free=1 << 60)
    folder.begin(PART, AT)
    with pytest.raises(NoRoomError, match="no room"):
        folder.append(PART, 0, b"x", AT)
    found = folder.part(PART)
    assert found is not None
    assert found.size == 0


def test_a_block_for_which_the_disk_has_no_room_leaves_nothing_half_written(tmp_path: Path) -> None:
    """The disk takes a part of the block and refuses the rest, as when others fill it meanwhile."""
    folder = BlobFolder(tmp_path, no_room="the disk of the host is full")
    folder.begin(PART, AT)
    folder.append(PART, 0, CONTENT[:4], AT)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, before[1]))
    try:
        with pytest.raises(NoRoomError, match="the disk of the host is full"):
            folder.append(PART, 4, bytes(4096), AT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    found = folder.part(PART)
    assert found is not None
    assert found.size == 4
    folder.append(PART, 4, CONTENT[4:], AT)
    assert folder.seal(PART).sha512 == SHA512


def test_a_folder_that_is_none_is_told_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("a file")
    with pytest.raises(StoreUnavailableError, match="cannot be used"):
        BlobFolder(tmp_path / "blobs").begin(PART, AT)


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = BlobFolder(tmp_path)
    with pytest.raises(BugError):
        folder.begin(ObjectId(name), AT)
    with pytest.raises(BugError):
        folder.path(name)


def test_a_folder_without_a_place_ends_with_its_user() -> None:
    folder = BlobFolder(None)
    place = folder.path(SHA512).parent.parent
    kept(folder)
    assert place.exists()
    del folder
    assert not place.exists()
