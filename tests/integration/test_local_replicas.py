"""Copies of a blob on real agents: made from host to host, and made up again when a host is deleted (behaviour 61)."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import urllib3
from agents import HostsLive, RealAgent
from images import digest, disk

from tenuto.providers.local.images.folder import BLOBS, BlobFolder

CONTENT = disk("kept twice", 6 * 1024**2)
PATIENCE_S = 150.0

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[HostsLive]:
    found = HostsLive(tmp_path)
    found.start()
    yield found
    found.stop()


def replicas(live: HostsLive) -> dict[str, Any]:
    [blob] = live.tenuto("--json", "blob", "list", check=True).document["objects"]
    shown = live.tenuto("--json", "blob", "show", blob["id"], check=True).document
    found: dict[str, Any] = shown["attributes"].get("Replicas") or {}
    return found


def good(live: HostsLive) -> list[str]:
    return [key.partition("/")[2] for key, facts in replicas(live).items() if facts["State"] == "good"]


def awaited(live: HostsLive, *, but: str = "") -> list[str]:
    """The hosts of two good copies, once there are two."""
    end = time.monotonic() + PATIENCE_S
    while len(found := good(live)) < 2 or but in found:
        assert time.monotonic() < end, replicas(live)
        time.sleep(1.0)
    return found


def stored(agent: RealAgent) -> list[str]:
    return list(BlobFolder(agent.state / BLOBS).stored())


def holds(path: Path, content: bytes) -> bool:
    """Whether a file has this content. It is not there between the removal of a damaged copy and the next good one."""
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return False


def test_behaviour_61_copies_are_made_from_host_to_host_and_made_up_again(live: HostsLive, tmp_path: Path) -> None:
    agents = {name: live.join(name) for name in ("h1", "h2", "h3")}
    (tmp_path / "base.img").write_bytes(CONTENT)
    live.tenuto("artifact", "upload", "base", str(tmp_path / "base.img"), check=True)
    kept = awaited(live)
    [other] = set(agents) - set(kept)
    for name in kept:
        assert BlobFolder(agents[name].state / BLOBS).path(digest(CONTENT)).read_bytes() == CONTENT
    assert stored(agents[other]) == []
    # One came from the Conductor, and the other one from that host.
    logs = {name: agents[name].log() for name in kept}
    assert sum("source='the Conductor'" in text or "source=the Conductor" in text for text in logs.values()) == 1, logs
    assert any(f"source={first}" in logs[second] for first in kept for second in kept), logs

    # The third host may not take it: it is to keep none, and none of its machines has it.
    identity = json.loads((agents[other].state / "identity.json").read_text())
    with urllib3.PoolManager(
        retries=False, cert_reqs="CERT_NONE", assert_fingerprint=identity["fingerprint"], assert_hostname=False
    ) as pool:
        secret = f"{identity['zone']}/{other}:{identity['secret']}"
        url = f"{identity['url']}/v1/node/blobs/{digest(CONTENT)}"
        assert pool.request("GET", url, headers={"Authorization": f"Bearer {secret}"}).status == 404

    # A host that is deleted is made up for.
    agents[kept[0]].stop()
    live.tenuto("node", "delete", kept[0], "--force", check=True)
    assert sorted(awaited(live, but=kept[0])) == sorted([kept[1], other])
    assert stored(agents[other]) == [digest(CONTENT)]
    [blob] = live.tenuto("--json", "blob", "list", check=True).document["objects"]
    told = live.tenuto("--json", "object", "events", blob["id"], check=True).out
    assert "its host is lost" in told

    # The Conductor's own file comes back from a host when it is damaged (behaviour 62).
    own = next(
        one for one in tmp_path.rglob(digest(CONTENT)) if not any(one.is_relative_to(a.state) for a in agents.values())
    )
    own.write_bytes(bytes(len(CONTENT)))
    end = time.monotonic() + PATIENCE_S
    while not holds(own, CONTENT):
        assert time.monotonic() < end, live.tenuto("--json", "blob", "show", blob["id"]).out
        time.sleep(1.0)
    told = live.tenuto("--json", "object", "events", blob["id"], check=True).out
    assert told.count("blob.mended") >= 1, told

    # Nothing needs it any more: it goes from everywhere, the hosts last.
    live.tenuto("artifact", "delete", "base", "--wait", check=True)
    live.tenuto("blob", "delete", blob["id"], check=True)
    end = time.monotonic() + PATIENCE_S
    while live.tenuto("--json", "blob", "list", check=True).document["objects"]:
        assert time.monotonic() < end
        time.sleep(1.0)
