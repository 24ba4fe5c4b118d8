"""The page of the driver `qemu`, typed as it is printed, on this machine as a host."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from agents import HostsLive
from installation import Installation
from passable import passable, plain_user
from virtual_host import image

from tenuto.providers.local.drivers.qemu.host import obstacle

GUIDE = Path(__file__).parents[2] / "docs/guide/local-qemu.md"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(obstacle()), reason=f"no host of driver qemu: {obstacle()}"),
]


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    """An installation that reaches no cloud, and whose Conductor is started by the page."""
    live = HostsLive(passable(tmp_path))
    (tmp_path / "conductor.log").touch()
    made = Installation(tmp_path, live)
    yield made
    made.bash.close()
    live.stop()


def test_the_page_of_the_driver_qemu_does_what_it_says(installation: Installation) -> None:
    image()  # The packages are fetched once for all tests.
    live, state, machines = installation.live, installation.folder / "h1", installation.folder / "h1.machines"

    def is_told() -> bool:
        return "drift" in live.tenuto("plan", "vm").out or "drift.found" in live.tenuto("events", "vm").out

    def hold() -> None:
        live.until(lambda: live.status("vm")["converged"], "what was killed runs again")

    installation.follow(
        GUIDE,
        instead={"/var/lib/tenuto-node": str(state), "127.0.0.1:8687": live.listen_nodes},
        before={
            "tenuto image build": lambda: live.join("h1", driver="qemu", options=("--user", plain_user())),
            "tenuto plan vm": lambda: live.until(is_told, "the attack is seen"),
            "tenuto kill vm": hold,
        },
        skipped={
            "useradd": "the agent of the test becomes a user that is on every machine",
            "apt-get install": "the tests are skipped where these are not there",
            "tenuto node agent": "it stays in the foreground; started above, with a token of its own",
        },
    )
    assert not list((machines / "virtual").iterdir())
    assert not list((machines / "networks").iterdir())
    assert live.status("vm") is None
