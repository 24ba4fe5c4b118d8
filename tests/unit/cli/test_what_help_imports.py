"""The imports of `--help` and of plain commands: neither loads what the work of a Conductor needs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tenuto.cli.root import COMMANDS
from tenuto.cli.terminal.exits import Exit

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


_COMMAND = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from tenuto.cli.entry import run
with redirect_stderr(StringIO()):
    code = run(["--yes", "--url", "http://127.0.0.1:9", *sys.argv[1:]], {"HOME": "/nonexistent", "TENUTO_SECRET": "x"})
print(json.dumps([code, sorted(sys.modules)]))
"""
FILE = ("compile", str(Path(__file__).parents[2] / "templates/own/orders.yaml"))
_VALUES = {f"tenuto.model.{name}" for name in ("composition", "delta", "outcome", "plan", "process", "resource")}
"""The modules whose many classes take as long to make as all of a command that asks a question."""


@pytest.mark.parametrize(
    "command",
    [
        *("status", "status web", "events", "history web", "explain web", "plan web", "object list"),
        *("suspend web", "resume web", "kill web", "release web", "retry web"),
    ],
)
def test_a_command_without_a_file_loads_no_values_of_a_conductor(command: str) -> None:
    words = command.split()
    told = subprocess.run([sys.executable, "-c", _COMMAND, *words], capture_output=True, text=True, check=True)
    code, names = json.loads(told.stdout)
    assert code == Exit.UNREACHABLE
    assert _VALUES & set(names) == set()


def test_a_compilation_loads_no_log_and_no_server() -> None:
    told = subprocess.run(
        [sys.executable, "-c", _COMMAND.replace("redirect_stderr(StringIO())", "redirect_stdout(StringIO())"), *FILE],
        capture_output=True,
        text=True,
        check=True,
    )
    code, names = json.loads(told.stdout)
    assert code == 0
    servers = {"cryptography", "rich", "sqlite3", "starlette", "structlog", "uvicorn", "tenuto.api", "tenuto.conductor"}
    assert servers & set(names) == set()
