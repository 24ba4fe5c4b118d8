"""Each file in `mistakes` holds what it is named after, and says on the line itself which code belongs there.

`# T504 at 7` on a line: that code, on this line, in column 7. `# expect: T003 at 3:1` where no comment can stand. The
expectations of JSON files are in `JSON_EXPECTED`. `# parameter: A=b`, `# region:` and `# managed:` set the scene.
"""

import re
from pathlib import Path

import pytest

from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

FOLDER = Path(__file__).parent / "mistakes"
FILES = sorted(FOLDER.iterdir())
JSON_EXPECTED = {
    "comma_forgotten.json": [("T004", 4, 5)],
    "comma_too_many.json": [("T004", 4, 3)],
    "property_written_twice.json": [("T007", 5, 40)],
}
ON_LINE = re.compile(r"# (T\d{3}) at (\d+)")
ELSEWHERE = re.compile(r"^# expect: (T\d{3})(?: at (\d+):(\d+))?", re.MULTILINE)

Expected = tuple[str, int, int]


def _settings(text: str, key: str) -> list[str]:
    return [found for line in re.findall(rf"^# {key}: (.*)$", text, re.MULTILINE) for found in line.split()]


def _expected(name: str, text: str) -> list[Expected]:
    expected = [
        (match[1], number, int(match[2]))
        for number, line in enumerate(text.splitlines(), start=1)
        for match in ON_LINE.finditer(line)
    ]
    expected += [(code, int(line or 0), int(column or 0)) for code, line, column in ELSEWHERE.findall(text)]
    return sorted(expected + JSON_EXPECTED.get(name, []), key=lambda found: found[1:])


def diagnostics_of(path: Path) -> tuple[Diagnostic, ...]:
    text = path.read_text()
    managed = _settings(text, "managed")
    try:
        compiled = compile_text(
            text,
            file=path.name,
            parameters=dict(setting.split("=", 1) for setting in _settings(text, "parameter")),
            region=next(iter(_settings(text, "region")), "us-east-1"),
            managed=frozenset(managed) if managed else None,
        )
    except CompileError as error:
        return error.diagnostics
    return compiled.diagnostics


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_mistake_is_reported_once_with_its_code_at_its_place(path: Path) -> None:
    found = [
        (one.code, one.position.line if one.position else 0, one.position.column if one.position else 0)
        for one in diagnostics_of(path)
    ]
    assert found == _expected(path.name, path.read_text())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_diagnostic_says_what_is_wrong_and_what_to_do(path: Path) -> None:
    for diagnostic in diagnostics_of(path):
        assert diagnostic.detail.endswith(".")
        assert diagnostic.hint
        assert diagnostic.summary
        assert bool(diagnostic.source_line) == bool(diagnostic.position and _line(path, diagnostic))


def _line(path: Path, diagnostic: Diagnostic) -> str:
    lines = path.read_text().splitlines()
    number = diagnostic.position.line if diagnostic.position else 0
    return lines[number - 1] if number <= len(lines) else ""


def test_the_folder_holds_at_least_forty_five_distinct_mistakes() -> None:
    codes = {code for path in FILES for code, _, _ in _expected(path.name, path.read_text())}
    assert len(FILES) >= 45
    assert len(codes) >= 45
