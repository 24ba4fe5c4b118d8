"""docs/reference/diagnostics.md, from the table of codes and the folder of mistakes.

Run `python tests/support/diagnostics_page.py` to write it.
"""

from pathlib import Path

import mistakes

from tenuto.compositions.diagnostics.codes import ACCEPTABLE, CODES, Code
from tenuto.compositions.diagnostics.render import render_diagnostics

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "diagnostics.md"
_HEAD = """# Diagnostics

What the compiler says of a composition. All problems of a file are reported together, in the order of the file, each
once. A code never changes its meaning. Errors stop the compilation (exit code 3); warnings prompt, and `--werror` makes
them errors.

The first digit says where to look: 0 the file, 1 the sections, 2 parameters, 3 functions and names, 4 conditions and
mappings, 5 resources and their properties, 6 outputs, 7 what Tenuto does not do, 8 warnings, 9 compiled documents.

This page is written by `python tests/support/diagnostics_page.py`; the examples are files of
`tests/unit/compositions/mistakes`, and a test compares.
"""


def render_page() -> str:
    """The whole page."""
    examples: dict[str, str] = {}
    for path in mistakes.FILES:
        for diagnostic in mistakes.diagnostics_of(path):
            examples.setdefault(diagnostic.code, render_diagnostics([diagnostic]))
    return _HEAD + "".join(_section(code, examples.get(code.code, "")) for code in CODES)


def _section(code: Code, example: str) -> str:
    what = " ".join(part for part in (f"{code.severity.value.capitalize()}.", code.hint) if part)
    if code in ACCEPTABLE:
        what += " A resource of AWS can [accept](../guide/what-aws-decides.md) it."
    text = f"\n## {code.code} {code.summary}\n\n{what}\n"
    return f"{text}\n```text\n{example}```\n" if example else text


if __name__ == "__main__":
    PAGE.write_text(render_page(), encoding="utf-8")
