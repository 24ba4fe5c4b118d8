"""An installation whose Conductor sees a system clock that the test sets while it runs (libfaketime)."""

import subprocess
import sys
from glob import glob
from pathlib import Path
from typing import Any

from live import Live

LIBRARIES = "/usr/lib/*/faketime/libfaketimeMT.so.1"
"""Where Debian's package libfaketime puts the library for programs with threads."""
SCRIPT = Path(__file__).with_name("stepped_conductor.py")


def library() -> str | None:
    """The library, where it is installed."""
    return next(iter(sorted(glob(LIBRARIES))), None)


def within_time(offset: str) -> tuple[str, ...]:
    """The first words of a command line whose program sees a clock that is so far away, such as `-20y`."""
    return ("env", f"LD_PRELOAD={library()}", f"FAKETIME={offset}", "FAKETIME_DONT_FAKE_MONOTONIC=1")


class SteppedLive(Live):
    """One installation, and the clock that its Conductor sees: the real one, moved by so many seconds."""

    def __init__(self, folder: Path, endpoint: str, library: str) -> None:
        super().__init__(folder, endpoint)
        self._library = library
        self._clock = folder / "clock"
        self.set_clock(0)

    def set_clock(self, ahead_s: int) -> None:
        """From now on the clock of the Conductor is so many seconds ahead of the real one."""
        written = self._clock.with_suffix(".new")
        written.write_text(f"{ahead_s:+d}\n")
        written.rename(self._clock)

    def start(self, *options: str) -> None:
        """Start a Conductor and wait until it answers. The command line goes by the real clock."""
        clock = {
            "LD_PRELOAD": self._library,
            "FAKETIME_TIMESTAMP_FILE": str(self._clock),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
        }
        with (self.folder / "conductor.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(SCRIPT), *options], env=self.environment | clock, stdout=log, stderr=log
            )
        self.until(lambda: self.tenuto("status").code == 0, "the Conductor answers")

    def node(self) -> Any:
        """What the only Conductor node says of itself."""
        [node] = self.tenuto("--json", "nodes", check=True).document["nodes"]
        return node
