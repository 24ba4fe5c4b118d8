"""The folder of a host's machines and networks, where root of the host has put something else."""

import os
from pathlib import Path

import pytest

from tenuto.kit.state_folder import StateFolder, make_way


def link(path: Path) -> None:
    """Make a link to a file that is there for others."""
    path.symlink_to(__file__)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, link])
def test_what_is_no_file_has_an_empty_text_and_holds_nothing_up(tmp_path: Path, make: object) -> None:
    """A pipe in the place of a record was read for ever, and a link kept an agent from its start."""
    assert callable(make)
    folder = StateFolder(tmp_path)
    make(folder.made("networks", "5000") / "rules")
    assert folder.read("networks", "5000", "rules") == ""
    assert folder.read("networks", "5000", "others") is None
    folder.write("networks", "5000", "rules", "a text")
    assert folder.read("networks", "5000", "rules") == "a text"


def test_a_folder_of_others_in_the_place_of_a_file_is_moved_aside_and_goes_with_its_thing(tmp_path: Path) -> None:
    """No order for a network came through any more, for as long as the folder was there."""
    folder = StateFolder(tmp_path)
    other = folder.made("networks", "5000") / "rules"
    other.mkdir()
    (other / "saved").write_text("theirs")
    folder.write("networks", "5000", "rules", "a text")
    assert folder.read("networks", "5000", "rules") == "a text"
    (moved,) = tmp_path.glob("networks/5000/rules.*")
    assert (moved / "saved").read_text() == "theirs"
    folder.remove("networks", "5000")
    assert folder.names("networks") == []


def test_way_is_made_for_a_file_that_a_program_writes_by_itself(tmp_path: Path) -> None:
    file, folder, led = tmp_path / "file", tmp_path / "folder", tmp_path / "link"
    file.write_text("old")
    (folder / "theirs").mkdir(parents=True)
    led.symlink_to(tmp_path)
    for path in (file, folder, led, tmp_path / "nothing"):
        make_way(path)
    (moved,) = tmp_path.iterdir()
    assert (moved.name.split(".")[0], (moved / "theirs").is_dir()) == ("folder", True)


def test_entries_of_others_are_no_things_and_are_named(tmp_path: Path) -> None:
    """A file system that was mounted there has a folder of the kernel, and a person copies a folder for safety."""
    folder = StateFolder(tmp_path)
    assert (folder.names("machines"), folder.foreign("machines")) == ([], [])
    folder.made("machines", "web")
    for name in ("lost+found", "web.bak"):
        (tmp_path / "machines" / name).mkdir()
    (tmp_path / "machines/note").write_text("mine")
    assert folder.names("machines") == ["web"]
    assert [one.name for one in folder.foreign("machines")] == ["lost+found", "note", "web.bak"]
