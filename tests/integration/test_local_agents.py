"""Real agents on loopback: hosts join, make what a process declares, and repair it; crashes, silence and refusals."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3
from agents import HostsLive, RealAgent, modes
from images import digest, disk
from stepped_live import library, within_time

from tenuto.providers.local.images.folder import BLOBS, BlobFolder
from tenuto.providers.local.wire.tokens import bearer

PAGE = Path(__file__).parents[2] / "docs/guide/joining.md"
BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
SHOP = """
Resources:
  Net:
    Type: Tenuto::Compute::Network
    Properties: {CidrBlock: 10.1.0.0/24}
  Nic:
    Type: Tenuto::Compute::NetworkInterface
    Properties: {Network: !Ref Net}
  Web:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 4096, Interfaces: [!Ref Nic]}
  Db:
    Type: Tenuto::Compute::Instance
    Properties: {Vcpus: 1, MemoryMiB: 4096}
"""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def live(tmp_path: Path) -> Iterator[HostsLive]:
    found = HostsLive(tmp_path)
    found.start()
    yield found
    found.stop()


def run_shop(live: HostsLive) -> None:
    file = live.folder / "shop.yaml"
    file.write_text(SHOP)
    live.tenuto("run", str(file), "--alias", "shop", "--wait=120", check=True)


def machines(*agents: RealAgent) -> dict[str, str]:
    """The power state of every machine, by object id."""
    return {key: power for agent in agents for key, power in agent.machines().items()}


def agent_of(machine: str, *agents: RealAgent) -> RealAgent:
    (found,) = (one for one in agents if machine in one.machines())
    return found


@pytest.mark.skipif(library() is None, reason="libfaketime is not installed: apt-get install libfaketime")
def test_hosts_whose_clocks_are_years_apart_work_as_others_do(tmp_path: Path) -> None:
    """Certificates of hosts do not expire, and each side counts seconds of its own steady clock."""
    live = HostsLive(tmp_path, TENUTO_NODE_DEADLINE="10")
    live.start()
    try:
        for name, offset in (("h1", "-20y"), ("h2", "+20y")):
            live.join(name, within=within_time(offset))
        run_shop(live)
        told = {one["name"]: one for one in live.tenuto("node", "list", "--json").document["hosts"]}
        assert {name: one["state"] for name, one in told.items()} == {"h1": "created", "h2": "created"}
        assert all(0 <= one["silent_s"] < 10 for one in told.values())
        assert sorted(machines(*live.agents.values()).values()) == ["on", "on"]
        live.agents["h2"].stop()
        live.until(lambda: live.tenuto("node", "show", "h2", "--json").document["state"] != "created", "it is missed")
        live.agents["h2"].start()
        live.until(lambda: live.tenuto("node", "show", "h2", "--json").document["state"] == "created", "it is back")
        live.tenuto("kill", "shop", "--wait=60", check=True)
        assert machines(*live.agents.values()) == {}
    finally:
        live.stop()


def test_hosts_join_and_keep_what_a_process_declares(live: HostsLive) -> None:
    """Behaviour 16 (killed at work: Conductor and agent) and the first part of the local cloud on real hosts."""
    h1, h2 = live.join("h1"), live.join("h2")
    assert modes(live.folder, "tenuto.nodes.pem", "h1/identity.json", "h1/journal.db") == {0o600}
    run_shop(live)
    before = machines(h1, h2)
    assert sorted(before.values()) == ["on", "on"]
    # 4 GiB of 6 GiB that may be used: each host has room for one.
    assert len(h1.machines()) == len(h2.machines()) == 1

    [machine] = h1.machines()
    h1.driver.world.stop_machine(machine)
    live.until(lambda: h1.machines()[machine] == "on", "the machine is started again")

    h2.kill_9()
    [other] = h2.machines()
    h2.driver.world.stop_machine(other)
    live.until(lambda: "does not answer" in live.asked("explain", "shop").out, "the silence is told")
    assert machines(h1, h2) == before | {other: "off (ended by signal 9)"}
    h2.start()
    live.until(lambda: h2.machines()[other] == "on", "the machine of the host that is back is started")

    live.kill_9()
    h1.driver.world.stop_machine(machine)
    live.start()
    live.until(lambda: h1.machines()[machine] == "on", "the machine is started by the next Conductor")
    assert set(machines(h1, h2)) == set(before)

    assert h2.stop() == 0
    live.until(lambda: "does not answer" in live.asked("explain", "shop").out, "the end of an agent is a silence")
    h2.start()
    live.tenuto("kill", "shop", "--wait=120", check=True)
    assert (machines(h1, h2), h1.driver.observe(), h2.driver.observe()) == ({}, [], [])


def test_the_troubles_of_a_host_are_shown_where_people_look(live: HostsLive) -> None:
    h1 = live.join("h1", options=("--address", "192.0.2.77"))
    said = "Trouble: no link of this host has the address 192.0.2.77"
    live.until(lambda: said in live.tenuto("node", "show", "h1").out, "the lost address is told")
    assert "in trouble ('tenuto node show h1')" in " ".join(live.tenuto("node", "list").out.split())
    assert h1.stop() == 0
    live.agents["h1"] = RealAgent(live, "h1")
    live.agents["h1"].start("--address", "127.0.0.1")
    live.until(lambda: "rouble" not in live.tenuto("node", "show", "h1").out, "the trouble is over")


def test_an_agent_that_may_not_join_is_told_why(live: HostsLive) -> None:
    token = live.token_file("h1")
    h1 = live.agents["h1"] = RealAgent(live, "h1")
    h1.start("--join", token)
    # A unit file keeps its options: the same agent may be given its token again.
    assert h1.stop() == 0
    h1.start("--join", token)

    def refused(name: str, text: str, *options: str) -> str:
        agent = RealAgent(live, name)
        code = agent.spawn("--join", text, *options).wait(60)
        assert code != 0
        return agent.log()

    assert "the token was used or has expired" in refused("second", token)
    assert "all users of this machine can read its command lines" in refused("open", "tenuto-join.abc")
    assert "There is no file nowhere" in refused("nowhere", "nowhere")
    assert "is empty, or its first line is" in refused("empty", live.token_file("empty", "\n"))
    assert "This is no token" in refused("third", live.token_file("third", "tenuto-join.abc"))
    assert "An agent of the host h1" in refused("fourth", live.token_file("fourth", live.token("h1")))
    assert h1.machines() == {}
    assert "Another agent has the state directory" in refused("h1", token)
    assert json.loads((h1.state / "identity.json").read_text())["name"] == "h1"


def test_the_page_about_joining_does_what_it_says(live: HostsLive) -> None:
    lines = [line for block in BLOCK.findall(PAGE.read_text()) for line in block.splitlines()]
    started, probe, enroll, join, again = (shlex.split(line)[1:] for line in lines)
    assert "KVM is" in live.tenuto(*probe, check=True).out
    assert started[:2] == ["conductor", "--provider"]
    token = live.token_file("h1", live.tenuto(*enroll, check=True).out.strip())
    agent = live.agents["h1"] = RealAgent(live, "h1")
    for words in (join, again):
        assert words[:2] == ["node", "agent"]
        given = [token if one == "token" else one for one in words[2:]]
        given[given.index("--state") + 1] = str(agent.state)
        agent.start(*given)
        assert agent.stop() == 0


def test_a_host_gets_the_image_of_its_machine_and_no_other(live: HostsLive, tmp_path: Path) -> None:
    """Behaviour 63 (wrong peer): the bytes go to the host of the machine, by its own secret."""
    h1, *others = live.join("h1"), live.join("h2"), live.join("h3")
    content = disk("base", 3 * 1024**2)
    (tmp_path / "base.img").write_bytes(content)
    live.tenuto("artifact", "upload", "base", str(tmp_path / "base.img"), check=True)
    file = tmp_path / "web.yaml"
    file.write_text(
        "Resources:\n  Web:\n    Type: Tenuto::Compute::Instance\n"
        "    Properties: {Vcpus: 1, MemoryMiB: 256, Host: h1, Disks: [{Base: base}]}\n"
    )
    live.tenuto("run", str(file), "--alias", "web", "--wait=120", check=True)
    staged = BlobFolder(h1.state / BLOBS).path(digest(content))
    assert staged.read_bytes() == content
    assert modes(h1.state, BLOBS) == {0o700}

    def status(agent: RealAgent, sha512: str) -> int:
        identity = json.loads((agent.state / "identity.json").read_text())
        secret = bearer(identity["zone"], identity["name"], identity["secret"])
        with urllib3.PoolManager(
            retries=False, cert_reqs="CERT_NONE", assert_fingerprint=identity["fingerprint"], assert_hostname=False
        ) as pool:
            headers = {"Authorization": f"Bearer {secret}"}
            return int(pool.request("GET", f"{identity['url']}/v1/node/blobs/{sha512}", headers=headers).status)

    assert status(h1, digest(content)) == 200
    [blob] = live.tenuto("--json", "blob", "list", check=True).document["objects"]
    shown = live.tenuto("--json", "blob", "show", blob["id"], check=True).document
    # One of them may keep a copy for the Conductor by now.
    keepers = {key.partition("/")[2] for key in shown["attributes"].get("Replicas") or {}}
    strangers = [one for one in others if one.name not in keepers]
    assert strangers
    for stranger in strangers:
        assert status(stranger, digest(content)) == 404
        assert not BlobFolder(stranger.state / BLOBS).stored()
    assert status(h1, "0" * 128) == status(h1, "..%2Fx") == 404
    assert live.tenuto("--json", "plan", "web", check=True).document["operations"] == []
