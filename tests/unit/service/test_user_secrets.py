"""A user's secret is told once, recognised ever after, and cannot be made from what is kept."""

from dataclasses import replace
from pathlib import Path

import pytest

from tenuto.errors import UserError
from tenuto.model.ids import Instant
from tenuto.service.access.own_secret import Credentials, ensure_credentials, load_credentials, save_credentials
from tenuto.service.access.user_secrets import MadeSecret, SecretChecks, is_user_secret, key_of, make_secret


def made(user: str = "ann") -> MadeSecret:
    return make_secret(user, at=Instant(1.0), by="root")


def test_a_secret_has_a_form_a_key_and_no_twin() -> None:
    first, second = made(), made()
    assert is_user_secret(first.text)
    assert key_of(first.text) == first.kept.key
    assert first.text != second.text
    assert first.kept.key != second.kept.key
    assert len(first.text.split(".")[2]) >= 43


def test_the_right_secret_is_right_again_and_again_and_another_never() -> None:
    secret, checks = made(), SecretChecks()
    wrong = secret.text[:-1] + ("a" if secret.text[-1] != "a" else "b")
    assert not checks.is_right(wrong, secret.kept)
    for _ in range(3):
        assert checks.is_right(secret.text, secret.kept)
        assert not checks.is_right(wrong, secret.kept)


def test_what_was_proven_does_not_outlive_the_kept_digest() -> None:
    first, second, checks = made(), made(), SecretChecks()
    assert checks.is_right(first.text, first.kept)
    assert not checks.is_right(first.text, second.kept)
    assert checks.is_right(second.text, second.kept)


def test_a_digest_of_an_unknown_scheme_lets_nobody_in() -> None:
    secret = made()
    unknown = replace(secret.kept, digest=secret.kept.digest.replace("scrypt", "plain"))
    assert not SecretChecks().is_right(secret.text, unknown)


@pytest.mark.parametrize("text", ["", "tenuto", "tenuto.a", "tenuto.a.b.c", "other.a.b", "tenuto.a." + "x" * 300])
def test_what_has_not_the_form_is_no_users_secret(text: str) -> None:
    assert not is_user_secret(text)


def test_the_secret_of_a_user_never_becomes_that_of_the_conductor(tmp_path: Path) -> None:
    path = tmp_path / "credentials"
    save_credentials(path, Credentials(url="http://127.0.0.1:8686", secret=made().text))
    with pytest.raises(UserError, match="holds the secret of a user"):
        ensure_credentials(path, "http://127.0.0.1:8686")
    assert path.stat().st_mode & 0o777 == 0o600
    assert is_user_secret(load_credentials(path).secret)
