"""`tenuto validation`, and how the other commands tell what the rules of the Conductor say."""

from pathlib import Path

import pytest
from front import TEMPLATE, Front
from terminal import Shell

RULE = """\
name: narrow
applies_to: Simulated::Network
description: What the auditors want.
expression: |
  !has(properties.CidrBlock) ||
  properties.CidrBlock != "10.0.0.0/16"
message: "Too wide: take less."
severity: SEVERITY
"""


@pytest.fixture
def web(tmp_path: Path) -> str:
    path = tmp_path / "web.yaml"
    path.write_text(TEMPLATE)
    return str(path)


def written(folder: Path, severity: str = "error") -> str:
    path = folder / "narrow.yaml"
    path.write_text(RULE.replace("SEVERITY", severity))
    return str(path)


def test_a_rule_lives_through_the_command_line(tenuto: Shell, tmp_path: Path) -> None:
    assert tenuto("validation", "list").out == "There are no rules: any composition may run.\n"
    assert (
        tenuto("validation", "add", written(tmp_path), "-y").out
        == "Rule narrow added; it now applies to every composition.\n"
    )
    assert "narrow  Simulated::Network  error     Too wide: take less." in tenuto("validation", "list").out
    shown = tenuto("validation", "show", "narrow").out
    (tmp_path / "again.yaml").write_text(shown)
    assert tenuto("validation", "add", str(tmp_path / "again.yaml"), "-y").code == 0
    assert tenuto("validation", "list", "--json").document["validations"][0]["name"] == "narrow"
    assert tenuto("validation", "remove", "narrow", "-y").out == "Rule narrow removed.\n"
    gone = tenuto("validation", "show", "narrow", "--json")
    assert (gone.code, gone.document["error"]["code"]) == (4, "not-found")


def test_a_rule_that_a_running_process_violates_ends_with_3(tenuto: Shell, web: str, tmp_path: Path) -> None:
    tenuto("run", web, "-a", "web", "-y")
    ended = tenuto("validation", "add", written(tmp_path), "-y", "--json")
    assert (ended.code, ended.document["error"]["code"]) == (3, "validation")
    assert f"{web}:5: Process web: Net: Too wide: take less." in ended.err


@pytest.mark.parametrize("words", [("run", "-y"), ("apply", "-a", "other", "-y"), ("run", "--dry-run")])
def test_a_violation_ends_with_3_and_shows_the_line(
    tenuto: Shell, front: Front, web: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    tenuto("validation", "add", written(tmp_path), "-y")
    ended = tenuto(words[0], web, *words[1:], "--json")
    assert ended.code == 3
    (found,) = ended.document["error"]["diagnostics"]
    assert (found["rule"], found["subject"], found["position"]["line"]) == ("narrow", "Resources.Net", 5)
    assert "5 |   Net: {Type: Simulated::Network" in ended.err
    assert front.store.processes() == ()


def test_a_warning_of_a_rule_is_shown_and_is_an_error_with_werror(tenuto: Shell, web: str, tmp_path: Path) -> None:
    tenuto("validation", "add", written(tmp_path, "warning"), "-y")
    ended = tenuto("run", web, "-y")
    assert (ended.code, ended.err.count("warning[T806]: A validation warns")) == (0, 1)
    assert tenuto("run", web, "-y", "--werror").code == 3


def test_a_rule_is_tried_on_a_composition_without_a_conductor(tenuto: Shell, web: str, tmp_path: Path) -> None:
    nowhere = {"TENUTO_CREDENTIALS": str(tmp_path / "none")}
    ended = tenuto("validation", "check", written(tmp_path), web, environ=nowhere)
    assert ended.code == 3
    assert "Net: Too wide: take less. (validation narrow)." in ended.err
    (tmp_path / "web.yaml").write_text(TEMPLATE.replace("10.0.0.0/16", "10.0.0.0/24"))
    kept = tenuto("validation", "check", written(tmp_path), web, "--json", environ=nowhere)
    assert (kept.code, kept.document) == (0, {"rule": "narrow", "asked_about": 1, "diagnostics": []})


@pytest.mark.parametrize("words", [("add",), ("check",)])
def test_a_file_that_is_no_rule_is_told_with_its_places(
    tenuto: Shell, web: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(RULE.replace("SEVERITY", "fatal").replace("has(", "hasnt("))
    ended = tenuto("validation", *words, str(path), *([web] if words == ("check",) else ["-y"]), "--json")
    assert ended.code == 3
    assert [one["code"] for one in ended.document["error"]["diagnostics"]] == ["T016", "T015"]
    assert "8 | severity: fatal" in ended.err


def test_a_huge_file_and_one_that_is_not_text_are_no_rules(tenuto: Shell, tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    path.write_text("#" * 100_000)
    assert "is larger than" in tenuto("validation", "add", str(path), "-y").err
    path.write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in tenuto("validation", "add", str(path), "-y").err
