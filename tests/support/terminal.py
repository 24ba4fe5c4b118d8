"""The command line as a user calls it, without a terminal or on a pseudo terminal."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from front import SECRET

from tenuto.cli.entry import run
from tenuto.model.ids import JsonMap


@dataclass(frozen=True)
class Ended:
    """How a call ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> JsonMap:
        """The one JSON document on stdout."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


@dataclass
class Shell:
    """Calls the command line in this process; pytest's stdin is no terminal."""

    url: str
    folder: Path
    capture: pytest.CaptureFixture[str]

    def environ(self, **more: str) -> dict[str, str]:
        credentials = str(self.folder / "credentials")
        return {"TENUTO_URL": self.url, "TENUTO_SECRET": SECRET, "TENUTO_CREDENTIALS": credentials, **more}

    def __call__(self, *arguments: str, environ: Mapping[str, str] | None = None) -> Ended:
        self.capture.readouterr()
        code = run(arguments, self.environ() if environ is None else environ)
        out, err = self.capture.readouterr()
        return Ended(code, out, err)

    def at_a_terminal(self, *arguments: str, typed: str, **more: str) -> Ended:
        """In a process of its own, whose stdin is a terminal at which `typed` is typed."""
        leader, follower = pty.openpty()
        try:
            os.write(leader, typed.encode())
            done = subprocess.run(
                [sys.executable, "-m", "tenuto", *arguments],
                stdin=follower,
                capture_output=True,
                env={**self.environ(**more), "PATH": os.environ["PATH"], "HOME": str(self.folder)},
                check=False,
                timeout=60,
            )
        finally:
            os.close(leader)
            os.close(follower)
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
