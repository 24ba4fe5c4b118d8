"""The disks of simulated machines: the snapshots of one, and the files on the base of a machine's first disk.

Theory of operation. A simulated disk has no bytes. A snapshot of it is a real image all the same, empty, with the size
of the disk, and behind its end, where no reader of images looks, the files that were put into the guest. So a machine
whose base is a snapshot has these files, as a real one would. A thin one has those that its parent has not, and the
digest of the parent in its header, as a real one has.
"""

import base64
import hashlib
import io
import json
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from tenuto.kit.qcow2 import DamagedDiskError, empty_image, parent_in, read_header
from tenuto.model.ids import Json, JsonMap, ObjectId
from tenuto.model.image import GIB, is_digest
from tenuto.ports.clock import Clock
from tenuto.ports.images import ImageFiles
from tenuto.providers.local.driver import NotSentError, Send

_MARK = b"\nfiles of a simulated guest: "
_LARGEST = 64 << 20


class Contents(Protocol):
    """The contents that a simulated host reads and sends."""

    def path(self, sha512: str) -> Path:
        """Return the place of a blob, be it there or not."""
        ...

    def send(self, name: str, content: bytes) -> None:
        """Send a content to the Conductor. Raises NotSentError."""
        ...


class OwnContents:
    """Implements `Contents` for simulated hosts of a Conductor: in its own folder."""

    def __init__(self, files: ImageFiles, clock: Clock) -> None:
        self._files = files
        self._clock = clock

    def path(self, sha512: str) -> Path:
        return self._files.path(sha512)

    def send(self, name: str, content: bytes) -> None:
        part, at = ObjectId(name), self._clock.now()
        self._files.begin(part, at)
        self._files.append(part, 0, content, at)


class SentContents:
    """Implements `Contents` for a host with an agent."""

    def __init__(self, blobs: ImageFiles) -> None:
        self._blobs = blobs
        self.sender: Send | None = None

    def path(self, sha512: str) -> Path:
        return self._blobs.path(sha512)

    def send(self, name: str, content: bytes) -> None:
        if self.sender is None:
            raise NotSentError("this host has no way to send it")
        self.sender(name, io.BytesIO(content), time.time() + 60.0)


def files_on(contents: Contents | None, disks: Sequence[JsonMap]) -> dict[str, bytes]:
    """The files that a new machine finds on the base of its first disk."""
    return _files_in(contents, str(disks[0].get("Base", "")) if disks else "")


def _files_in(contents: Contents | None, digest: str) -> dict[str, bytes]:
    """The files in an image, and in all that it stands on."""
    if contents is None or not is_digest(digest):
        return {}
    with suppress(OSError, ValueError):
        path = contents.path(digest)
        if path.stat().st_size <= _LARGEST:
            whole = path.read_bytes()
            _, mark, told = whole.rpartition(_MARK)
            found: JsonMap = json.loads(told) if mark else {}
            own = {name: base64.b64decode(text) for name, text in found.get("files", {}).items()}
            return {**_files_in(contents, parent_in(whole)), **own}
    return {}


def snapshot(
    contents: Contents, name: str, number: int, disk: JsonMap, files: Mapping[str, bytes], *, is_thin: bool
) -> JsonMap:
    """Send the content of a disk under a name, and return the facts of it. Raises NotSentError."""
    told: dict[str, Json] = {"disk": number, "base": disk.get("Base", "")}
    parent = str(disk.get("Base", "")) if is_thin else ""
    if number == 0:
        known = _files_in(contents, parent)
        new = {path: content for path, content in sorted(files.items()) if known.get(path) != content}
        told["files"] = {path: base64.b64encode(content).decode() for path, content in new.items()}
    image = empty_image(_size(contents, disk), _MARK + json.dumps(told, sort_keys=True).encode(), parent=parent)
    contents.send(name, image)
    return {"Disk": number, "Sha512": hashlib.sha512(image).hexdigest(), "SizeBytes": len(image)}


def _size(contents: Contents, disk: JsonMap) -> int:
    if "SizeGiB" in disk:
        return int(disk["SizeGiB"]) * GIB
    base = str(disk.get("Base", ""))
    if is_digest(base):
        with suppress(OSError):
            path = contents.path(base)
            with suppress(DamagedDiskError):
                return read_header(path).size_bytes
            return max(512, path.stat().st_size // 512 * 512)
    return GIB
