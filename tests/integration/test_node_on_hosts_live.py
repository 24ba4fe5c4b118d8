"""The guide to nodes on hosts, typed as it is printed, with a real Conductor of the local provider."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live
from typed_page import Bash, Reader

GUIDE = Path(__file__).parents[2] / "docs/guide/nodes-on-hosts.md"
NOWHERE = "http://127.0.0.1:9"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """An installation that reaches no cloud at all."""
    found = Live(tmp_path, NOWHERE, TENUTO_PROVIDERS="local")
    yield found
    found.stop()


def things(live: Live) -> list[str]:
    return [one["resource"] for one in live.tenuto("local", "list", "--json").document["things"]]


def test_the_guide_to_nodes_on_hosts_runs_as_it_is_printed(live: Live, tmp_path: Path) -> None:
    bash = Bash(tmp_path, live.environment)
    seen: list[list[str]] = []

    def start(*options: str) -> str:
        live.start(*(str(tmp_path / one) if one == "plugins" else one for one in options))
        return ""

    def is_at_rest() -> None:
        worker = live.status("farm")["resources"]["Worker"]
        assert (worker["state"], worker["id"], worker["status"]) == ("Deallocated", None, "resting")
        seen.append(things(live))

    before = {"tenuto update farm farm.yaml --wait": is_at_rest}
    try:
        Reader(page=GUIDE, bash=bash, conductor=start, before=before).follow()
    finally:
        bash.close()
    assert sorted(seen[0]) == ["Net", "Port"]
    assert (live.status("farm"), things(live)) == (None, [])
