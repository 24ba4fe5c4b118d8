"""A host of the local cloud beside the bare programs: networks, machines of both drivers, an observation of all.

Each step is measured twice at the same size: as the driver does it, without a Conductor, and by the programs alone that
are needed for it at least (ip, nft, QEMU with the same image and no sandbox). `ratio` is how many times more the driver
takes. It needs root and what a host needs; elsewhere one row says what is missing.
"""

import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tenuto.bootstrap.tools.image_builder import build_tiny
from tenuto.kit.qcow2 import write_overlay
from tenuto.kit.state_folder import StateFolder
from tenuto.model.ids import JsonMap, ObjectId, TypeName
from tenuto.model.observation import Condition
from tenuto.providers.local.driver import Spec, Wire
from tenuto.providers.local.drivers.qemu.driver import VirtualHost
from tenuto.providers.local.drivers.qemu.guest_agent import GuestAgent, GuestSilentError
from tenuto.providers.local.drivers.qemu.host import obstacle
from tenuto.providers.local.executor.link import ExecutorLink
from tenuto.providers.local.executor.requests import RemoveNetwork
from tenuto.providers.local.executor.virtual.arguments import AGENT_PORT, PROGRAM
from tenuto.providers.local.rules.networks.addresses import mac_of
from tenuto.providers.local.types import INSTANCE, NETWORK, completed

