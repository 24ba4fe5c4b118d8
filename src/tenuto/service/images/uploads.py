"""Uploads: files of a user that come in chunks, and become the next version of an artifact.

Theory of operation. An upload is an object, and a part in the folder of images. To begin one a second time, with the
same name, size and digest, gives the one that is there, so a client that was killed goes on where it stopped by giving
the same command. How many bytes are there is the size of the part, and when the last ones came is its time: a chunk
costs no write to the store. The end reads the whole file once, and is one transaction: the blob, the artifact or its
next version, and the end of the upload. One that is refused for its limits or its name keeps its bytes, and ends when
the same request comes again later.

A content that is there already need not be sent, where the caller sees a blob of it anyway; a digest alone opens
nothing of other tenants.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from tenuto.core.objects import fields as rules
from tenuto.errors import NoRoomError, NotAllowedError, NotFoundError, UserError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.access import ROOT
from tenuto.model.account import Account
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.image import GIB, ArtifactKind, Content, is_digest, told_thin, versions_of
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_changes import SaveObject, StoreChange
from tenuto.ports.store_claims import ObjectQuery
from tenuto.service.accounts.accounts import known_account, still_there
from tenuto.service.accounts.former import is_former_object
from tenuto.service.images.image_stock import ImageStock, no_images, partition_of
from tenuto.service.images.new_versions import NewVersions
from tenuto.service.objects.limits import BLOB_BYTES, UPLOADS, Limits
from tenuto.service.objects.object_finding import is_over

LARGEST_BYTES = 1024 * GIB
"""The limit of one upload. The disk of the Conductor is the limit that people meet."""
MOST_VERSIONS = 1000
_SAME = ("Name", "Kind", "SizeBytes", "Sha512")
"""The fields by which an upload that was begun before is known again."""
_BECAME = "ContentSha512"
"""The attribute of an upload that became a version, with the digest of its bytes, which may not have been announced."""
_MOST_OPEN = 1000

IsSeen = Callable[[ManagedObject], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadView:
    """An upload with its bytes so far; `artifact` is set once it has become a version of one."""

    item: ManagedObject
    offset: int
    artifact: ManagedObject | None = None
    version: int | None = None


class Uploads:
    """Every method raises NotFoundError, NotAllowedError, NoRoomError, UserError or StoreError, and then has changed
    nothing. `stock` is None where no provider keeps images."""

    def __init__(self, stock: ImageStock | None, limits: Limits) -> None:
        self._stock = stock
        self._limits = limits
        self._turns: dict[str, _Turn] = {}
        self._guard = threading.Lock()

    def begin(
        self,
        account: str,
        name: str,
        size: int,
        *,
        kind: str = ArtifactKind.IMAGE,
        sha512: str | None = None,
        most_versions: int | None = None,
        is_seen: IsSeen = lambda _: True,
        actor: str = ROOT,
    ) -> UploadView:
        """An upload for bytes that will come, or the one that was begun for them. `is_seen` is about blobs."""
        stock = self._here()
        home = known_account(stock.store, account)
        fields = self._fields(name, size, kind, sha512, most_versions)
        if sha512 is not None:
            known = stock.known(sha512)
            if known is not None and is_seen(known):
                return self._skipped(home, fields, known, actor)
            for one in self._open(home.name):
                if all(one.desired.get(member) == fields.get(member) for member in _SAME):
                    stock.files.begin(one.object_id, stock.clock.now())
                    return self._view(one)
        self._versions().artifact(home.name, name, kind)
        self._limits.check(home.name, BLOB_BYTES, size)
        self._limits.check(home.name, UPLOADS, 1)
        if stock.files.free_bytes() < size:
            raise NoRoomError(
                f"The disk of the Conductor has no room for {size:,} bytes: {stock.files.free_bytes():,} are free for "
                "images. Delete artifacts that are not needed, or give it a larger disk. Nothing was changed."
            )
        item = stock.born(stock.upload, partition_of(home), fields)
        stock.files.begin(item.object_id, item.created_at)
        told = stock.told(item, "artifact upload", actor)
        stock.work.commit((*still_there(home), told, *stock.work.begin(item, actor=actor)))
        return self._view(item)

    def show(self, account: str, upload: str) -> UploadView:
        return self._view(self._found(account, upload))

    def append(self, account: str, upload: str, offset: int, content: bytes) -> UploadView:
        """Take the bytes at an offset, which must be the number of those that are there."""
        stock = self._here()
        with self._turn(upload):
            item = self._live(account, upload)
            there = self._size(item)
            if offset != there:
                raise NotAllowedError(
                    f"The next byte of the upload {upload} is number {there}, and not {offset}. Go on from there."
                )
            size = int(item.desired["SizeBytes"])
            if there + len(content) > size:
                raise UserError(
                    f"The upload {upload} is of {size:,} bytes, and {there + len(content):,} came. Nothing was taken."
                )
            stock.files.append(item.object_id, offset, content, stock.clock.now())
            return self._view(item)

    def truncate(self, account: str, upload: str, size: int) -> UploadView:
        """Forget the bytes from this number on."""
        stock = self._here()
        with self._turn(upload):
            item = self._live(account, upload)
            if size > self._size(item):
                raise UserError(f"The upload {upload} has {self._size(item):,} bytes, and {size:,} are to stay.")
            stock.files.append(item.object_id, size, b"", stock.clock.now())
            return self._view(item)

    def finish(self, account: str, upload: str, *, actor: str = ROOT) -> UploadView:
        """Check the file, and make it the next version of its artifact. A second call gives the same answer."""
        with self._turn(upload):
            item = self._found(account, upload)
            if is_over(item) or item.target == CATALOGUE[item.lifecycle].gone:
                return self._finished(item)
            content = self._sealed(item)
            return self._here().enter(content.sha512, lambda: self._kept(item, content, actor))

    def _kept(self, item: ManagedObject, content: Content, actor: str) -> UploadView:
        stock = self._here()
        account = known_account(stock.store, item.partition.account)
        self._versions().check_content(account, item.desired, content.sha512, content.size, upload=item.object_id)
        entry = stock.entry(item.object_id, content, actor=actor)
        artifact, index, made = self._versioned(account, item.desired, entry.blob, actor)
        noted = replace(item, attributes={**item.attributes, _BECAME: content.sha512})
        ended = stock.work.head(noted, CATALOGUE[item.lifecycle].gone, actor=actor, reason="it became a blob")
        stock.work.commit((*entry.changes, *made, *map(_with_documents, ended)))
        return UploadView(item=item, offset=content.size, artifact=artifact, version=index)

    def _skipped(self, home: Account, fields: JsonMap, blob: ManagedObject, actor: str) -> UploadView:
        """Make a version of a blob that is there."""
        stock = self._here()
        self._check_content(fields, blob.desired["Format"], "")
        self._versions().check_content(home, fields, blob.desired["Sha512"], int(blob.desired["SizeBytes"]))
        artifact, index, made = self._versioned(home, fields, blob, actor)
        stock.work.commit(made)
        item = stock.born(stock.upload, partition_of(home), fields)
        return UploadView(item=item, offset=int(fields["SizeBytes"]), artifact=artifact, version=index)

    def _versioned(
        self, account: Account, fields: JsonMap, blob: ManagedObject, actor: str
    ) -> tuple[ManagedObject, int, tuple[StoreChange, ...]]:
        """The artifact of an upload, the index of the new version, and the changes that make it."""
        made = self._versions().of(account, fields, blob, actor=actor, command="artifact upload")
        return made.artifact, made.index, made.changes

    def _versions(self) -> NewVersions:
        return NewVersions(self._here(), self._limits)

    def _fields(self, name: str, size: int, kind: str, sha512: str | None, most_versions: int | None) -> JsonMap:
        stock = self._here()
        rules.check_name(stock.artifact, name)
        if not 0 < size <= LARGEST_BYTES:
            raise UserError(f"An upload has from 1 to {LARGEST_BYTES:,} bytes, and not {size:,}.")
        if sha512 is not None and not is_digest(sha512):
            raise UserError("A SHA-512 is written with 128 digits from 0 to 9 and a to f.")
        if kind == ArtifactKind.LABEL:
            raise UserError("A label names contents that are there: 'tenuto artifact label NAME' makes one.")
        if most_versions is not None and not 1 <= most_versions <= MOST_VERSIONS:
            raise UserError(f"An artifact keeps from 1 to {MOST_VERSIONS} versions.")
        given: JsonMap = {"Name": name, "SizeBytes": size, "Kind": kind, "Sha512": sha512, "MaxVersions": most_versions}
        return rules.checked_fields(stock.upload, {member: one for member, one in given.items() if one is not None})

    def _sealed(self, item: ManagedObject) -> Content:
        """The content of a complete upload. Raises NotAllowedError; a wrong one is refused and stays for its owner."""
        there, size = self._size(item), int(item.desired["SizeBytes"])
        if there != size:
            raise NotAllowedError(f"The upload {item.object_id} has {there:,} of its {size:,} bytes. Send the others.")
        content = self._here().files.seal(item.object_id)
        wanted = item.desired.get("Sha512")
        if wanted and wanted != content.sha512:
            self._here().files.append(item.object_id, 0, b"", self._here().clock.now())
            raise NotAllowedError(
                f"The bytes that came have the SHA-512 {content.sha512[:16]}…, and {wanted[:16]}… was announced: they "
                "were changed on the way, or the file was while it was sent. They were thrown away; send it again."
            )
        try:
            self._check_content(item.desired, content.format.value, content.fault, content.parent)
        except UserError:
            self._here().end(item.object_id, "it was no image")
            raise
        return content

    def _check_content(self, fields: JsonMap, found: str, fault: str, parent: str = "") -> None:
        if parent:
            raise UserError(
                f"The file for {fields['Name']} cannot be kept: {told_thin(parent)}. Nothing was made of it."
            )
        if fields["Kind"] == ArtifactKind.IMAGE and (fault or found == "data"):
            raise UserError(
                f"The file for {fields['Name']} is no image for a machine: "
                f"{fault or 'its content is known, and is no disk'}. Nothing was made of it. '--kind other' keeps any "
                "file."
            )

    def _finished(self, item: ManagedObject) -> UploadView:
        """The version that an upload has become, which has ended. Raises NotFoundError when it was deleted instead."""
        stock = self._here()
        found = stock.named(item.partition.account, str(item.desired["Name"]))
        wanted = item.attributes.get(_BECAME) or item.desired.get("Sha512")
        for version in reversed(versions_of(found.attributes) if found else ()):
            if version.sha512 == wanted:
                return UploadView(item=item, offset=version.size, artifact=found, version=version.index)
        raise NotFoundError(f"The upload {item.object_id} has ended. 'tenuto artifact list' shows what there is.")

    def _open(self, account: str) -> Iterator[ManagedObject]:
        stock = self._here()
        query = ObjectQuery(types=(stock.upload.name,), account=account, live=True, limit=_MOST_OPEN)
        return (one for one in stock.store.object_page(query) if one.target != CATALOGUE[one.lifecycle].gone)

    def _live(self, account: str, upload: str) -> ManagedObject:
        item = self._found(account, upload)
        if is_over(item) or item.target == CATALOGUE[item.lifecycle].gone:
            raise NotFoundError(f"The upload {upload} has ended: begin another one.")
        return item

    def _found(self, account: str, upload: str) -> ManagedObject:
        """The upload of this account. Another tenant's is not there."""
        stock = self._here()
        found = stock.store.object(ObjectId(upload))
        is_there = found is not None and found.type == stock.upload.name and found.partition.account == account
        if found is None or not is_there or is_former_object(stock.store, found):
            raise NotFoundError(f"There is no upload {upload!r} in {account}. 'tenuto upload list' shows them.")
        return found

    def _size(self, item: ManagedObject) -> int:
        part = self._here().files.part(item.object_id)
        if part is None:
            # A crash between the rename of the file and its record: the bytes come again.
            self._here().files.begin(item.object_id, self._here().clock.now())
            return 0
        return part.size

    def _view(self, item: ManagedObject) -> UploadView:
        part = self._here().files.part(item.object_id)
        return UploadView(item=item, offset=part.size if part else 0)

    def _here(self) -> ImageStock:
        if self._stock is None:
            raise no_images()
        return self._stock

    @contextmanager
    def _turn(self, upload: str) -> Iterator[None]:
        """One request about an upload at a time."""
        with self._guard:
            turn = self._turns.setdefault(upload, _Turn())
            turn.waiting += 1
        try:
            with turn.lock:
                yield
        finally:
            with self._guard:
                turn.waiting -= 1
                if not turn.waiting:
                    del self._turns[upload]


def _with_documents(change: StoreChange) -> StoreChange:
    """A change of an object that also writes its attributes."""
    return replace(change, documents=True) if isinstance(change, SaveObject) else change


@dataclass(slots=True)
class _Turn:
    """The lock of one upload, and the number of requests that have it or wait for it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    waiting: int = 0
