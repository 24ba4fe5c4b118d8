"""Every script in this folder prints what stands beside it.

`TENUTO_GOLDEN=update` writes the transcripts anew; read the difference before you commit it.
"""

import os
from pathlib import Path

import pytest

from tenuto.errors import UserError
from tenuto.storage.sqlite.memory import MemoryStore
from tenuto_testing.scenario import run_script
from tenuto_testing.world import World

FOLDER = Path(__file__).parent
SCRIPTS = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_scenario_prints_its_transcript(script: Path) -> None:
    opened = MemoryStore()
    try:
        transcript = run_script(script.read_text(), folder=FOLDER / "compositions", world=World(store=opened))
    finally:
        opened.close()
    golden = script.with_suffix(".out")
    if os.environ.get("TENUTO_GOLDEN") == "update":
        golden.write_text(transcript)
    assert transcript == golden.read_text()


def test_a_line_that_is_no_command_stops_the_script() -> None:
    with pytest.raises(UserError, match="frobnicate"):
        run_script("frobnicate web\n", folder=FOLDER)
