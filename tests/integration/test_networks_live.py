"""The page of addresses outside and names, typed as it is printed, on a Conductor of the local provider."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live import Live

PAGE = Path(__file__).parents[2] / "docs/guide/networks.md"
BLOCK = re.compile(r"```(sh|yaml)\n(.*?)```", re.DOTALL)
NOWHERE = "http://127.0.0.1:9"
POOL, ADDRESS = "198.51.100.0/28", "198.51.100.7"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """An installation that reaches no cloud at all."""
    found = Live(tmp_path, NOWHERE, TENUTO_PROVIDERS="local", TENUTO_FLOATING_POOL=POOL)
    found.start()
    yield found
    found.stop()


def things(live: Live) -> dict[str, dict[str, Any]]:
    return {one["resource"]: one for one in live.tenuto("local", "list", "--json").document["things"]}


def test_the_page_of_networks_does_what_it_says(live: Live, tmp_path: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text())
    (template,) = (text for kind, text in blocks if kind == "yaml")
    file = tmp_path / "shop.yaml"
    file.write_text(template)
    started, *lines = [line for kind, text in blocks if kind == "sh" for line in text.splitlines()]
    assert started == f"tenuto conductor --provider local --period 5 --floating-pool {POOL}"

    def type_next() -> str:
        """Type the next line of the page, and return what it said."""
        line = lines.pop(0).replace("shop.yaml", str(file))
        if not line.startswith("tenuto "):
            return subprocess.run(["sh", "-c", line], check=True, capture_output=True, text=True).stdout
        if " ID " in line:
            line = line.replace(" ID ", f" {things(live)['Net']['id'][:8]} ")
        words = re.findall(r"'([^']*)'|(\S+)", line)[1:]
        return live.tenuto(*(one or other for one, other in words), check=True).out

    assert ADDRESS in type_next()
    assert "shop/Blue" in type_next()
    assert f"FloatingAddress {ADDRESS}" in " ".join(type_next().split()).replace(":", "")
    assert "shop/Blue" in type_next()
    assert "10.1.0.1 on shop/Net answers 3 of 3" in type_next()
    type_next()
    planned = type_next()
    assert "Blue" in planned
    assert "Green" in planned
    web = things(live)["Web"]["id"]
    type_next()
    assert ADDRESS in type_next()
    assert live.tenuto("interface", "show", "shop/Blue").out.count(ADDRESS) == 0
    assert ADDRESS in live.tenuto("interface", "show", "shop/Green").out
    assert things(live)["Web"]["id"] == web
    live.until(lambda: "web" in live.asked("network", "show", "shop/Net").out, "the machine has its name")
    served = type_next()
    assert "default.us-east-1" in served
    assert "10.1.0.99" in served
    type_next()
    # The plan shows it when a sweep has seen it, and it may be set right by then.
    type_next()
    live.until(lambda: "drift" in live.asked("events", "shop").out, "the damage was seen")
    live.until(lambda: not things(live)["Net"]["properties"]["Deviations"], "what was broken is set right")
    type_next()
    assert "shop" not in type_next()
    assert lines == []


def test_a_pool_that_is_none_is_refused_in_words(live: Live) -> None:
    for option, words in (
        ("10.1.0.9/24", "is no block such as"),
        ("127.0.0.0/24", "another use"),
        ("10.0.0.0/8", "too large"),
    ):
        refused = live.tenuto("conductor", "--floating-pool", option)
        assert refused.code == 2
        assert words in " ".join(refused.err.split())
