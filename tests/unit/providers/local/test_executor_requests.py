"""Requests to the executor: what no network and no machine can have is refused before anything is done."""

import json
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tenuto.kit.documents import to_document
from tenuto.model.ids import ObjectId
from tenuto.providers.local.executor.executor import Executor
from tenuto.providers.local.executor.link import serve
from tenuto.providers.local.executor.requests import (
    EnsureMachine,
    EnsureNetwork,
    EnsureVirtual,
    NetworkOrder,
    OpenChannel,
    RemoveMachine,
    RemoveVirtual,
    Request,
    ResetVirtual,
)
from tenuto.providers.local.rules.machines.spec import Cable, MachineSpec
from tenuto.providers.local.rules.machines.virtual_spec import DiskSpec, VirtualSpec
from tenuto.providers.local.rules.networks.spec import Port

CABLE = Cable(
    interface=ObjectId("if-1"),
    vni=5000,
    mac="02:00:00:00:00:01",
    address="10.1.0.10",
    prefix=24,
    router="10.1.0.1",
    mtu=1450,
)
MACHINE = MachineSpec(object_id=ObjectId("m-1"), name="web", vcpus=1, memory_mib=128, cables=(CABLE,))
VIRTUAL = VirtualSpec(machine=MACHINE, disks=(DiskSpec(base="tiny"),))
PORT = Port(object_id=ObjectId("if-1"), mac="02:00:00:00:00:01", address="10.1.0.10", host="h1")
NETWORK = NetworkOrder(
    vni=5000,
    cidr="10.1.0.0/24",
    gateway_host="h1",
    mtu=1450,
    has_dhcp=True,
    has_nat=True,
    host="h1",
    hosts={"h1": "127.0.0.1"},
    ports=(PORT,),
    uplink=0,
)


def _document(request: Request) -> Any:
    return to_document(request, as_type=Request)


def _with(document: Any, path: str, value: Any) -> Any:
    changed = json.loads(json.dumps(document))
    *above, last = path.split(".")
    place = changed
    for step in above:
        place = place[int(step)] if step.isdecimal() else place[step]
    place[last] = value
    return changed


