"""The secret is made once, kept from others, and sent nowhere else."""

from pathlib import Path

import pytest

from tenuto.errors import ForbiddenError, NotFoundError, UserError
from tenuto.service.access.own_secret import Credentials, ensure_credentials, is_secret, load_credentials

URL = "http://127.0.0.1:8686"


def test_the_first_start_makes_a_secret_that_only_its_owner_can_read(tmp_path: Path) -> None:
    path = tmp_path / "made" / "credentials"
    secret = ensure_credentials(path, URL)
    assert len(secret) >= 40
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert load_credentials(path) == Credentials(url=URL, secret=secret)
    assert [file.name for file in path.parent.iterdir()] == ["credentials"]


def test_another_start_keeps_the_secret_and_tells_the_new_url(tmp_path: Path) -> None:
    path = tmp_path / "credentials"
    secret = ensure_credentials(path, URL)
    assert ensure_credentials(path, "http://127.0.0.1:9000") == secret
    assert load_credentials(path).url == "http://127.0.0.1:9000"


def test_a_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "credentials"
    ensure_credentials(path, URL)
    path.chmod(0o644)
    with pytest.raises(ForbiddenError, match="chmod 600"):
        ensure_credentials(path, URL)
    with pytest.raises(ForbiddenError):
        load_credentials(path)


@pytest.mark.parametrize("content", ["", "secret = x", "[default]\nurl = http://x", "\x00\xff", "[default\n"])
def test_a_damaged_file_is_an_error_that_says_what_to_do(tmp_path: Path, content: str) -> None:
    path = tmp_path / "credentials"
    path.write_text(content, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(UserError, match="Delete it and restart"):
        load_credentials(path)


def test_a_missing_file_and_one_that_is_no_file_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="writes it at its first start"):
        load_credentials(tmp_path / "credentials")
    with pytest.raises(UserError, match="cannot be read"):
        load_credentials(tmp_path)


def test_a_folder_that_cannot_be_made_is_an_error_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError):
        ensure_credentials(tmp_path / "file" / "credentials", URL)


def test_a_secret_goes_to_its_own_place_and_this_machine_only() -> None:
    local = Credentials(url=URL, secret="s")
    assert local.is_for("http://localhost:9000")
    assert not local.is_for("http://example.org:8686")
    remote = Credentials(url="https://tenuto.example.org", secret="s")
    assert remote.is_for("https://tenuto.example.org/")
    assert not remote.is_for("http://tenuto.example.org")
    assert not remote.is_for(URL)


def test_only_the_same_secret_is_the_secret() -> None:
    assert is_secret("täst", "täst")
    assert not is_secret("", "täst")
    assert not is_secret("täst ", "täst")
