"""The folder of mistakes: small compositions that are each wrong in one way, and what is said of them.

`# T504 at 7` on a line: that code, on this line, in column 7. `# expect: T003 at 3:1` where no comment can stand. The
expectations of JSON files are in `JSON_EXPECTED`. `# parameter: A=b`, `# region:`, `# managed:` and `# refused: PATH`
(of every managed type) set the scene.
"""

import re
from pathlib import Path

from tenuto.compositions.checks.managed import Managed
from tenuto.compositions.compile import compile_text
from tenuto.errors import CompileError
from tenuto.model.diagnostic import Diagnostic

FOLDER = Path(__file__).parents[1] / "unit" / "compositions" / "mistakes"
FILES = sorted(FOLDER.iterdir())
JSON_EXPECTED = {
    "comma_forgotten.json": [("T004", 3, 40)],
    "comma_too_many.json": [("T004", 3, 41)],
    "property_written_twice.json": [("T007", 5, 40)],
}
_ON_LINE = re.compile(r"# (T\d{3}) at (\d+)")
_ELSEWHERE = re.compile(r"^# expect: (T\d{3})(?: at (\d+):(\d+))?", re.MULTILINE)

Expected = tuple[str, int, int]


def expected(path: Path) -> list[Expected]:
    """Code, line and column of every diagnostic that the file asks for, in the order of the file."""
    text = path.read_text(encoding="utf-8")
    found = [
        (match[1], number, int(match[2]))
        for number, line in enumerate(text.splitlines(), start=1)
        for match in _ON_LINE.finditer(line)
    ]
    found += [(code, int(line or 0), int(column or 0)) for code, line, column in _ELSEWHERE.findall(text)]
    return sorted(found + JSON_EXPECTED.get(path.name, []), key=lambda one: one[1:])


def diagnostics_of(path: Path) -> tuple[Diagnostic, ...]:
    """What the compiler says of the file."""
    text = path.read_text(encoding="utf-8")
    managed = _settings(text, "managed")
    try:
        compiled = compile_text(
            text,
            file=path.name,
            parameters=dict(setting.split("=", 1) for setting in _settings(text, "parameter")),
            region=next(iter(_settings(text, "region")), "us-east-1"),
            managed=Managed(types=dict.fromkeys(managed, dict.fromkeys(_settings(text, "refused"), "")))
            if managed
            else None,
        )
    except CompileError as error:
        return tuple(one for one in error.diagnostics if isinstance(one, Diagnostic))
    return compiled.diagnostics


def _settings(text: str, key: str) -> list[str]:
    return [found for line in re.findall(rf"^# {key}: (.*)$", text, re.MULTILINE) for found in line.split()]
