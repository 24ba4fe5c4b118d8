"""What several modules of integration tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from accounts import PRODUCTION, Accounts
from emulation import emulated_aws
from installation import Installation
from live import Live, emulated


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """A running Conductor in front of an emulated AWS of its own. Several modules have another one of this name."""
    with emulated(tmp_path) as running:
        yield running


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installation]:
    """An installation whose folder is the working directory, with a Conductor that runs and a profile `production`."""
    monkeypatch.chdir(tmp_path)
    with emulated_aws() as emulator:
        live = Accounts(tmp_path, emulator.url)
        live.write_profile(PRODUCTION)
        live.start()
        made = Installation(tmp_path, live)
        try:
            yield made
        finally:
            try:
                made.bash.close()
            finally:
                live.stop()
