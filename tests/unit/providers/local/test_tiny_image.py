"""The builder of the image `tiny` without packages: its archive, and what it says where it cannot build."""

import gzip
import stat
from pathlib import Path

import pytest

from tenuto.errors import UserError
from tenuto.providers.local.tiny import packages
from tenuto.providers.local.tiny.archive import Entry, packed
from tenuto.providers.local.tiny.guest import found


def unpacked(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Read an archive of cpio as its description says: mode and content of each file, by name."""
    content, place = gzip.decompress(archive), 0
    read: dict[str, tuple[int, bytes]] = {}
    while True:
        head = content[place : place + 110]
        assert head[:6] == b"070701"
        fields = [int(head[6 + 8 * number : 14 + 8 * number], 16) for number in range(13)]
        size, length = fields[6], fields[11]
        name = content[place + 110 : place + 110 + length - 1].decode()
        start = place + 110 + length
        start += -start % 4
        if name == "TRAILER!!!":
            return read
        read[name] = (fields[1], content[start : start + size])
        place = start + size
        place += -place % 4


def test_an_archive_holds_every_file_with_its_mode() -> None:
    entries = [
        Entry.folder("bin"),
        Entry.file("bin/sh", b"#!", 0o755),
        Entry.link("init", "/bin/sh"),
        Entry.file("x", b""),
    ]
    read = unpacked(packed(entries))
    assert stat.S_ISDIR(read["bin"][0])
    assert read["bin/sh"] == (stat.S_IFREG | 0o755, b"#!")
    assert stat.S_ISLNK(read["init"][0])
    assert read["init"][1] == b"/bin/sh"
    assert read["x"][1] == b""


def test_equal_files_make_equal_archives() -> None:
    assert packed([Entry.file("a", b"1")]) == packed([Entry.file("a", b"1")])


def test_a_machine_that_is_no_debian_is_told_where_to_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="lacks apt-get, apt-cache, dpkg-deb"):
        packages.offered()


def test_the_errors_of_apt_are_told_without_its_warnings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    apt = tmp_path / "apt-cache"
    apt.write_text("#!/bin/sh\necho 'W: Download is unsandboxed' >&2; echo 'E: no server answers.' >&2; exit 100\n")
    apt.chmod(0o755)
    for name in ("apt-get", "dpkg-deb"):
        (tmp_path / name).symlink_to(apt)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match=r"^apt-cache depends refused: no server answers\. 'apt-get update'"):
        packages.offered()


def test_a_package_without_what_is_needed_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="None of the packages has bin/busybox"):
        found([tmp_path], "bin/busybox")


def test_the_cache_is_known_by_all_inputs() -> None:
    one, other = (packages.Package(name="a", file="a_1.deb", digest=digest) for digest in ("SHA256:1", "SHA256:2"))
    assert packages.digest_of([one]) != packages.digest_of([other])
    assert packages.digest_of([one]) == packages.digest_of([one])
