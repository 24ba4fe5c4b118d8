"""The command line of one QEMU: the parts of the machine, and the sandbox that it is in.

QEMU has an own user, no network, and of the host's files `/usr` to read, its base images to read, and its disks.
It gets its sockets and taps as descriptors, so it needs the right to make none. The filter of system calls forbids it
to start programs and to gain rights.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tenuto.providers.local.executor.virtual.disks import INSIDE, Base
from tenuto.providers.local.rules.machines.spec import Cable
from tenuto.providers.local.rules.machines.virtual_spec import VirtualSpec

PROGRAM = "qemu-system-x86_64"
DISKS, DRIVE = "/disks", "/drive"
AGENT_PORT = "org.qemu.guest_agent.0"
OVERHEAD_MIB = 256
"""The memory of a QEMU beyond that of its guest."""
_TRANSLATIONS_MIB = 64
_SYSTEM_CALLS = "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"


def sandbox(disks: Path, drive: Path | None, bases: Sequence[Base], status: int) -> list[str]:
    """The beginning of the command line: the files that the program sees. It is the first process of its own
    namespace."""
    isolated = "--unshare-all --unshare-user --disable-userns --as-pid-1 --new-session --cap-drop ALL --clearenv"
    files = "--ro-bind /usr /usr --proc /proc --dev /dev --tmpfs /tmp --dir /etc --chdir /"
    linked = "--symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64"
    own = ["--bind", str(disks), DISKS]
    if drive is not None:
        own += ["--ro-bind", str(drive), DRIVE]
    for digest, file in sorted({base.digest: base.file for base in bases}.items()):
        own += ["--ro-bind", str(file), f"{INSIDE}/{digest}"]
    return ["bwrap", *f"{isolated} {files} {linked}".split(), *own, "--json-status-fd", str(status)]


def machine(
    spec: VirtualSpec, bases: Sequence[Base | None], taps: Mapping[str, int], sockets: Mapping[str, int]
) -> list[str]:
    """The machine. `bases` has an entry for each disk; `taps` and `sockets` are descriptors, by interface and name."""
    words = [
        *(PROGRAM, "-name", spec.machine.name, "-nodefaults", "-no-user-config", "-display", "none", "-vga", "none"),
        *("-machine", "pc,usb=off", "-accel", f"tcg,tb-size={_TRANSLATIONS_MIB}", "-cpu", "Nehalem"),
        # Tenuto wakes no guest that sleeps.
        *("-global", "PIIX4_PM.disable_s3=1"),
        *("-m", str(spec.machine.memory_mib), "-smp", str(spec.machine.vcpus)),
        *("-action", "shutdown=pause,panic=pause", "-sandbox", _SYSTEM_CALLS),
    ]
    for name, descriptor in sockets.items():
        words += ["-chardev", f"socket,id={name},fd={descriptor},server=on,wait=off"]
    words += ["-mon", "chardev=monitor,mode=control", "-serial", "chardev:console"]
    words += ["-device", "virtio-serial-pci", "-device", f"virtserialport,chardev=agent,name={AGENT_PORT}"]
    words += ["-object", "rng-random,id=random,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=random"]
    for number, base in enumerate(bases):
        words += ["-blockdev", json.dumps(disk_node(number, base))]
        words += ["-device", f"virtio-blk-pci,drive=disk{number},id=device{number},bootindex={number + 1}"]
    if spec.has_drive:
        drive = {"driver": "raw", "node-name": "drive", "read-only": True, "file": _file(DRIVE, is_read_only=True)}
        words += ["-blockdev", json.dumps(drive), "-device", "virtio-blk-pci,drive=drive,id=drive0"]
    for cable in spec.machine.cables:
        words += ["-netdev", f"tap,id={net_of(cable)},fd={taps[cable.interface]}"]
        words += ["-device", ",".join(f"{key}={value}" for key, value in card(cable).items())]
    return words


def net_of(cable: Cable) -> str:
    """The name of the net of an interface in QEMU."""
    return f"net-{cable.port}"


def card_of(cable: Cable) -> str:
    """The name of the network card of an interface in QEMU."""
    return f"card-{cable.port}"


def card(cable: Cable) -> dict[str, Any]:
    """The network card of an interface. It starts nothing over the network."""
    return {
        "driver": "virtio-net-pci",
        "netdev": net_of(cable),
        "mac": cable.mac,
        "id": card_of(cable),
        "romfile": "",
    }


def disk_node(number: int, base: Base | None) -> dict[str, Any]:
    """One disk. Its base is given here, so that the name in its header, which QEMU may write, says nothing."""
    return {
        "driver": "qcow2",
        "node-name": f"disk{number}",
        "file": _file(f"{DISKS}/disk{number}", is_read_only=False),
        "backing": _base_node(base) if base is not None else None,
    }


def _base_node(base: Base) -> dict[str, Any]:
    node = {
        "driver": base.format,
        "read-only": True,
        "file": _file(f"{INSIDE}/{base.digest}", is_read_only=True),
    }
    return {**node, "backing": _base_node(base.parent)} if base.parent is not None else node


def _file(path: str, *, is_read_only: bool) -> dict[str, Any]:
    return {"driver": "file", "filename": path, "read-only": is_read_only}
