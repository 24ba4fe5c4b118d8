"""The identity with which an agent starts, by the file with its token."""

import io
from pathlib import Path

import pytest

from tenuto.bootstrap.tools.agent_identity import identity_of
from tenuto.errors import UserError
from tenuto.providers.local.wire.tokens import Token

TOKEN = Token(url="https://10.0.0.1:8687", fingerprint="0" * 64, zone="eu", name="h1", secret="s")


@pytest.mark.parametrize("content", ["", "\n", "   \n", f"\n{TOKEN.text()}\n"])
def test_an_empty_file_is_called_so_and_the_word_that_belongs_into_it_is_told(
    content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, state = tmp_path / "token", tmp_path / "state"
    file.write_text(content)
    state.mkdir()
    with pytest.raises(UserError, match=r"^The file \S+/token is empty, or its first line is\. .*'tenuto node enroll"):
        identity_of(state, str(file))
    monkeypatch.setattr("sys.stdin", io.StringIO(content))
    with pytest.raises(UserError, match=r"^Standard input is empty"):
        identity_of(state, "-")
    with pytest.raises(UserError, match=r"^There is no agent in"):
        identity_of(state, None)


def test_an_agent_that_has_its_identity_needs_no_token_in_the_file(tmp_path: Path) -> None:
    file, state = tmp_path / "token", tmp_path / "state"
    file.write_text(TOKEN.text())
    state.mkdir()
    joining = identity_of(state, str(file))
    file.write_text("")
    assert identity_of(state, str(file)) == joining
    file.unlink()
    assert identity_of(state, str(file)) == joining
