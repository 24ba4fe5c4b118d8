"""The block of the guide, typed as printed into a folder of its own: it lives its life as every other block does."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GUIDE = HERE.parents[2] / "docs/guide/adding-a-type.md"
NAMED = re.compile(r"`[\w./]*/(\w+\.(?:py|yaml))`[.:]\n\n```(?:python|yaml)\n(.*?)```", re.DOTALL)
PLUGIN = """
import sys
from pathlib import Path

sys.path.insert(0, {tests!r})
from tenuto.providers.aws import types

types.__path__.append({folder!r})
from block_examples import EXAMPLES, example_at

for path in Path({folder!r}).glob("AWS__*.yaml"):
    EXAMPLES[example_at(path).type] = example_at(path)
"""


@pytest.mark.slow
def test_the_block_of_the_guide_is_made_changed_repaired_replaced_and_gone(tmp_path: Path) -> None:
    """The files of the page are put beside those of the source: a new type changes no other file."""
    printed = dict(NAMED.findall(GUIDE.read_text(encoding="utf-8")))
    assert sorted(printed) == ["AWS__CloudWatch__Dashboard.yaml", "cloudwatch_dashboard.py"]
    folder = tmp_path / "types"
    folder.mkdir()
    for name, text in printed.items():
        (folder / name).write_text(text, encoding="utf-8")
    (tmp_path / "page_plugin.py").write_text(PLUGIN.format(tests=str(HERE), folder=str(folder)), encoding="utf-8")
    wanted = [
        "-p",
        "page_plugin",
        "-p",
        "no:cacheprovider",
        "-q",
        "-k",
        "Dashboard",
        "--basetemp",
        str(tmp_path / "tmp"),
    ]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *wanted, str(HERE / "test_blocks.py")],
        check=False,
        capture_output=True,
        text=True,
        cwd=HERE.parents[2],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert ran.returncode == 0, ran.stdout[-3000:] + ran.stderr[-1000:]
    assert "2 passed" in ran.stdout
