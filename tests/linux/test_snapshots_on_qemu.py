"""Snapshots of virtual machines that run, on this machine as a host: they hold the right disks, and boot
(behaviour 64); and a file that an operation puts into a guest comes by way of the host (behaviour 71)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from agents import HostsLive
from passable import passable, plain_user
from virtual_host import image

from tenuto.kit.qcow2 import read_header
from tenuto.model.image import GIB
from tenuto.providers.local.drivers.qemu.host import obstacle
from tenuto.providers.local.images.folder import BLOBS, BlobFolder

WEB = """
Resources:
  Web:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 192, ReadyWhen: agent, Disks: [{Base: tiny}, {SizeGiB: 1}]}
"""
COPY = """
Resources:
  Copy:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 192, ReadyWhen: agent, Disks: [{Base: golden-disk0}, {Base: golden-disk1}]}
  Lean:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 192, ReadyWhen: agent, Disks: [{Base: lean}]}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.skipif(bool(obstacle()), reason=f"no host of driver qemu: {obstacle()}"),
]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[HostsLive]:
    found = HostsLive(passable(tmp_path))
    found.start()
    yield found
    found.end()


def says(live: HostsLive, machine: str, script: str) -> str:
    return live.tenuto("instance", "exec", machine, "--", "sh", "-c", script, check=True).out


def test_behaviour_64_a_machine_boots_from_the_snapshot_of_another_that_runs_on(
    live: HostsLive, tmp_path: Path
) -> None:
    h1 = live.join("h1", driver="qemu", options=("--user", plain_user()))
    live.tenuto("artifact", "upload", "tiny", str(image()), check=True)
    (tmp_path / "web.yaml").write_text(WEB)
    live.tenuto("run", str(tmp_path / "web.yaml"), "--alias", "vm", "--wait=200", check=True)

    # A file comes to the host first, and then into the guest; a second machine finds it on the snapshot.
    (tmp_path / "tools").write_bytes(b"tools" * 100_000)
    live.tenuto("artifact", "upload", "tools", str(tmp_path / "tools"), "--kind", "other", check=True)
    live.tenuto("instance", "put", "vm/Web", "/data/tools", "--artifact", "tools", "--mode", "0600", check=True)
    says(live, "vm/Web", "echo kept > /data/mark; echo of the second > /dev/vdb; sync")
    before = says(live, "vm/Web", "cat /proc/sys/kernel/random/boot_id")

    told = live.tenuto("--json", "instance", "snapshot", "vm/Web", "golden", "--all", check=True).document["Disks"]
    assert [(one["Artifact"], one["Version"]) for one in told] == [("golden-disk0", 1), ("golden-disk1", 1)]
    assert [one["VirtualSizeBytes"] for one in told] == [read_header(image()).size_bytes, GIB]
    assert says(live, "vm/Web", "cat /proc/sys/kernel/random/boot_id") == before
    [lean] = live.tenuto("--json", "instance", "snapshot", "vm/Web", "lean", "--thin", check=True).document["Disks"]
    assert lean["SizeBytes"] < told[0]["SizeBytes"]
    says(live, "vm/Web", "echo later > /data/mark; sync")
    # The host has forgotten the copies, and so has QEMU.
    [machine] = (h1.state.with_name("h1.machines") / "virtual").iterdir()
    assert not [*machine.glob("snapshots/*"), *machine.glob("disks/copy-*")]
    assert live.tenuto("--json", "plan", "vm", check=True).document["operations"] == []

    (tmp_path / "copy.yaml").write_text(COPY)
    live.tenuto("run", str(tmp_path / "copy.yaml"), "--alias", "copy", "--wait=200", check=True)
    assert says(live, "copy/Copy", "cat /data/mark; head -c 13 /dev/vdb; stat -c %s /data/tools") == (
        "kept\nof the second500000\n"
    )
    assert says(live, "copy/Lean", "cat /data/mark; stat -c %s /data/tools") == "kept\n500000\n"
    assert {one["Sha512"] for one in (*told, lean)} <= set(BlobFolder(h1.state / BLOBS).stored())

    # What cannot be is said.
    refused = live.tenuto("instance", "snapshot", "vm/Web", "golden", "--disk", "5")
    assert (refused.code, "has no disk 5" in refused.err) == (1, True), refused.err
    missing = live.tenuto("instance", "put", "vm/Web", "/data/x", "--artifact", "nothing")
    assert (missing.code, "nothing that" in missing.err) == (1, True), missing.err
    for alias in ("vm", "copy"):
        live.tenuto("kill", alias, "--wait=120", check=True)
    assert not [*(h1.state.with_name("h1.machines") / "virtual").iterdir()]
