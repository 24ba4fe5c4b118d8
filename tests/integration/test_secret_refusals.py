"""AWS repeats a NoEcho value in its refusal; the value is told nowhere."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live, emulated

TEMPLATE = """
Parameters: {Pw: {Type: String, NoEcho: true}}
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: !Ref Pw}}
"""
SECRET = "Zq9SuperSecretXyzzy42"
QUESTIONS = (
    *(("status",), ("status", "web"), ("status", "web", "--verbose"), ("--json", "status", "web")),
    *(("plan", "web"), ("--json", "plan", "web"), ("explain", "web"), ("--json", "explain", "web")),
    *(("history", "web"), ("--json", "history", "web"), ("ops", "web"), ("--json", "ops", "web")),
    *(("events",), ("--json", "events")),
)


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with emulated(tmp_path, TENUTO_DEBUG="1") as running:
        yield running


@pytest.mark.slow
def test_a_value_that_aws_repeats_in_a_refusal_is_told_nowhere(live: Live, tmp_path: Path) -> None:
    template = tmp_path / "web.yaml"
    template.write_text(TEMPLATE)
    ran = live.tenuto("run", str(template), "-a", "web", "--parameter", f"Pw={SECRET}", "--wait=60")
    live.until(lambda: live.status("web")["state"] == "Suspended", "the refusal suspends the process")
    live.until(lambda: live.asked("--json", "ops", "web").document, "the refused call is recorded")
    refusal = live.status("web")["resources"]["Vpc"]["message"]
    assert "****" in refusal
    assert "CreateVpc" in refusal
    told = {"run --wait": ran.out + ran.err, "conductor.log": (tmp_path / "conductor.log").read_text()}
    for words in QUESTIONS:
        answer = live.tenuto(*words)
        told[" ".join(words)] = answer.out + answer.err
    for path in (live.database, live.database.with_name("tenuto.db-wal")):
        told[path.name] = path.read_bytes().decode(errors="replace")
    live.tenuto("resume", "web", check=True)
    live.until(lambda: live.status("web")["state"] == "Suspended", "the second try is refused")
    told["after the second try"] = (tmp_path / "conductor.log").read_text()
    assert [place for place, text in told.items() if SECRET in text] == []
