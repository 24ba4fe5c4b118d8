"""The files of the guest: the content of its memory when the kernel starts the first program.

The guest runs from memory. Its first disk, from which it was started, is mounted at `/data` and keeps the files that
are written there; the drive with its configuration is at `/config`. `init` of busybox keeps the guest agent, the
console and the daemon of the power button running.
"""

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tenuto.errors import UserError
from tenuto.providers.local.tiny.archive import Entry

MODULES = (
    *("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci"),
    *("virtio_blk", "failover", "net_failover", "virtio_net", "virtio_console"),
    *("fat", "vfat", "nls_cp437", "nls_ascii", "nls_utf8", "cdrom", "isofs", "evdev", "button"),
)
"""The modules of the kernel, each after those that it needs. One that a kernel has built in is left out."""
_FOLDERS = (
    *("bin", "sbin", "lib", "lib64", "usr", "usr/bin", "usr/sbin", "etc", "etc/acpi", "etc/acpi/PWRF"),
    *("proc", "sys", "dev", "run", "var", "var/run", "tmp", "root", "data", "config", "lib/modules"),
)
_INITTAB = """\
::sysinit:/etc/boot
::respawn:/bin/qemu-ga --method=virtio-serial --path=/dev/virtio-ports/org.qemu.guest_agent.0
::respawn:/bin/acpid -f -l /dev/null
::once:/etc/user-data
ttyS0::respawn:-/bin/sh
::ctrlaltdel:/bin/reboot
::shutdown:/bin/umount -a -r
"""
_BOOT = """\
#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts && mount -t devpts pts /dev/pts
for name in MODULES; do
  [ ! -e /lib/modules/$name.ko ] || insmod /lib/modules/$name.ko
done
mkdir -p /dev/virtio-ports
for port in /sys/class/virtio-ports/*; do
  ln -s ../${port##*/} "/dev/virtio-ports/$(cat "$port/name")"
done
mount -t vfat /dev/vda /data
for disk in /dev/vd?; do
  mount -o ro -t iso9660 $disk /config 2>/dev/null && break
done
ip link set lo up
name=$(sed -n 's/.*"hostname": "\\([a-z0-9-]*\\)".*/\\1/p' /config/openstack/latest/meta_data.json 2>/dev/null)
hostname "${name:-tiny}"
/etc/links &
echo "tiny: $(hostname) is up after $(cut -d' ' -f1 /proc/uptime) s"
"""
_LINKS = """\
#!/bin/sh
# Each link asks for its address; one that comes later, too.
known=
while :; do
  for path in /sys/class/net/eth*; do
    link=${path##*/}
    # A link that was taken out and plugged in again has its name, and another number.
    number=$(cat "$path/ifindex" 2>/dev/null) || continue
    case " $known " in *" $number "*) continue ;; esac
    known="$known $number"
    ip link set "$link" up
    udhcpc -q -f -n -t 8 -T 1 -O mtu -i "$link" -s /etc/dhcp >/dev/null 2>&1 || /etc/fixed "$link" &
  done
  sleep 2
done
"""
_FIXED = """\
#!/bin/sh
# Without a server, the addresses are those of the drive: a line for each link, "MAC ADDRESS/LENGTH ROUTER MTU".
mac=$(cat "/sys/class/net/$1/address")
while read -r owner address router mtu; do
  [ "$owner" = "$mac" ] || continue
  ip address replace "$address" dev "$1"
  ip link set "$1" mtu "$mtu"
  ip route replace default via "$router"
done < /config/tenuto/links
"""
_DHCP = """\
#!/bin/sh
[ "$1" = bound ] || [ "$1" = renew ] || exit 0
ip address replace "$ip/$mask" dev "$interface"
[ -z "$mtu" ] || ip link set "$interface" mtu "$mtu"
for one in $router; do ip route replace default via "$one"; done
: > /etc/resolv.conf
for one in $dns; do echo "nameserver $one" >> /etc/resolv.conf; done
"""
_SHUTDOWN = """\
#!/bin/sh
case "$*" in *-r*) exec reboot ;; *-H*) exec halt ;; *) exec poweroff ;; esac
"""
_USER_DATA = """\
#!/bin/sh
cd /root
[ ! -e /config/openstack/latest/user_data ] || sh /config/openstack/latest/user_data > /run/user-data.log 2>&1
"""
_SCRIPTS: Mapping[str, str] = {
    "etc/boot": _BOOT.replace("MODULES", " ".join(MODULES)),
    "etc/links": _LINKS,
    "etc/fixed": _FIXED,
    "etc/dhcp": _DHCP,
    "etc/user-data": _USER_DATA,
    "etc/acpi/PWRF/00000080": "#!/bin/sh\nexec poweroff\n",
    "sbin/shutdown": _SHUTDOWN,
}
_LOADER = "lib64/ld-linux-x86-64.so.2"
_AGENT = "usr/sbin/qemu-ga"


