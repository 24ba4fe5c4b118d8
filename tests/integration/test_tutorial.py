"""The tutorial, typed line by line by somebody who follows it."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from live import Live

from tenuto.testing.emulator import Emulator

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "tutorial.md"
TAGGED = "Tags: [{Key: team, Value: shop}, "


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL)


def typed(live: Live, block: str) -> str:
    """Type the lines of a block; what they print, all told."""
    lines = [line.removeprefix("$ tenuto ") for line in block.splitlines()]
    return "".join(live.tenuto(*shlex.split(line), check=True).out for line in lines)


def test_the_tutorial_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    template, program = Path("vpc.yaml"), Path("break.py")
    template.write_text(blocks("yaml")[0])
    program.write_text(blocks("python")[0])
    rehearse, run, look, update, end = blocks("console")
    with Emulator() as emulator:
        live = Live(tmp_path, emulator.url)
        live.start()
        try:
            assert "3 create" in typed(live, rehearse)
            assert "converged" in typed(live, run)
            subprocess.run([sys.executable, str(program)], env=live.environment, check=True)
            live.until(lambda: "RevokeSecurityGroupIngress" in live.tenuto("ops", "shop").out, "SSH is closed again")
            told = typed(live, look)
            assert "AuthorizeSecurityGroupIngress" not in told.rpartition("RevokeSecurityGroupIngress")[2]
            template.write_text(template.read_text().replace("Tags: [", TAGGED, 1))
            assert "1 modify" in typed(live, update)
            assert "kill" in typed(live, end)
            assert live.tenuto("status", "shop").code == 4
        finally:
            live.stop()
