"""Packages of Debian, fetched and unpacked into a cache without root and without installing them.

`apt-get download` fetches from the sources that this machine trusts and checks their signatures. It names file and
digest before it fetches, and the cache knows a package by these.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tenuto.errors import UserError

KERNEL = "linux-image-cloud-amd64"
GUEST = ("busybox-static", "qemu-guest-agent")
TOOLS = ("syslinux", "syslinux-common", "mtools")
_NEEDED_PROGRAMS = ("apt-get", "apt-cache", "dpkg-deb")
_PATIENCE_S = 300.0
_LIBRARY = re.compile(r"lib(?!.*perl)[a-z0-9+.-]+")
_OFFER = re.compile(r"'\S+' (?P<file>\S+) \d+ (?P<digest>\S*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One package as its source offers it: the name of its file, and the digest of that."""

    name: str
    file: str
    digest: str


def offered() -> tuple[Package, ...]:
    """The packages that the image is made of, at their present versions. Nothing is fetched. Raises UserError."""
    if lacking := [one for one in _NEEDED_PROGRAMS if not shutil.which(one)]:
        raise UserError(
            f"The image is made of packages of Debian, and this machine lacks {', '.join(lacking)}. Build it on a "
            "Debian or Ubuntu machine, and copy the file."
        )
    names = (*_kernel(), *GUEST, *_libraries(), *TOOLS)
    # In an empty folder: of a file that is there already nothing is told.
    with tempfile.TemporaryDirectory() as empty:
        told = _run("apt-get", "download", "--print-uris", *names, folder=Path(empty))
    found = [match for line in told.splitlines() if (match := _OFFER.match(line))]
    if len(found) != len(names):
        raise UserError(
            f"The sources of this machine do not offer all of the packages {', '.join(names)}: 'apt-get update' reads "
            "them anew."
        )
    return tuple(
        Package(name=name, file=match["file"], digest=match["digest"]) for name, match in zip(names, found, strict=True)
    )


def unpacked(packages: Sequence[Package], folder: Path) -> tuple[Path, ...]:
    """The folders of the packages, below `folder` by digest. A package that is there is not fetched. Raises
    UserError."""
    return tuple(_unpacked(one, folder) for one in packages)


def digest_of(packages: Sequence[Package]) -> str:
    """A digest of everything that the packages contain."""
    return sha256("\n".join(f"{one.file} {one.digest}" for one in packages).encode()).hexdigest()


def _unpacked(package: Package, folder: Path) -> Path:
    whole = folder / sha256(f"{package.file} {package.digest}".encode()).hexdigest()[:32]
    if whole.exists():
        return whole
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as draft:
        fetched, content = Path(draft) / "fetched", Path(draft) / "content"
        fetched.mkdir()
        _run("apt-get", "download", "-q", package.name, folder=fetched)
        files = list(fetched.glob("*.deb"))
        if not files:
            raise UserError(f"The package {package.name} was not fetched; 'apt-get update' may help.")
        _run("dpkg-deb", "-x", str(files[0]), str(content), folder=fetched)
        try:
            content.rename(whole)
        except OSError:
            # Another build was faster; its content is the same.
            if not whole.exists():
                raise
    return whole


def _kernel() -> tuple[str, ...]:
    """The package with the kernel that Debian's package of this name stands for."""
    told = _run("apt-cache", "depends", KERNEL)
    names = re.findall(r"Depends: (linux-image-\S+)", told)
    if not names:
        raise UserError(f"The sources of this machine offer no {KERNEL}: 'apt-get update' reads them anew.")
    return tuple(names[:1])


def _libraries() -> tuple[str, ...]:
    """The packages of the libraries that the guest agent may need, by their names in this release."""
    without = ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")
    told = _run("apt-cache", "depends", "--recurse", *(f"--no-{one}" for one in without), GUEST[-1])
    return tuple(line for line in told.splitlines() if _LIBRARY.fullmatch(line) and line not in GUEST)


def _run(*command: str, folder: Path | None = None) -> str:
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=_PATIENCE_S
        )
    except (OSError, subprocess.TimeoutExpired) as failed:
        raise UserError(f"{command[0]} cannot be run: {failed}.") from failed
    if done.returncode:
        said = _errors_of(done.stderr) or f"it ended with {done.returncode}"
        raise UserError(f"{' '.join(command[:2])} refused: {said}. 'apt-get update' reads the sources anew.")
    return done.stdout


def _errors_of(said: str) -> str:
    """The errors among the words of apt, without its warnings and notices; all that it said where it marks none."""
    lines = [" ".join(line.split()) for line in said.splitlines()]
    return "; ".join(line[2:].strip().rstrip(".") for line in lines if line.startswith("E:")) or " ".join(lines).strip()
