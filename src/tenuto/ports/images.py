"""The files of images, and who makes objects of them: the ports between the service and a provider that keeps images.

Theory of operation. A provider that keeps images has a folder of *blobs*, each named by the SHA-512 of its content, and
of *parts*: files that are still coming, each named by the object that it comes for. A part is checked as a whole
(`seal`) and becomes a blob by one rename (`keep`). Objects are made by the service for requests, and by the same code
for the phases of the provider (`ImageShelf`), so a fetched image and an uploaded one are the same thing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from tenuto.model.ids import Instant, JsonMap, ObjectId, TypeName
from tenuto.model.image import Content
from tenuto.model.resource import ManagedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A file that is still coming: its bytes so far, and the moment when the last of them came."""

    size: int
    touched_at: Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The marks of a file by which a change of it shows without reading it."""

    size: int
    mtime_ns: int

    def document(self) -> JsonMap:
        return {"SizeBytes": self.size, "MtimeNs": self.mtime_ns}


class ImageFiles(Protocol):
    """The folder. Thread-safe for different names; the caller keeps calls about one name apart.

    Each method that writes raises NoRoomError when the disk is full, and StoreUnavailableError when the folder cannot
    be used.
    """

    def free_bytes(self) -> int:
        """Return the bytes that new files may take."""
        ...

    def begin(self, name: ObjectId, at: Instant) -> None:
        """Make an empty part; one that is there stays as it is."""
        ...

    def part(self, name: ObjectId) -> Part | None:
        """Return the state of a part; None when there is none."""
        ...

    def append(self, name: ObjectId, offset: int, content: bytes, at: Instant) -> int:
        """Write bytes at an offset, and forget the bytes behind it. They are on the disk when the size is returned."""
        ...

    def drop(self, name: ObjectId) -> None:
        """Remove a part; one that is not there is no error."""
        ...

    def seal(self, name: ObjectId) -> Content:
        """Read a part as a whole: its digest and its format. It is on the disk then."""
        ...

    def keep(self, name: ObjectId, sha512: str) -> Stamp:
        """Make a blob of a sealed part. A blob of this digest that has the right size stays, and the part goes.
        So it is when the part has become the blob already, by a call that a death interrupted."""
        ...

    def stamp(self, sha512: str) -> Stamp | None:
        """Return the marks of a blob; None when it is not there."""
        ...

    def content(self, sha512: str) -> Content | None:
        """Read a blob as a whole, and return its true facts; None when it is not there."""
        ...

    def remove(self, sha512: str) -> None:
        """Remove a blob; one that is not there is no error."""
        ...

    def stored(self) -> Sequence[str]:
        """Return the digests of all blobs."""
        ...

    def parts(self) -> Sequence[ObjectId]:
        """Return the names of all parts."""
        ...

    def path(self, sha512: str) -> Path:
        """Return the place of a blob, be it there or not."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptVersion:
    """The version of an artifact that a content has become."""

    artifact: ObjectId
    name: str
    index: int
    blob: ObjectId


class ImageShelf(Protocol):
    """The means by which phases of a provider make and end objects. Raises ConflictError when another writer was
    faster."""

    def adopt(self, part: ObjectId, content: Content, *, owner: ObjectId, role: str) -> ObjectId:
        """Make a blob of a sealed part, or find the one of this content, which the owner needs in this role from then
        on. Return its id."""
        ...

    def blob_for(self, account: str, reference: str) -> ManagedObject | None:
        """Return the blob that an account means by the id of a blob or of an artifact with a version, or by the name of
        an artifact of its own; None for one that it may not see."""
        ...

    def tell_damage(self, blob: ObjectId, damage: str) -> None:
        """Append the event of a blob whose file was found damaged, or good again (empty)."""
        ...

    def tell_replica(self, blob: ObjectId, place: str, trouble: str) -> None:
        """Append the event of a copy of a blob on a host, which is there now, or is no good for a reason."""
        ...

    def check_name(self, account: str, name: str) -> None:
        """Raise UserError, NotAllowedError or NoRoomError when no image of this name can have a next version."""
        ...

    def bytes_left(self, account: str, artifact: ObjectId) -> int | None:
        """Return the bytes that further contents of an account may have; None where there is no limit. Bytes on their
        way to the artifact do not count."""
        ...

    def keep(
        self,
        part: ObjectId,
        content: Content,
        *,
        account: str,
        name: str,
        command: str,
        actor: str,
        source: ObjectId,
        parent: ManagedObject | None = None,
    ) -> KeptVersion:
        """Make a sealed part the next version of the image of a name, which is made where there is none.

        A content that is its newest version stays that, so a call that a death interrupted may be made again. Raises
        UserError, NotAllowedError and NoRoomError. `command` and `source` are told by the event. `parent` is the blob
        that a thin content stands on, and stays for as long as the new one.
        """
        ...

    def end(self, object_id: ObjectId, reason: str) -> None:
        """Send an object that nothing needs to the end of its table. One that is needed, or on its way, stays so."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageKeeping:
    """The folder of a provider that keeps images, and the names of its types. `declared` is that of compositions."""

    provider: str
    files: ImageFiles
    upload: TypeName
    blob: TypeName
    artifact: TypeName
    declared: TypeName


@runtime_checkable
class KeepsImages(Protocol):
    """A provider that keeps images."""

    def images(self) -> ImageKeeping: ...

    def take_shelf(self, shelf: ImageShelf) -> None:
        """Take the shelf with which the phases make objects. Called once, before any phase runs."""
        ...


def keeper_of(providers: Sequence[object]) -> KeepsImages | None:
    """Return the first provider that keeps images."""
    return next((one for one in providers if isinstance(one, KeepsImages)), None)
