"""`tenuto conductor --provider simulated` as a user has it: no account, no emulator, a cloud that stays."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live

PAGE = Path(__file__).parents[2] / "docs/guide/first-minute.md"
BLOCK = re.compile(r"```(sh|yaml)\n(.*?)```", re.DOTALL)
NOWHERE = "http://127.0.0.1:9"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """An installation that reaches no AWS at all."""
    found = Live(tmp_path, NOWHERE, TENUTO_PROVIDERS="simulated")
    found.start()
    yield found
    found.stop()


def test_the_first_minute_is_as_its_page_says(live: Live, tmp_path: Path) -> None:
    found = BLOCK.findall(PAGE.read_text())
    (template,) = (text for kind, text in found if kind == "yaml")
    file = tmp_path / "shop.yaml"
    file.write_text(template)
    commands = [
        line for kind, text in found if kind == "sh" for line in text.splitlines() if line.startswith("tenuto ")
    ]
    assert [line.split()[1] for line in commands] == [
        *("run", "status", "simulated", "simulated", "plan", "history", "simulated", "update", "kill"),
    ]
    said = ""
    for line in commands:
        if " history " in line:
            live.until(lambda: "changed-by-hand" not in live.asked("simulated", "list").out, "the drift is corrected")
        if " update " in line:
            file.write_text(template.replace("Label: shop", "Label: store"))
        words = line.replace("shop.yaml", str(file)).split()[1:]
        said = live.tenuto(*words, check=True).out
        if line.startswith("tenuto plan"):
            assert "Label" in said or "unchanged" in said
        if line.startswith("tenuto update"):
            assert "store" in live.tenuto("simulated", "list", check=True).out
    assert live.status("shop") is None
    assert live.tenuto("simulated", "list").out.strip() == "The simulated cloud is empty."


def test_a_killed_conductor_finds_its_things_again_and_corrects_what_changed_meanwhile(
    live: Live, tmp_path: Path
) -> None:
    file = tmp_path / "net.yaml"
    network = "{Type: Simulated::Network, Properties: {CidrBlock: 10.0.0.0/16, Label: main}}"
    file.write_text(f"Resources:\n  Net: {network}\n")
    live.tenuto("run", str(file), "--alias", "net", "--wait", check=True)
    live.kill_9()
    live.tenuto("simulated", "set", "net-1", "Label", "drifted", check=True)
    live.start()
    live.until(lambda: "drifted" not in live.asked("simulated", "list").out, "the drift is corrected")
    assert live.id("net", "Net") == "net-1"
    live.tenuto("kill", "net", "--wait", check=True)
