"""The guide to phases on a real Conductor: its plugins, their helper module and its composition, typed as printed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from live import Live
from typed_page import Bash, Reader

GUIDE = Path(__file__).parents[2] / "docs/guide/phases.md"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    """A Conductor that reaches no cloud: the simulated provider needs none."""
    live = Live(tmp_path, "http://127.0.0.1:9")
    yield live
    live.stop()


def test_the_guide_runs_as_it_is_printed(live: Live, tmp_path: Path) -> None:
    bash = Bash(tmp_path, live.environment)

    def start(*options: str) -> str:
        live.start(*(str(tmp_path / one) if one == "plugins" else one for one in options))
        return ""

    def announced() -> set[str]:
        """The nodes that the listener of the guide has announced, in one step or in two."""
        return {name for names in re.findall(r"farm: (.+) Started", live.log()) for name in names.split(", ")}

    def is_told() -> None:
        document = live.status("farm")
        front, worker = document["resources"]["Front"], document["resources"]["Worker"]
        assert (front["state"], worker["state"], front["type"]) == ("Started", "Started", "Cloud.Node")
        assert {front["id"], worker["id"]} == {"i-1", "i-2"}
        assert "Acme.AttachPublicIp" in front["phases"]
        assert "Acme.AttachPublicIp" not in worker["phases"]
        assert re.fullmatch("/tmp/[12]", front["phases"]["Acme.Install"]["data"]["directory"])
        live.until(lambda: {"Front", "Worker"} <= announced(), "the listener has announced it")
        live.tenuto("explain", "farm", check=True)

    reader = Reader(page=GUIDE, bash=bash, conductor=start, before={"tenuto phases reload": is_told})
    try:
        reader.follow()
    finally:
        bash.close()
    assert "Acme.DeleteInstance" in reader.said["tenuto phases"]
    assert "directory" in reader.said["tenuto status farm --verbose"]
    assert live.status("farm") is None


def test_a_plugin_is_changed_while_the_conductor_runs(live: Live, tmp_path: Path) -> None:
    folder = tmp_path / "plugins"
    folder.mkdir()
    live.start("--provider", "simulated", "--plugins", str(folder))
    text = """from tenuto.plugins import phase


@phase("Site.Install", states="Installation", types="Cloud.Node", delay=0.5)
def install(run):
    for node in run.resources:
        VERDICT
"""
    (folder / "site.py").write_text(text.replace("VERDICT", "run.data(node)['by'] = 'old'"))
    told = live.tenuto("--json", "phases", "reload", check=True).document
    assert told == {"loaded": ["Site.Install"], "kept": [], "removed": [], "refused": []}
    nodes = tmp_path / "nodes.yaml"
    nodes.write_text("Resources: {N: {Type: 'Cloud::Node', Properties: {MachineType: small, Image: debian}}}")
    live.tenuto("run", str(nodes), "-a", "farm", check=True)

    def entry() -> dict[str, object]:
        found = live.status("farm")["resources"].get("N", {}).get("phases", {}).get("Site.Install", {})
        return dict(found)

    live.until(lambda: entry().get("data") == {"by": "old"}, "the old code has run")
    (folder / "site.py").write_text("raise RuntimeError('no licence')")
    answer = live.tenuto("--json", "phases", "reload")
    refused = answer.document
    assert answer.code == 1
    assert refused["kept"] == ["Site.Install"]
    assert "no licence" in refused["refused"][0]
    (folder / "site.py").write_text(text.replace("VERDICT", "run.complete(node)"))
    live.tenuto("phases", "reload", check=True)
    live.until(lambda: live.status("farm")["resources"]["N"]["state"] == "Started", "the new code completes it")
    assert entry()["data"] == {"by": "old"}, "nothing of the run was lost"
    live.tenuto("kill", "farm", "--wait", check=True)