def texts() -> str:
    """All texts that this module puts into the image, for the digest of the builder's inputs."""
    return "\n".join((_INITTAB, *_SCRIPTS.values(), *MODULES))


def entries(roots: Sequence[Path]) -> Iterator[Entry]:
    """The files of the guest, from the unpacked packages. Raises UserError where one lacks a needed file."""
    yield from (Entry.folder(path) for path in _FOLDERS)
    busybox = found(roots, "bin/busybox", "usr/bin/busybox")
    yield Entry.file("bin/busybox", busybox.read_bytes(), 0o755)
    yield Entry.link("init", "/bin/busybox")
    for applet in _applets(busybox):
        yield Entry.link(f"bin/{applet}", "busybox")
    agent = found(roots, _AGENT)
    yield Entry.file("bin/qemu-ga", agent.read_bytes(), 0o755)
    loader = found(roots, _LOADER, f"usr/{_LOADER}")
    yield Entry.file(_LOADER, loader.read_bytes(), 0o755)
    for name, library in _libraries(roots, loader, agent):
        yield Entry.file(f"lib/{name}", library.read_bytes(), 0o755)
    yield from _modules(roots)
    yield Entry.file("etc/inittab", _INITTAB.encode())
    yield Entry.file("etc/passwd", b"root::0:0:root:/root:/bin/sh\n")
    yield Entry.file("etc/group", b"root:x:0:\n")
    for path, text in _SCRIPTS.items():
        yield Entry.file(path, text.encode(), 0o755)


def found(roots: Sequence[Path], *paths: str) -> Path:
    """The first of some files that a package has. Raises UserError."""
    for root in roots:
        for path in paths:
            if (root / path).is_file():
                return root / path
    raise UserError(f"None of the packages has {paths[0]}: this release of Debian is not known to the builder.")


def _applets(busybox: Path) -> list[str]:
    return [one for one in _told(str(busybox), "--list").split() if one != "busybox"]


def _libraries(roots: Sequence[Path], loader: Path, program: Path) -> Iterator[tuple[str, Path]]:
    """The libraries of a program, found by the loader that will load it: among the packages, and nowhere else."""
    folders = [
        str(root / path)
        for root in roots
        for path in ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")
        if (root / path).is_dir()
    ]
    told = _told(str(loader), "--inhibit-cache", "--library-path", ":".join(folders), "--list", str(program))
    for name, path in re.findall(r"^\s*(\S+) => (\S+) \(", told, re.MULTILINE):
        yield name, Path(path)


def _modules(roots: Sequence[Path]) -> Iterator[Entry]:
    kernel = next(
        (one for root in roots for one in (*root.glob("lib/modules/*"), *root.glob("usr/lib/modules/*"))), None
    )
    if kernel is None:
        raise UserError("The package of the kernel has no modules: this release of Debian is not known to the builder.")
    known = {path.stem.replace("-", "_"): path for path in kernel.rglob("*.ko")}
    for name in MODULES:
        if name in known:
            yield Entry.file(f"lib/modules/{name}.ko", known[name].read_bytes())


def _told(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError) as failed:
        raise UserError(
            f"{command[0]} cannot be run: {failed}. The image is built on machines of type amd64."
        ) from failed
