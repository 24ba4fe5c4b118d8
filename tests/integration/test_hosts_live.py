"""Hosts that come and go, as a user has them: the page about them, typed as it is printed."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live import Live

from tenuto.cli.terminal.exits import Exit

PAGE = Path(__file__).parents[2] / "docs/guide/hosts.md"
BLOCK = re.compile(r"```(sh|yaml)\n(.*?)```", re.DOTALL)
NOWHERE = "http://127.0.0.1:9"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    found = Live(tmp_path, NOWHERE, TENUTO_PROVIDERS="local", TENUTO_NODE_DEADLINE="2")
    found.start()
    yield found
    found.stop()


def hosts(live: Live) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in live.tenuto("node", "list", "--json").document["hosts"]}


def host_of_web(live: Live) -> str:
    things = live.tenuto("local", "list", "--json").document["things"]
    return next((one["host"] for one in things if one["resource"] == "Web"), "")


def test_the_page_about_hosts_does_what_it_says(live: Live, tmp_path: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text())
    (template,) = (text for kind, text in blocks if kind == "yaml")
    file = tmp_path / "shop.yaml"
    file.write_text(template)
    started, *lines = [line for kind, text in blocks if kind == "sh" for line in text.splitlines()]
    assert started == "tenuto conductor --provider local --period 5 --node-deadline 2"
    host = ""

    def type_next(count: int = 1) -> str:
        said = ""
        for _ in range(count):
            words = shlex.split(lines.pop(0).replace("shop.yaml", str(file)).replace("HOST", host))[1:]
            said = live.tenuto(*words, check=True).out
        return said

    live.until(lambda: len(hosts(live)) == 0, "there is no host before the first process")
    type_next()
    live.until(lambda: [one["state"] for one in hosts(live).values()] == ["created"] * 2, "the hosts have checked in")
    assert "Checked in" in type_next()
    host = host_of_web(live)
    type_next()
    live.until(lambda: hosts(live)[host]["state"] == "missing", "the host is missing")
    assert "missing" in type_next()
    assert "counts as lost" in type_next()
    live.until(lambda: host_of_web(live) not in ("", host), "another machine is made elsewhere")
    live.until(lambda: live.status("shop")["converged"], "and runs")
    assert "Running" in type_next()
    assert "To be removed when it is back" in type_next()
    type_next()
    live.until(lambda: hosts(live)[host]["state"] == "created", "the host is back")
    live.until(lambda: "To be removed" not in live.asked("node", "show", host).out, "the host is cleared")
    type_next(3)

    refused = live.tenuto("--yes", "node", "delete", host_of_web(live))
    assert (refused.code, "has 1 machine (shop/Web)" in refused.err) == (Exit.NOT_ALLOWED, True)
    assert live.tenuto("node", "show", "h7").code == Exit.NOT_FOUND
    host = host_of_web(live)
    type_next()
    assert host not in type_next()
    live.until(lambda: host_of_web(live) not in ("", host), "the machine of the deleted host is made elsewhere")
    type_next()
    assert lines == []
