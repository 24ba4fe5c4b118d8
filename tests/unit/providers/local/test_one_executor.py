"""An executor begins when its predecessor has ended, and ends one that stands still."""

import subprocess
import sys
from pathlib import Path

from tenuto.providers.local.executor.kernel.alone import be_alone

HOLD = """
import sys, time
from pathlib import Path
from tenuto.providers.local.executor.kernel.alone import be_alone
held = be_alone(Path(sys.argv[1]))
print("held", flush=True)
if sys.argv[2] == "until-told":
    sys.stdin.readline()
    Path(sys.argv[1], "ended").touch()
else:
    time.sleep(600)
"""


def predecessor(folder: Path, way: str) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), way], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_it_waits_for_the_end_of_its_predecessor(tmp_path: Path) -> None:
    with predecessor(tmp_path, "until-told") as other:
        assert other.stdin is not None
        other.stdin.write("end\n")
        other.stdin.flush()
        be_alone(tmp_path)
        assert (tmp_path / "ended").exists()


def test_one_that_stands_still_is_ended(tmp_path: Path) -> None:
    with predecessor(tmp_path, "still") as other:
        be_alone(tmp_path, patience_s=0.1)
        assert other.wait(10) == -9
