"""Policies, users and settings at the command line."""

from pathlib import Path

import pytest
from front import Front, submission
from terminal import Shell

POLICY = """\
# who may do what
TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: ann, Commands: [status, kill], Accounts: [prod], Aliases: ["shop-*"]}
"""


def written(folder: Path, text: str) -> str:
    file = folder / "policy.yaml"
    file.write_text(text)
    return str(file)


def test_a_policy_is_checked_set_shown_and_removed(tenuto: Shell, tmp_path: Path) -> None:
    file = written(tmp_path, POLICY)
    checked = tenuto("policy", "check", file)
    assert (checked.code, "shop-*" in checked.out, "prod" in checked.out) == (0, True, True)
    assert "no policy" in tenuto("policy", "show").out
    assert "is now in effect" in tenuto("-y", "policy", "set", file).out
    assert tenuto("policy", "show").out == POLICY
    assert tenuto("--json", "policy", "show").document["policy"]["set_by"] == "root"
    assert "no policy now" in tenuto("-y", "policy", "remove").out


def test_a_policy_is_checked_without_a_conductor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell("http://127.0.0.1:9", tmp_path, capsys)
    assert shell("policy", "check", written(tmp_path, POLICY), environ={}).code == 0


@pytest.mark.parametrize("command", ["check", "set"])
def test_mistakes_are_shown_with_line_and_column_and_nothing_is_set(
    tenuto: Shell, tmp_path: Path, command: str
) -> None:
    ended = tenuto("-y", "--json", "policy", command, written(tmp_path, POLICY.replace("kill", "destroy")))
    assert ended.code == 3
    assert "policy.yaml:5:" in ended.err
    [told] = ended.document["error"]["diagnostics"]
    assert (told["code"], told["position"]["line"]) == ("P108", 5)
    assert "no policy" in tenuto("policy", "show").out


def test_a_policy_that_is_no_text_is_refused(tenuto: Shell, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_bytes(b"\xff\xfe")
    ended = tenuto("policy", "check", str(tmp_path / "policy.yaml"))
    assert (ended.code, "UTF-8" in ended.err) == (2, True)


def test_users_are_listed_with_whether_they_are_enabled(tenuto: Shell, tmp_path: Path) -> None:
    assert "only root may act" in tenuto("user", "list").out
    tenuto("-y", "policy", "set", written(tmp_path, POLICY))
    secret = tenuto("-y", "user", "generate-secret", "ann").out.strip()
    listed = [line.split()[:2] for line in tenuto("user", "list").out.splitlines()[2:]]
    assert listed == [["ann", "yes"], ["bob", "no"]]
    me = tenuto("user", "whoami", environ=tenuto.environ(TENUTO_SECRET=secret))
    assert "You are ann" in me.out
    assert "owner" in tenuto("user", "whoami").out
    assert "is revoked" in tenuto("-y", "user", "revoke", "ann").out
    assert "had no secret" in tenuto("-y", "user", "revoke", "ann").out
    assert tenuto("user", "whoami", environ=tenuto.environ(TENUTO_SECRET=secret)).code == 6


@pytest.mark.parametrize("name", ["nobody", "", "a/b"])
def test_a_user_that_there_is_not_is_not_found(tenuto: Shell, name: str) -> None:
    for command in ("generate-secret", "revoke"):
        ended = tenuto("-y", "user", command, name)
        assert (ended.code, "no user" in ended.err) == (4, True)


def test_a_denied_command_ends_with_the_code_of_permission(tenuto: Shell, front: Front, tmp_path: Path) -> None:
    front.commands.accounts.add("prod", {"profile": "prod"}, checks=False)
    front.commands.run(submission(), alias="web", account="prod")
    tenuto("-y", "policy", "set", written(tmp_path, POLICY))
    secret = tenuto("-y", "user", "generate-secret", "ann").out.strip()
    ended = tenuto("-y", "--json", "kill", "web", environ=tenuto.environ(TENUTO_SECRET=secret))
    assert (ended.code, ended.document["error"]["code"]) == (6, "permission")
    for word in ("ann", "'kill'", "prod", "web"):
        assert word in ended.err
    history = tenuto("history", "web").out
    assert "denied" in history
    assert "ann" in history


def test_a_secret_can_be_written_to_a_file_for_its_user(tenuto: Shell, tmp_path: Path) -> None:
    tenuto("-y", "policy", "set", written(tmp_path, POLICY))
    file = tmp_path / "ann.credentials"
    ended = tenuto("-y", "user", "generate-secret", "ann", "-o", str(file))
    assert "tenuto." not in ended.out
    assert file.stat().st_mode & 0o777 == 0o600
    me = tenuto("user", "whoami", environ={"TENUTO_CREDENTIALS": str(file)})
    assert "You are ann" in me.out
