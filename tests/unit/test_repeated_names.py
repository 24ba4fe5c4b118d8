"""A refusal repeats the name that it could not find, but no secret that was given for one."""

import base64
import random

import pytest
from desk import a_desk

from tenuto.errors import NoProcessError, repeated_name
from tenuto.service.access.user_secrets import make_secret


@pytest.mark.parametrize(
    "name",
    [
        "web",
        "Shop-Prod-EuWest1",
        "ProdWebF45B1510",
        "9b2f7c1e-8a4d-4c1b-9f3e-2d5a6b7c8d9e",
        "a" * 63,
        "data.v2.2026-01-31",
    ],
)
def test_names_are_repeated(name: str) -> None:
    assert repeated_name(name) == repr(name)


def test_secrets_are_not_repeated() -> None:
    chance = random.Random(1)
    given = [
        *(base64.urlsafe_b64encode(chance.randbytes(32)).decode().rstrip("=") for _ in range(50)),
        make_secret("ann", at=0.0, by="root").text,  # type: ignore[arg-type]
        "AKIAIOSFODNN7EXAMPLE",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCY3EXAMPLEKEY5a6b7",
        "x" * 64,
        "8AyQBTBWxctUktRhoiVAJpgiMuDRJPKNq7CgWXMBmhw",
    ]
    for one in given:
        message = str(NoProcessError(one, guess=" Did you mean web?"))
        assert one not in message
        assert "looks like a secret" in message


def test_no_command_repeats_a_secret_that_was_typed_for_a_name(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = "Zk3v9QpL0x7TnB2mWc8RfY4sHd6JgA1u"
    with a_desk(tmp_path, capsys) as desk:  # type: ignore[arg-type]
        for words in (
            ("status", secret),
            ("kill", secret),
            ("run", desk.template(), "-a", secret + "/"),
            ("run", desk.template(), "-a", secret * 2),
        ):
            ended = desk("-y", *words)
            assert ended.code != 0
            assert secret not in ended.err + ended.out, words
            assert "looks like a secret" in ended.err, ended
