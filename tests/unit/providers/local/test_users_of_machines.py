"""The users of machines, where a person has emptied or changed the file of the number of one."""

import os
from pathlib import Path

import pytest

from tenuto.kit.state_folder import StateFolder
from tenuto.providers.local.executor.users import Users, give

KIND, FIRST = "machines", 600_000
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="files are given to users by root alone")


def users_of(folder: Path) -> tuple[StateFolder, Users]:
    state = StateFolder(folder)
    return state, Users(state, KIND, files="home", first=FIRST)


def home(state: StateFolder, name: str, owner: int) -> Path:
    made = state.made(KIND, name) / "home"
    made.mkdir()
    os.chown(made, owner, owner)
    return made


def test_each_machine_has_a_user_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    _, users = users_of(tmp_path)
    assert [users.of("a"), users.of("b"), users.of("a")] == [FIRST, FIRST + 1, FIRST]


@needs_root
@pytest.mark.parametrize("text", ["", "abc\n", "0", "599999", "\u0666" * 6, "600001", "9" * 5000])
def test_a_damaged_number_is_set_right_by_the_owner_of_the_files(tmp_path: Path, text: str) -> None:
    """Emptied, the machine lost its files to another user; and with 0 it was root on its host."""
    state, users = users_of(tmp_path)
    home(state, "a", FIRST + 7)
    state.write(KIND, "b", "uid", str(FIRST + 1))
    state.write(KIND, "a", "uid", text)
    assert users.of("a") == FIRST + 7
    assert state.read(KIND, "a", "uid") == str(FIRST + 7)


@needs_root
def test_no_machine_gets_the_user_of_one_whose_number_is_damaged_or_cannot_be_read(tmp_path: Path) -> None:
    state, users = users_of(tmp_path)
    for at, name in enumerate(("a", "b")):
        home(state, name, FIRST + at)
    state.write(KIND, "a", "uid", "")

    class Damaged(StateFolder):
        def read(self, kind: str, name: str, file: str, *, largest: int = 1 << 20) -> str | None:
            if name == "b":
                raise OSError(5, "Input/output error")
            return super().read(kind, name, file, largest=largest)

    assert Users(Damaged(tmp_path), KIND, files="home", first=FIRST).of("c") == FIRST + 2
    assert users.of("a") == FIRST


def test_files_of_root_and_a_number_of_another_machine_make_a_new_user(tmp_path: Path) -> None:
    state, users = users_of(tmp_path)
    (state.made(KIND, "a") / "home").mkdir()
    state.write(KIND, "b", "uid", str(FIRST))
    state.write(KIND, "a", "uid", str(FIRST))
    assert users.of("a") == FIRST + 1


@needs_root
def test_a_folder_goes_to_another_user_with_all_that_is_in_it_and_without_the_targets_of_its_links(
    tmp_path: Path,
) -> None:
    folder, outside = tmp_path / "home", tmp_path / "outside"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/file").write_text("mine")
    outside.mkdir()
    (outside / "file").write_text("another's")
    (folder / "link").symlink_to(outside)
    (folder / "deep/link").symlink_to(outside / "file")
    give(folder, FIRST)
    inside = [folder, *sorted(folder.rglob("*"))]
    assert {one.lstat().st_uid for one in inside} == {FIRST}
    assert {one.stat().st_uid for one in (outside, outside / "file")} == {os.geteuid()}
