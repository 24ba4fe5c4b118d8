"""Folders of demonstrations: those of dead ones are removed, and no other."""

import fcntl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tenuto.bootstrap.demo import folder as folders
from tenuto.errors import TenutoError


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def dead(place: Path, name: str = "one") -> Path:
    folder = place / f"{folders.PREFIX}{name}"
    (folder / "blobs").mkdir(parents=True)
    (folder / "blobs" / "content").touch()
    (folder / "tenuto.db").touch()
    (folder / folders.LOCK).touch()
    return folder


@contextmanager
def alive(folder: Path) -> Iterator[None]:
    with (folder / folders.LOCK).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def removed() -> list[str]:
    told: list[str] = []
    folders.remove_dead(told.append)
    return told


def test_a_dead_one_is_told_and_removed(place: Path) -> None:
    folder = dead(place)
    (told,) = removed()
    assert f"its folder {folder}" in told
    assert list(place.iterdir()) == []
    assert removed() == []


def test_a_living_one_is_left_alone(place: Path) -> None:
    folder = dead(place)
    with alive(folder):
        assert removed() == []
        assert (folder / "tenuto.db").exists()


def test_the_keeper_waits_for_a_lock_that_the_kernel_has_not_given_back_yet(place: Path) -> None:
    folder = dead(place)
    keeper = threading.Thread(target=folders.remove_dead_one, args=(folder,))
    with alive(folder):
        keeper.start()
        keeper.join(0.2)
        assert (folder / "tenuto.db").exists()
    keeper.join(10)
    assert not folder.exists()


def test_the_folder_of_a_demonstration_is_alive_until_its_end(place: Path) -> None:
    with folders.demo_folder() as folder:
        assert removed() == []
        assert folder.parent == place
    assert list(place.iterdir()) == []


def test_folders_that_are_none_of_a_demonstration_are_left_alone(place: Path) -> None:
    (place / f"{folders.PREFIX}without-lock").mkdir()
    (place / "tenuto-other").mkdir()
    (place / "tenuto-other" / folders.LOCK).touch()
    # A link that somebody put there leads to no removal elsewhere.
    (place / f"{folders.PREFIX}link").symlink_to(place / "tenuto-other")
    before = sorted(place.iterdir())
    assert removed() == []
    assert sorted(place.iterdir()) == before
    assert (place / "tenuto-other" / folders.LOCK).exists()


def test_a_folder_of_another_user_is_left_alone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = dead(place)
    monkeypatch.setattr("os.geteuid", lambda: folder.stat().st_uid + 1)
    assert removed() == []
    assert folder.exists()


def test_what_cannot_be_removed_keeps_its_folder_and_hinders_no_other(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck, other = dead(place, "a"), dead(place, "b")
    monkeypatch.setattr(
        folders, "clear_host", lambda state: ["network 7: no ip"] if state.parent.name == stuck.name else []
    )
    told = removed()
    assert any("network 7: no ip" in line and "tenuto demo" in line for line in told)
    assert (stuck / folders.LOCK).exists()
    assert not other.exists()


def test_a_demonstration_whose_host_cannot_be_cleared_says_so(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "clear_host", lambda state: ["machine a: it does not end"])
    with pytest.raises(TenutoError, match="machine a: it does not end"), folders.demo_folder():
        pass
    assert len(list(place.iterdir())) == 1
