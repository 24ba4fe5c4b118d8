"""Rules on the command line: `--validations`, TENUTO_VALIDATIONS, warnings and what breaks."""

from pathlib import Path

import pytest
from front import TEMPLATE, Front
from terminal import Shell

RULES = """
from tenuto.validations import Violation, validation

@validation("Simulated::Network")
def wide(network):
    print("asked about", network.logical_id)
    return Violation("Too wide", path="CidrBlock", severity="{severity}")
"""


@pytest.fixture
def web(tmp_path: Path) -> str:
    path = tmp_path / "web.yaml"
    path.write_text(TEMPLATE)
    return str(path)


@pytest.fixture
def strict(tmp_path: Path) -> str:
    path = tmp_path / "strict.py"
    path.write_text(RULES.format(severity="error"))
    return str(path)


@pytest.fixture
def mild(tmp_path: Path) -> str:
    path = tmp_path / "mild.py"
    path.write_text(RULES.format(severity="warning"))
    return str(path)


@pytest.mark.parametrize("words", [("compile",), ("run", "-y"), ("apply", "-a", "web", "-y"), ("run", "--dry-run")])
def test_a_violation_ends_with_3_and_sends_nothing(
    tenuto: Shell, front: Front, web: str, strict: str, words: tuple[str, ...]
) -> None:
    ended = tenuto(words[0], web, *words[1:], "--validations", strict, "--json")
    assert ended.code == 3
    (found,) = ended.document["error"]["diagnostics"]
    assert (found["code"], found["rule"], found["subject"]) == ("T523", "wide", "Resources.Net.Properties.CidrBlock")
    assert found["position"]["line"] == 5
    assert "5 |   Net: {Type: Simulated::Network" in ended.err
    assert "asked about Net" in ended.err
    assert front.store.processes() == ()


def test_an_update_that_violates_a_rule_is_not_sent(tenuto: Shell, front: Front, web: str, strict: str) -> None:
    assert tenuto("run", web, "-a", "web", "-y").code == 0
    before = front.store.process("web")
    assert tenuto("update", "web", web, "-y", "--validations", strict).code == 3
    assert front.store.process("web") == before


def test_the_rules_of_the_environment_are_asked_besides_those_of_the_option(
    tenuto: Shell, web: str, strict: str, mild: str
) -> None:
    ended = tenuto("compile", web, "--validations", mild, environ=tenuto.environ(TENUTO_VALIDATIONS=strict))
    assert (ended.err.count("T523"), ended.err.count("T806"), ended.code) == (1, 1, 3)


def test_a_warning_is_shown_and_is_an_error_with_werror(tenuto: Shell, front: Front, web: str, mild: str) -> None:
    assert tenuto("run", web, "-y", "--validations", mild, "--werror").code == 3
    assert front.store.processes() == ()
    ended = tenuto("run", web, "-y", "--validations", mild)
    assert (ended.code, ended.err.count("warning[T806]: A validation warns")) == (0, 1)


def test_a_file_of_rules_that_is_not_there_is_never_skipped(tenuto: Shell, web: str, strict: str) -> None:
    ended = tenuto("compile", web, "--validations", f"{strict}x", "--json")
    assert ended.code == 3
    assert ended.document["error"]["diagnostics"][0]["code"] == "T014"
