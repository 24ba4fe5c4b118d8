"""The blobs of a database, in the folder beside its file: copied with a backup, and checked with one.

Theory of operation. A blob is a file that is named by the digest of its content, and never changes. So a copy of the
folder needs no moment of its own: it is made after that of the database, and holds the blobs that that copy refers to.
Each file is read as a whole on its way, and one whose content does not match its name is left out and told. A copy that
was interrupted is completed by the next one, since a file that is there already under a digest is the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tenuto.errors import NoRoomError, UserError
from tenuto.model.ids import Instant, JsonMap, ObjectId
from tenuto.ports.store import Store
from tenuto.ports.store_claims import live_objects
from tenuto.provider_plugins import file_beside
from tenuto.providers.local.images.folder import BlobFolder
from tenuto.providers.local.making import BLOBS
from tenuto.providers.local.objects import BLOB

_BLOCK_BYTES = 4 * 1024**2
_HEAD = 16
"""The digits of a digest that are told."""
_MOST_TOLD = 20
_AT = Instant(0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blobs:
    """The blobs beside a database: their folder, how many there are, and the bytes of them."""

    folder: Path
    count: int
    size: int

    def document(self) -> JsonMap:
        return {"folder": str(self.folder), "count": self.count, "bytes": self.size}


def blobs_beside(database: Path) -> Blobs:
    """Count the blobs beside a database."""
    folder = file_beside(database, BLOBS)
    files = BlobFolder(folder)
    sizes = [stamp.size for one in _stored(folder) if (stamp := files.stamp(one))]
    return Blobs(folder=folder, count=len(sizes), size=sum(sizes))


def check_copy(database: Path, target: Path) -> None:
    """Raise UserError when the blobs of a database cannot be copied beside another file."""
    source, copy = blobs_beside(database), file_beside(target, BLOBS)
    if copy.resolve() == source.folder.resolve():
        raise UserError(
            f"The blobs of {target} would be in {copy}, which are those of the database. Name a file of another name, "
            "or in another folder."
        )
    there = set(_stored(copy))
    files = BlobFolder(source.folder)
    needed = sum(stamp.size for one in _stored(source.folder) if one not in there and (stamp := files.stamp(one)))
    free = BlobFolder(copy.parent).free_bytes() if copy.parent.is_dir() else 0
    if copy.parent.is_dir() and free < needed:
        raise UserError(
            f"There is no room for the blobs of the backup: they need {needed:,} bytes, and {free:,} are free in "
            f"{copy.parent} for them. Free some space, or name another disk."
        )


def copy_blobs(database: Path, target: Path) -> JsonMap:
    """Copy the blobs of a database beside another file. Raises UserError when the disk is full.

    The document names those that are damaged, which are left out.
    """
    source, copy = file_beside(database, BLOBS), file_beside(target, BLOBS)
    damaged = []
    if _stored(source):
        there, made = BlobFolder(source), BlobFolder(copy)
        for sha512 in there.stored():
            try:
                if not _is_copied(there, made, sha512):
                    damaged.append(sha512)
            except FileNotFoundError:
                continue  # Nothing needed it any more.
            except NoRoomError as error:
                raise UserError(
                    f"There is no room for the blobs of the backup in {copy}. What was copied of them stays there, and "
                    "the next backup of this name goes on; nothing is left of the database's copy."
                ) from error
    found = blobs_beside(target)
    return {**found.document(), "damaged": damaged}


def faults_of_blobs(database: Path, store: Store) -> tuple[list[str], list[str], JsonMap]:
    """The faults of the blobs that a database knows, notes about them, and their number. Reads each file as a whole."""
    known = {str(one.desired["Sha512"]): int(one.desired["SizeBytes"]) for one in live_objects(store, BLOB)}
    folder = file_beside(database, BLOBS)
    document: JsonMap = {"folder": str(folder), "count": len(known), "bytes": sum(known.values())}
    if not known:
        return [], [], document
    if not folder.is_dir():
        told = (
            f"Its {len(known)} {_word(known)} ({sum(known.values()):,} bytes) are not beside it: {folder} is missing. "
        )
        return [], [f"{told}After a restore the images of machines and other artifacts have no contents."], document
    files, faults = BlobFolder(folder), []
    for sha512 in sorted(known):
        content = files.content(sha512)
        if content is None:
            faults.append(f"the blob {sha512[:_HEAD]}… is not in {folder}")
        elif content.sha512 != sha512:
            faults.append(f"the blob {sha512[:_HEAD]}… in {folder} has other bytes than it had")
    if len(faults) > _MOST_TOLD:
        faults = [*faults[:_MOST_TOLD], f"{len(faults) - _MOST_TOLD} more blobs are missing or damaged"]
    return faults, [], document


def _is_copied(source: BlobFolder, target: BlobFolder, sha512: str) -> bool:
    """Copy one blob; False for one that is damaged. Raises FileNotFoundError and NoRoomError."""
    stamp, there = source.stamp(sha512), target.stamp(sha512)
    if stamp is not None and there is not None and stamp.size == there.size:
        return True
    name = ObjectId(sha512[:64])
    target.drop(name)
    target.begin(name, _AT)
    offset = 0
    for block in _blocks(source.path(sha512)):
        offset = target.append(name, offset, block, _AT)
    if target.seal(name).sha512 != sha512:
        target.drop(name)
        return False
    target.keep(name, sha512)
    return True


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block


def _stored(folder: Path) -> Sequence[str]:
    """The digests in a folder, which is not made for the question."""
    return BlobFolder(folder).stored() if folder.is_dir() else ()


def _word(found: object) -> str:
    return "blob" if isinstance(found, dict) and len(found) == 1 else "blobs"
