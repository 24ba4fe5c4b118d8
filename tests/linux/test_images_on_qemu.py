"""An uploaded image boots: from the file of a user to a guest whose agent answers, on this machine as a host."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from agents import HostsLive
from passable import passable, plain_user
from virtual_host import image

from tenuto.providers.local.drivers.qemu.host import obstacle
from tenuto.providers.local.images.folder import BLOBS, BlobFolder

WEB = """
Resources:
  Web:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 192, ReadyWhen: agent, Disks: [{Base: tiny}]}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(obstacle()), reason=f"no host of driver qemu: {obstacle()}"),
]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[HostsLive]:
    found = HostsLive(passable(tmp_path))
    found.start()
    yield found
    found.end()


def test_a_machine_boots_from_an_artifact_that_may_go_meanwhile(live: HostsLive, tmp_path: Path) -> None:
    content = image().read_bytes()
    digest = hashlib.sha512(content).hexdigest()
    h1 = live.join("h1", driver="qemu", options=("--user", plain_user()))
    live.tenuto("artifact", "upload", "tiny", str(image()), check=True)
    (tmp_path / "web.yaml").write_text(WEB)
    live.tenuto("run", str(tmp_path / "web.yaml"), "--alias", "vm", "--wait=200", check=True)
    assert BlobFolder(h1.state / BLOBS).path(digest).read_bytes() == content
    assert not list((tmp_path / "h1.images").iterdir())
    [machine] = live.tenuto("--json", "instance", "list", check=True).document["declared"]
    assert machine["state"] == "created"

    live.tenuto("artifact", "delete", "tiny", check=True)
    [blob] = live.tenuto("--json", "blob", "list", check=True).document["objects"]
    alone = "still needed by Tenuto::Compute::Instance Web"
    live.until(lambda: alone in live.tenuto("blob", "delete", blob["id"]).err, "the machine alone needs the blob")
    assert live.tenuto("--json", "plan", "vm", check=True).document["operations"] == []
    live.tenuto("kill", "vm", "--wait=120", check=True)
    assert not list((tmp_path / "h1.machines" / "virtual").iterdir())
