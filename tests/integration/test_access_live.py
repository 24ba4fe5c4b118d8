"""Users, settings and the owner's rights on a real Conductor with the real command line, over restarts."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Answer, Live

POLICY = """
TenutoPolicy: 1
Users: [ann, bob]
Grants:
  - {To: ann, Commands: questions, Accounts: "*"}
  - {To: ann, Commands: runtime}
"""
NOBODY = "http://127.0.0.1:9"
"""No provider is asked in these tests."""


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    made = Live(tmp_path, NOBODY)
    made.start()
    yield made
    made.stop()


def as_user(live: Live, credentials: Path, *words: str) -> Answer:
    done = subprocess.run(
        [sys.executable, "-m", "tenuto", "-y", *words],
        check=False,
        env=live.environment | {"TENUTO_CREDENTIALS": str(credentials)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=180,
    )
    return Answer(code=done.returncode, out=done.stdout, err=done.stderr)


def test_behaviour_69_a_user_acts_with_a_credentials_file_also_after_a_restart(live: Live) -> None:
    policy, mine = live.folder / "policy.yaml", live.folder / "ann"
    policy.write_text(POLICY)
    assert "is now in effect" in live.tenuto("policy", "set", str(policy), check=True).out
    live.tenuto("user", "generate-secret", "ann", "-o", str(mine), check=True)
    assert mine.stat().st_mode & 0o777 == 0o600
    assert "You are ann" in as_user(live, mine, "user", "whoami").out
    users = live.tenuto("--json", "user", "list", check=True).document["users"]
    assert {one["name"]: one["enabled"] for one in users} == {"ann": True, "bob": False}
    live.kill_9()
    live.start()
    assert as_user(live, mine, "status").code == 0
    refused = as_user(live, mine, "policy", "remove")
    assert (refused.code, "'policy'" in refused.err) == (6, True)
    assert live.tenuto("policy", "show", check=True).out.strip() == POLICY.strip()
    assert "Revoked the secret of ann" in live.tenuto("policy", "remove", check=True).out
    assert as_user(live, mine, "status").code == 6


def test_behaviour_79_levels_and_delays_change_at_once_and_outlive_a_restart(live: Live) -> None:
    live.tenuto("status", check=True)
    assert "api.answered" not in live.log()
    told = live.tenuto("runtime", "set", "**log-level", "DEBUG", check=True).out
    assert set(told.split()) >= {"jobs.log-level", "api.log-level", "DEBUG"}
    live.tenuto("status", check=True)
    live.until(lambda: "api.answered" in live.log(), "the API logs what it answers")
    live.tenuto("runtime", "set", "jobs.period", "3", check=True)
    live.stop()
    log = live.folder / "conductor.log"
    before = len(log.read_text())
    live.start()
    again = log.read_text()[before:]
    assert "conductor.started" in again
    assert "a job every 3 s" in again
    live.tenuto("runtime", "unset", "*", check=True)
    document = live.tenuto("--json", "runtime", "list", check=True).document
    assert {one["key"] for one in document["settings"] if one["set_at"]} == set()
    assert live.tenuto("runtime", "get", "conductor.log-level", check=True).out.strip() == "INFO"
    assert live.tenuto("runtime", "get", "jobs.period", check=True).out.strip() == "2"
    wrong = live.tenuto("runtime", "set", "jobs.period", "soon")
    assert (wrong.code, "expected seconds" in wrong.err) == (2, True)


def test_behaviour_78_the_real_command_line_logs_what_it_is_called_with(live: Live, tmp_path: Path) -> None:
    log = tmp_path / "calls.log"
    template = tmp_path / "t.yaml"
    template.write_text("Resources: {}\n")
    words = ["run", str(template), "--parameter", "Password=hunter2"]
    environ = live.environment | {"TENUTO_CLI_LOG": str(log), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-m", "tenuto", *words], env=environ, check=False, capture_output=True, timeout=180)
    [call] = [json.loads(line) for line in log.read_text().splitlines()]
    assert call["arguments"] == ["run", str(template), "--parameter", "Password=****"]
    assert call["exit_code"] != 0