_FIRST_VNI = 12_000_000
_CIDR = "10.1.0.0/24"
_BOOT_S = 600.0
_BASE_FORMAT = "qcow2"
_TRUE = ("--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "/usr/bin/true")


def local(size: int) -> list[dict[str, Any]]:
    """`size` networks and machines of each driver on this machine."""
    if reason := obstacle():
        return [{"step": f"left out: {reason}", "resources": size}]
    with tempfile.TemporaryDirectory(prefix="tenuto-benchmark-") as name, ExitStack() as held:
        folder = Path(name)
        folder.chmod(0o711)
        images = folder / "images"
        images.mkdir()
        build_tiny(images / "tiny.qcow2", lambda _: None)
        link = ExecutorLink(folder / "executor", name=folder.name, images=images)
        held.callback(link.close)
        link.ask(RemoveNetwork(vni=_FIRST_VNI))  # The executor has started then.
        driver = VirtualHost(link, StateFolder(folder / "agent"), host="h1", address="127.0.0.1", mtu=1450)
        with _ended_in_order():
            return [_told(row | {"resources": size}) for row in _rows(driver, size, images / "tiny.qcow2", folder)]


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM be an error here: a measurement that is cut off removes what it has made."""

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise SystemExit("the measurement was ended")

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _told(row: dict[str, Any]) -> dict[str, Any]:
    """The row, which is told at once as well: twenty guests take minutes."""
    print(f"{row['step']}: {row['wall s']:.2f} s, bare {row['bare s']:.2f} s", file=sys.stderr, flush=True)
    return row


def _rows(driver: VirtualHost, size: int, image: Path, folder: Path) -> Iterator[dict[str, Any]]:
    networks = [_network(number) for number in range(size)]
    shared = [_machine(f"s{number}", number, Driver="ns") for number in range(size)]
    virtual = [
        _machine(f"v{number}", number, Disks=[{"Base": "tiny"}], ReadyWhen="agent", Interfaces=[])
        for number in range(size)
    ]
    try:
        yield _row("networks", _took(lambda: _order(driver, networks)), _took(lambda: _bare_networks(size)))
        yield _row("machines ns", _took(lambda: _order(driver, shared)), _took(lambda: _bare_shared(size)))
        yield _row("an observation of networks and machines ns", _took(driver.observe), _took(lambda: _bare_look(size)))
        ours = _took(lambda: _booted(driver, virtual))
        observed = _took(driver.observe)
        for spec in virtual:
            driver.remove([spec.object_id])
        with _bare_virtual(size, image, folder) as booted:
            yield _row("machines qemu, to the answer of the guest", ours, booted)
            yield _row("an observation of all", observed, _took(lambda: _bare_look(size)))
    finally:
        for spec in (*virtual, *shared, *networks):
            driver.remove([spec.object_id])
        _bare_end(size)


def _row(step: str, ours: float, bare: float) -> dict[str, Any]:
    return {"step": step, "wall s": ours, "bare s": bare, "ratio": ours / bare}


def _took(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def _order(driver: VirtualHost, specs: list[Spec]) -> None:
    problems = driver.ensure(specs)
    assert not problems, problems


def _booted(driver: VirtualHost, specs: list[Spec]) -> None:
    _order(driver, specs)
    end = time.monotonic() + _BOOT_S
    wanted = {spec.object_id for spec in specs}
    while wanted - {one.object_id for one in driver.observe() if one.condition is Condition.READY}:
        assert time.monotonic() < end, "the guests do not answer"
        time.sleep(0.1)


def _network(number: int) -> Spec:
    attributes = {"Vni": _FIRST_VNI + number, "GatewayHost": "h1"}
    return _spec(NETWORK, f"net-{number}", completed(NETWORK, {"CidrBlock": _CIDR}), attributes)


def _machine(name: str, number: int, **asked: object) -> Spec:
    wire = Wire(
        interface=ObjectId(f"if-{name}"),
        vni=_FIRST_VNI + number,
        cidr=_CIDR,
        mac=mac_of(name, 0),
        address="10.1.0.10",
        gateway_host="h1",
    )
    has_wire = "Interfaces" not in asked
    properties = {"Vcpus": 1, "MemoryMiB": 128, "Name": name, "Interfaces": [wire.interface], **asked}
    made = _spec(INSTANCE, f"m-{name}", completed(INSTANCE, properties), {})
    return Spec(**{one: getattr(made, one) for one in Spec.__dataclass_fields__} | {"wiring": (wire,) * has_wire})


def _spec(kind: TypeName, object_id: str, properties: JsonMap, attributes: JsonMap) -> Spec:
    return Spec(
        type=kind,
        object_id=ObjectId(object_id),
        account="bench",
        owner=None,
        host="h1",
        properties=properties,
        attributes=attributes,
    )


# The same by the programs alone.


def _bare(number: int) -> str:
    return f"tn-bare-{number}"


def _bare_networks(size: int) -> None:
    """A namespace, a bridge, a VXLAN link, an address and a table of rules for each."""
    for number in range(size):
        name = _bare(number)
        _run("ip", "netns", "add", name)
        inside = "link add br0 type bridge\naddress add 10.1.0.1/24 dev br0\nlink set br0 up\nlink set lo up\n"
        _run("ip", "-batch", "-", given=f"link add vx0 netns {name} type vxlan id {13_000_000 + number} dstport 4789\n")
        _run("ip", "-n", name, "-batch", "-", given=f"{inside}link set vx0 master br0 up\n")
        rules = "table inet x { chain c { type filter hook input priority 0; ct state established accept; }; }"
        _run("ip", "netns", "exec", name, "nft", "-f", "-", given=rules)


def _bare_shared(size: int) -> None:
    """A process in namespaces of its own, with a veth into a network, for each."""
    for number in range(size):
        name = _bare(number)
        _run("ip", "netns", "add", f"{name}-m")
        _run("ip", "-n", name, "link", "add", "p0", "type", "veth", "peer", "name", "eth0", "netns", f"{name}-m")
        _run("ip", "-n", name, "-batch", "-", given="link set p0 master br0 up\n")
        inside = "link set lo up\naddress add 10.1.0.10/24 dev eth0\nlink set eth0 up\nroute add default via 10.1.0.1\n"
        _run("ip", "-n", f"{name}-m", "-batch", "-", given=inside)
        enter = ("nsenter", f"--net=/run/netns/{name}-m", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        _run(*enter, "bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/usr", "/usr", *_TRUE)


def _bare_look(size: int) -> None:
    for number in range(size):
        for words in (("link", "show"), ("address", "show"), ("route", "show")):
            _run("ip", "-j", "-n", _bare(number), *words)
        _run("ip", "netns", "exec", _bare(number), "nft", "list", "ruleset")


def _bare_end(size: int) -> None:
    for number in range(size):
        for name in (_bare(number), f"{_bare(number)}-m"):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


@contextmanager
def _bare_virtual(size: int, image: Path, folder: Path) -> Iterator[float]:
    """QEMU alone with a disk and the guest agent; yields the seconds until all guests answer."""
    begin = time.perf_counter()
    running: list[subprocess.Popen[bytes]] = []
    try:
        for number in range(size):
            disk, way = folder / f"bare-{number}", folder / f"bare-{number}.socket"
            write_overlay(disk, 64 << 20, base=str(image), base_format=_BASE_FORMAT)
            words = "-nodefaults -display none -machine pc -accel tcg,tb-size=64 -cpu Nehalem -m 128"
            devices = ("-device", "virtio-serial-pci")
            chardev = f"socket,id=agent,path={way},server=on,wait=off"
            port = f"virtserialport,chardev=agent,name={AGENT_PORT}"
            drive = f"if=virtio,format=qcow2,file={disk}"
            command = [PROGRAM, *words.split(), *devices, "-chardev", chardev, "-device", port, "-drive", drive]
            running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for number in range(size):
            _wait_for(folder / f"bare-{number}.socket")
        yield time.perf_counter() - begin
    finally:
        for one in running:
            one.kill()
            one.wait()


def _wait_for(way: Path) -> None:
    end = time.monotonic() + _BOOT_S
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(str(way))
                GuestAgent(connection).sync(1.0)
            except (OSError, GuestSilentError):
                time.sleep(0.1)
                continue
            return
    raise AssertionError("the guest of the bare QEMU does not answer")


def _run(*command: str, given: str = "") -> None:
    program = shutil.which(command[0])
    assert program is not None
    subprocess.run([program, *command[1:]], input=given, check=True, capture_output=True, text=True, timeout=30)
