"""The imports of `--help`: a command that only explains itself loads nothing of the work that it would do."""

import json
import subprocess
import sys

from tenuto.cli.root import COMMANDS

HEAVY = (
    "attrs", "botocore", "cattrs", "cryptography", "jinja2", "rich", "starlette", "structlog", "urllib3", "uvicorn",
    "yaml", "tenuto.api", "tenuto.bootstrap", "tenuto.compositions.cloudformation", "tenuto.compositions.compile",
    "tenuto.conductor", "tenuto.providers", "tenuto.storage", "tenuto.web",
)  # fmt: skip
_ASK = """
import json, sys
from contextlib import redirect_stdout
from io import StringIO
from tenuto.cli.entry import run
told = StringIO()
with redirect_stdout(told):
    for name in sys.argv[1:]:
        assert run([name, "--help"], {"HOME": "/nonexistent"}) == 0, name
assert "Usage:" in told.getvalue()
print(json.dumps(sorted(sys.modules)))
"""


def loaded(*commands: str) -> set[str]:
    """The heavy modules that a new interpreter has when it has told the help of these commands."""
    told = subprocess.run([sys.executable, "-c", _ASK, *commands], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    names = json.loads(told.stdout)
    return {heavy for heavy in HEAVY if any(name == heavy or name.startswith(f"{heavy}.") for name in names)}


def test_help_of_no_command_loads_what_only_its_work_needs() -> None:
    assert loaded(*COMMANDS) == set()
