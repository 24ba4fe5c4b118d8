"""The disk of the image `tiny`: a file system of type FAT with the kernel, its first files and the loader syslinux.

The programs that write it (mtools, syslinux) are taken from their packages and run as they are, on a file: no root, no
mount, no loop device. The result is a qcow2 file without a base. It is kept in the cache under the digest of all that
went into it, so a second build is a copy.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256, sha512
from pathlib import Path

from tenuto.errors import UserError
from tenuto.kit.qcow2 import write_image
from tenuto.providers.local.tiny import guest, packages
from tenuto.providers.local.tiny.archive import packed

SIZE_MIB = 64
"""The size of the disk: 20 MB are taken, and the rest is the guest's own."""
_SECTORS = SIZE_MIB * 2048
_CONFIGURATION = """\
DEFAULT tiny
PROMPT 0
LABEL tiny
  KERNEL vmlinuz
  INITRD initrd
  APPEND console=ttyS0 quiet panic=1
"""
_MTOOLS = ("mformat", "mcopy", "mattrib", "mmove", "mdel")


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """An image that was built, or that was in the cache."""

    file: Path
    size_bytes: int
    sha512: str
    is_from_cache: bool


def build(target: Path, cache: Path, say: Callable[[str], None]) -> Built:
    """Build the image as `target`, with a cache. Raises UserError."""
    offered = packages.offered()
    made_of = f"{packages.digest_of(offered)}\n{guest.texts()}\n{_CONFIGURATION}\n{SIZE_MIB}"
    kept = cache / f"tiny-{sha256(made_of.encode()).hexdigest()[:32]}.qcow2"
    is_from_cache = kept.exists()
    if not is_from_cache:
        say(f"fetching and unpacking {len(offered)} packages")
        roots = packages.unpacked(offered, cache / "packages")
        say("writing the image")
        _write(roots, kept)
    _copy(kept, target)
    with target.open("rb") as image:
        content = image.read()
    return Built(file=target, size_bytes=len(content), sha512=sha512(content).hexdigest(), is_from_cache=is_from_cache)


def _write(roots: Sequence[Path], kept: Path) -> None:
    kernel = next((one for root in roots for one in sorted(root.glob("boot/vmlinuz-*"))), None)
    if kernel is None:
        raise UserError("The package of the kernel has no kernel: this release of Debian is not known to the builder.")
    initrd = packed(list(guest.entries(roots)))
    with tempfile.TemporaryDirectory(dir=kept.parent) as draft:
        folder = Path(draft)
        files = {
            "vmlinuz": kernel.read_bytes(),
            "initrd": initrd,
            "syslinux.cfg": _CONFIGURATION.encode(),
        }
        disk = _disk(roots, folder, files)
        whole = folder / "image"
        write_image(disk, whole)
        whole.replace(kept)


def _disk(roots: Sequence[Path], folder: Path, files: Mapping[str, bytes]) -> Path:
    """The disk with the files, from which a machine starts."""
    mtools, syslinux = guest.found(roots, "usr/bin/mtools"), guest.found(roots, "usr/bin/syslinux")
    tools = folder / "tools"
    tools.mkdir()
    for name in _MTOOLS:
        (tools / name).symlink_to(mtools)
    disk = folder / "disk"
    with disk.open("wb") as opened:
        opened.truncate(SIZE_MIB << 20)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    # 255 heads of 63 sectors are the geometry that a BIOS gives any disk, and by which it reads the first sectors.
    _run(
        tools, str(tools / "mformat"), "-i", str(disk), "-T", str(_SECTORS), "-h", "255", "-s", "63", "-v", "TINY", "::"
    )
    _run(tools, str(tools / "mcopy"), "-i", str(disk), *(str(folder / name) for name in files), "::")
    _run(tools, str(syslinux), "--install", str(disk))
    return disk


def _run(tools: Path, *command: str) -> None:
    # syslinux starts mtools by name. Neither reads the configuration of a person.
    environment = {"PATH": f"{tools}:{os.environ.get('PATH', '')}", "MTOOLSRC": os.devnull, "LC_ALL": "C", "HOME": "/"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode:
        raise UserError(f"{Path(command[0]).name} refused: {' '.join(done.stderr.split())}.")


def _copy(kept: Path, target: Path) -> None:
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(kept, draft)
        draft.replace(target)
    except OSError as failed:
        draft.unlink(missing_ok=True)
        raise UserError(f"The image cannot be written to {target}: {failed.strerror}.") from failed
