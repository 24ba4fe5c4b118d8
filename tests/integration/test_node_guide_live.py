"""The guide to nodes on AWS, typed as it is printed, with a real Conductor in front of an emulated AWS over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from emulation import emulated_aws
from live import Live
from typed_page import Bash, Reader

GUIDE = Path(__file__).parents[2] / "docs/guide/nodes-on-aws.md"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    with emulated_aws() as emulator:
        live = Live(tmp_path, emulator.url)
        yield live
        live.stop()


def test_the_guide_to_nodes_runs_as_it_is_printed(live: Live, tmp_path: Path) -> None:
    bash = Bash(tmp_path, live.environment)
    seen: list[str | None] = []

    def start(*options: str) -> str:
        live.start(*(str(tmp_path / one) if one == "plugins" else one for one in options))
        return ""

    def is_up() -> None:
        seen.append(live.id("farm", "Worker"))

    def is_at_rest() -> None:
        worker = live.status("farm")["resources"]["Worker"]
        assert (worker["state"], worker["id"], worker["status"]) == ("Deallocated", None, "resting")

    before = {"tenuto update farm resting.yaml": is_up, "tenuto kill farm --wait": is_at_rest}
    reader = Reader(page=GUIDE, bash=bash, conductor=start, before=before)
    try:
        reader.follow()
    finally:
        bash.close()
    assert seen[0] is not None
    assert seen[0].startswith("i-")
    assert live.status("farm") is None