BAD = {
    "an id that is a path": (EnsureMachine(machine=MACHINE), "machine.object_id", "../../etc"),
    "an id with a null": (EnsureMachine(machine=MACHINE), "machine.object_id", "a\x00b"),
    "a name with an option": (EnsureMachine(machine=MACHINE), "machine.name", "--bind"),
    "a power that is none": (EnsureMachine(machine=MACHINE), "machine.power", "burning"),
    "processors as a text": (EnsureMachine(machine=MACHINE), "machine.vcpus", "1"),
    "a truth value as a number": (EnsureMachine(machine=MACHINE), "machine.vcpus", True),
    "a MAC address with a line": (EnsureMachine(machine=MACHINE), "machine.cables.0.mac", "02:00:00:00:00:01\nlink"),
    "an address with a word": (EnsureMachine(machine=MACHINE), "machine.cables.0.address", "10.1.0.1 dev lo"),
    "a router that is none": (EnsureMachine(machine=MACHINE), "machine.cables.0.router", "here"),
    "a prefix too long": (EnsureMachine(machine=MACHINE), "machine.cables.0.prefix", 64),
    "user data without end": (EnsureMachine(machine=MACHINE), "machine.user_data", "x" * 100_000),
    "a field too many": (EnsureMachine(machine=MACHINE), "machine.uid", 0),
    "an unknown verb": (EnsureMachine(machine=MACHINE), "kind", "RunProgram"),
    "a port with a rule": (EnsureNetwork(network=NETWORK), "network.ports.0.mac", '"; drop'),
    "a port beyond its network": (EnsureNetwork(network=NETWORK), "network.ports.0.address", "10.2.0.1"),
    "a host without an address": (EnsureNetwork(network=NETWORK), "network.hosts.h1", "localhost"),
    "a number of no network": (EnsureNetwork(network=NETWORK), "network.vni", 2**24),
    "a way out of no network": (EnsureNetwork(network=NETWORK), "network.uplink", 20_000),
    "a base that is a path": (EnsureVirtual(machine=VIRTUAL), "machine.disks.0.base", "../../etc/shadow"),
    "a base that begins with a dot": (EnsureVirtual(machine=VIRTUAL), "machine.disks.0.base", ".hidden"),
    "a base with an option of QEMU": (EnsureVirtual(machine=VIRTUAL), "machine.disks.0.base", "x,driver=raw"),
    "no base to start from": (EnsureVirtual(machine=VIRTUAL), "machine.disks.0.base", ""),
    "a disk without end": (EnsureVirtual(machine=VIRTUAL), "machine.disks.0.size_gib", 10**9),
    "no disks": (EnsureVirtual(machine=VIRTUAL), "machine.disks", []),
    "a virtual machine whose id is a path": (EnsureVirtual(machine=VIRTUAL), "machine.machine.object_id", "../x"),
    "a virtual machine whose name is an option": (EnsureVirtual(machine=VIRTUAL), "machine.machine.name", "a,b=c"),
    "a virtual machine whose card has an option": (
        *(EnsureVirtual(machine=VIRTUAL), "machine.machine.cables.0.mac", "02:00:00:00:00:01,script=/x"),
    ),
    "a channel that is none": (OpenChannel(object_id=ObjectId("m-1"), channel="agent"), "channel", "monitor"),
    "a channel that is a path": (OpenChannel(object_id=ObjectId("m-1"), channel="agent"), "channel", "../monitor"),
    "a channel of a path": (OpenChannel(object_id=ObjectId("m-1"), channel="agent"), "object_id", "../m-1"),
    "a reset beside its folder": (ResetVirtual(object_id=ObjectId("m-1")), "object_id", "/etc"),
    "a virtual removal beside its folder": (RemoveVirtual(object_id=ObjectId("m-1")), "object_id", ".."),
    "a removal beside its folder": (RemoveMachine(object_id=ObjectId("m-1")), "object_id", "../specs"),
}


@pytest.mark.parametrize(("request_", "path", "value"), BAD.values(), ids=BAD)
def test_unusable_values_are_refused_for_good(tmp_path: Path, request_: Request, path: str, value: Any) -> None:
    answer = Executor(tmp_path, name="test").answer(_with(_document(request_), path, value))
    assert answer["is_final"], answer
    assert not list(tmp_path.iterdir())


def test_folders_of_others_are_told_and_count_as_no_thing(tmp_path: Path) -> None:
    for name in ("machines/lost+found", "virtual/web.bak", "networks/5000", "networks/notes"):
        (tmp_path / name).mkdir(parents=True)
    kept = Executor(tmp_path, name="test").kept()
    assert (kept.machines, list(kept.networks)) == ((), ["5000"])
    assert [str(Path(one).relative_to(tmp_path)) for one in kept.foreign] == [
        "machines/lost+found",
        "networks/notes",
        "virtual/web.bak",
    ]


@pytest.mark.parametrize("document", [None, [], "list", {}, {"kind": 1}, {"kind": "EnsureMachine"}])
def test_what_is_no_request_is_refused(tmp_path: Path, document: Any) -> None:
    assert Executor(tmp_path, name="test").answer(document)["is_final"]


@pytest.mark.parametrize(
    "line", [b"no json\n", b"[" * 100_000 + b"\n", b"x" * 9_000_000], ids=["no JSON", "nested", "without end"]
)
def test_an_executor_ends_when_the_other_side_talks_nonsense(tmp_path: Path, line: bytes) -> None:
    mine, its = socket.socketpair()
    serving = threading.Thread(target=serve, args=(its.detach(), Executor(tmp_path, name="test")))
    serving.start()
    with mine:
        with suppress(OSError):
            mine.sendall(line)
        serving.join(timeout=30)
    assert not serving.is_alive()
