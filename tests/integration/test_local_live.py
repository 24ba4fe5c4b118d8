"""`tenuto conductor --provider local` as a user has it: the page of the local cloud, typed as it is printed."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live import Live

from tenuto.cli.terminal.exits import Exit

PAGE = Path(__file__).parents[2] / "docs/guide/local-cloud.md"
BLOCK = re.compile(r"```(sh|yaml)\n(.*?)```", re.DOTALL)
NOWHERE = "http://127.0.0.1:9"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """An installation that reaches no cloud at all."""
    found = Live(tmp_path, NOWHERE, TENUTO_PROVIDERS="local")
    found.start()
    yield found
    found.stop()


def things(live: Live) -> dict[str, dict[str, Any]]:
    """The things on the hosts, by resource."""
    return {one["resource"]: one for one in live.tenuto("local", "list", "--json").document["things"]}


def is_as_ordered(live: Live) -> bool:
    found = things(live)
    return found["Web"]["properties"]["PowerState"] == "on" and not found["Net"]["properties"]["Deviations"]


def test_the_page_of_the_local_cloud_does_what_it_says(live: Live, tmp_path: Path) -> None:
    blocks = BLOCK.findall(PAGE.read_text())
    (template,) = (text for kind, text in blocks if kind == "yaml")
    file = tmp_path / "shop.yaml"
    file.write_text(template)
    started, *lines = [line for kind, text in blocks if kind == "sh" for line in text.splitlines()]
    assert started == "tenuto conductor --provider local --period 5"

    def type_next(count: int = 1, **ids: str) -> str:
        """Type the next lines of the page, and return what the last one said."""
        said = ""
        for _ in range(count):
            host = things(live)["Web"]["host"] if "HOST" in lines[0] else ""
            words = shlex.split(lines.pop(0).replace("shop.yaml", str(file)).replace("HOST", host))[1:]
            subject = things(live)[ids[words[1]]]["id"][:8] if "ID" in words else ""
            said = live.tenuto(*(subject if word == "ID" else word for word in words), check=True).out
        return said

    assert "10.1.0." in type_next(2)
    assert "Web" in type_next()
    assert "shop/Web" in type_next()
    assert things(live)["Web"]["id"] in type_next()
    assert "shop/Net" in type_next()
    assert "shop/Nic" in type_next()
    assert type_next() == "simulated\n"
    assert type_next(2) == template
    assert "web login:" in type_next()
    assert type_next() == "shop/Web is on.\n"
    first = things(live)["Web"]["id"]
    type_next(4, **{"stop": "Web", "break": "Net"})
    live.until(lambda: is_as_ordered(live), "what was broken is set right")

    assert "does not answer" in type_next()
    silence = f"the host {things(live)['Web']['host']} does not answer"
    live.until(lambda: silence in live.asked("explain", "shop").out, "the host is missed")
    type_next(2)
    live.until(lambda: is_as_ordered(live), "the host answers again")
    assert things(live)["Web"]["id"] == first

    # A machine that is there is not replaced by one that cannot be made, so it goes first.
    file.write_text(template[: template.index("  Web:")])
    live.tenuto("--yes", "update", "shop", str(file), "--wait", check=True)
    file.write_text(template.replace("MemoryMiB: 512", "MemoryMiB: 64000"))
    live.tenuto("--yes", "update", "shop", str(file), check=True)
    live.until(lambda: live.status("shop")["state"] == "Suspended", "the machine is in error")
    assert "no host has 1 vcpus and 64000 MiB" in type_next()
    file.write_text(template.replace("512", "1024"))
    type_next(2)
    assert lines == []
    assert (things(live)["Web"]["properties"]["MemoryMiB"], things(live)["Web"]["id"] == first) == (1024, False)


def test_commands_for_objects_of_requests_name_the_way_for_those_of_a_process(live: Live, tmp_path: Path) -> None:
    file = tmp_path / "net.yaml"
    file.write_text(
        "Resources: {Net: {Type: 'Tenuto::Compute::Network', Properties: {CidrBlock: 10.1.0.0/24}}}", encoding="utf-8"
    )
    live.tenuto("run", str(file), "-a", "rp", "--wait", check=True)
    net = str(things(live)["Net"]["id"])
    ways = {"retry": "'tenuto retry rp'", "wait": "'tenuto explain rp'", "delete": "'tenuto update rp FILE'"}
    for verb, way in ways.items():
        for group, reference in (("network", "rp/Net"), ("object", net)):
            told = live.tenuto("--yes", group, verb, reference)
            assert (told.code, "declared by the process rp" in told.err, way in told.err) == (
                Exit.NOT_ALLOWED,
                True,
                True,
            ), (group, verb, told.err)
    unknown = live.tenuto("--yes", "object", "delete", "nothing")
    assert unknown.code == Exit.NOT_FOUND
    nameless = live.tenuto("artifact", "upload", "", str(file))
    assert "NAME is empty: give the name of the artifact" in nameless.err
