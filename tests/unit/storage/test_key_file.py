"""The key beside the database: made once, for its owner's eyes only, as a whole or not at all."""

import resource
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from tenuto.errors import PermanentError, UserError
from tenuto.storage.file.secrets import KeyedSecrets, load_keys, new_keys


def test_a_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "data" / "tenuto.db.key"
    key = load_keys(path)
    assert load_keys(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["tenuto.db.key"]
    assert KeyedSecrets(load_keys(path)).unseal(KeyedSecrets(key).seal("hush", "here"), "here") == "hush"


def test_of_many_that_start_at_once_all_have_the_same_key(tmp_path: Path) -> None:
    starters = 8
    together = Barrier(starters)

    def start(_: int) -> tuple[bytes, ...]:
        together.wait()
        return load_keys(tmp_path / "tenuto.db.key")

    with ThreadPoolExecutor(starters) as pool:
        assert len(set(pool.map(start, range(starters)))) == 1
    assert [one.name for one in tmp_path.iterdir()] == ["tenuto.db.key"]


def test_a_key_for_which_there_was_no_room_leaves_nothing_that_the_next_start_would_refuse(tmp_path: Path) -> None:
    path = tmp_path / "tenuto.db.key"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        with pytest.raises(UserError, match=r"cannot be made: .*Free some space"):
            load_keys(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
    assert KeyedSecrets(load_keys(path))


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tenuto.db.key"
    load_keys(path)
    path.chmod(0o640)
    with pytest.raises(UserError, match=r"can be read by others \(mode 0640\).*chmod 600"):
        load_keys(path)


def test_a_file_that_holds_no_key_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "tenuto.db.key"
    path.touch(mode=0o600)
    with pytest.raises(UserError, match="holds no key: restore it from a backup"):
        load_keys(path)
    assert path.read_bytes() == b""


def test_a_new_key_in_the_first_line_seals_and_the_ones_before_it_still_open(tmp_path: Path) -> None:
    path = tmp_path / "tenuto.db.key"
    before = KeyedSecrets(load_keys(path))
    sealed, signature = before.seal("hush", "here"), before.sign("a plan")
    path.write_bytes(new_keys()[0] + b"\n" + path.read_bytes())
    now = KeyedSecrets(load_keys(path))
    assert now.unseal(sealed, "here") == "hush"
    assert now.is_signed("a plan", signature)
    with pytest.raises(PermanentError, match="does not hold the key"):
        before.unseal(now.seal("hush", "here"), "here")


def test_a_line_that_is_no_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tenuto.db.key"
    load_keys(path)
    path.write_bytes(path.read_bytes() + b"\nnot-a-key")
    with pytest.raises(UserError, match="no key in line 2"):
        load_keys(path)
