"""The stock of images: blobs and versions as objects, for requests and for the phases of the provider that keeps them.

Theory of operation. A blob belongs to no tenant: equal contents are one blob, in the namespace `system`, for all
senders. It is kept by a relation from each version of an artifact, each disk, each label; the store drops the relations
of an object that ends, so nothing counts references. A blob that nothing needs is removed after a while by its upkeep.

Everything is one transaction: the blob, the relation to it, the new version. The file is in its place before, so a
crash leaves a file that the next equal content takes over, and never an object without its file.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tenuto.core.objects import versions as rules
from tenuto.core.objects.fields import claims_of
from tenuto.core.objects.requested import born_alone, command_given
from tenuto.errors import ConflictError, NotAllowedError, UserError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.account import Account
from tenuto.model.claim import Relation
from tenuto.model.event import Event, EventType
from tenuto.model.ids import IdSource, Json, JsonMap, ObjectId, Partition
from tenuto.model.image import (
    DAMAGE,
    PARENT,
    PARENT_ROLE,
    STAMP,
    Content,
    Version,
    told_thin,
    version_role,
    versions_of,
)
from tenuto.model.object_type import ObjectType
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.images import ImageKeeping, KeepsImages, Stamp
from tenuto.ports.objects import ObjectWork
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, SaveObject, StoreChange
from tenuto.ports.store_claims import ExpectUnused, SaveClaims, SaveRelations
from tenuto.service.accounts.accounts import still_there
from tenuto.service.accounts.sharing import ANY, Sharing
from tenuto.service.accounts.tenants import SYSTEM
from tenuto.service.common.until_stored import until_stored
from tenuto.service.common.values import time_text
from tenuto.service.objects.managed_objects import NOWHERE
from tenuto.service.objects.object_finding import is_over

OLD_PART_S = 7 * 86400.0
"""Seconds after which bytes of an upload that is not known are of no use: a client goes on for as long."""
_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A blob that is there, or is to be made by these changes."""

    blob: ManagedObject
    changes: tuple[StoreChange, ...] = ()


class ImageStock:
    """The objects of images. Thread-safe. Methods raise ConflictError and StoreUnavailableError."""

    def __init__(
        self,
        *,
        store: Store,
        clock: Clock,
        ids: IdSource,
        work: ObjectWork,
        types: Sequence[ObjectType],
        keeping: ImageKeeping,
    ) -> None:
        named = {one.name: one for one in types}
        self.store, self.clock, self.work, self.keeping = store, clock, work, keeping
        self.files = keeping.files
        self.upload, self.blob, self.artifact = (named[one] for one in (keeping.upload, keeping.blob, keeping.artifact))
        self._ids = ids
        self._sharing = Sharing(store, keeping)
        self._entrance = threading.Lock()

    @classmethod
    def of(
        cls,
        keeper: KeepsImages | None,
        *,
        store: Store,
        clock: Clock,
        ids: IdSource,
        work: ObjectWork,
        types: Sequence[ObjectType],
    ) -> "ImageStock | None":
        """The stock of a provider that keeps images; None for none, and for one whose types were refused."""
        keeping = keeper.images() if keeper else None
        names = {one.name for one in types}
        if keeping is None or not {keeping.upload, keeping.blob, keeping.artifact} <= names:
            return None
        return cls(store=store, clock=clock, ids=ids, work=work, types=types, keeping=keeping)

    def tidy(self) -> tuple[str, ...]:
        """Remove old parts that no upload has any more, and return the digests of blobs that the store does not know.

        Those stay: a store that was restored from a backup does not know the newest ones, and the next one may. The
        next equal content takes its file over.
        """
        for name in self.files.parts():
            found, part = self.store.object(name), self.files.part(name)
            is_old = part is not None and self.clock.now() >= part.touched_at + OLD_PART_S
            if is_old and (found is None or is_over(found)):
                self.files.drop(name)
        return tuple(one for one in self.files.stored() if self._held(one) is None)

    def known(self, sha512: str) -> ManagedObject | None:
        """The blob of a digest, when its file is there and it is not on its way out."""
        found = self._held(sha512)
        if found is None or found.target == CATALOGUE[found.lifecycle].gone or DAMAGE in found.attributes:
            return None
        return found if self.files.stamp(sha512) is not None else None

    def enter(self, sha512: str, attempt: Callable[[], _Kept]) -> _Kept:
        """Let a content enter. `attempt` lets its file take its place (`entry`) and commits its blob; it is repeated
        when another writer was faster.

        One content enters at a time. So the file of a refused one, which no blob has, can be removed again, and no
        other request has found it there meanwhile. A file that was there before stays: a store that was restored from
        a backup may not know it.
        """
        with self._entrance:
            was_there = self.files.stamp(sha512) is not None
            try:
                return until_stored(attempt)()
            except (UserError, ConflictError):
                if not was_there and self._held(sha512) is None:
                    self.files.remove(sha512)
                raise

    def entry(self, part: ObjectId, content: Content, *, actor: str, parent: ManagedObject | None = None) -> Entry:
        """The blob of a sealed part, whose file is in its place from then on. Raises ConflictError while an earlier
        one of this content is being removed. For use within `enter`, with the commit of the changes.

        `parent` is the blob that a thin one stands on. A content that stands on any other blob is refused with
        UserError.
        """
        if content.parent and (parent is None or parent.desired["Sha512"] != content.parent):
            raise UserError(f"The content cannot be kept: {told_thin(content.parent)}. Nothing was changed.")
        found = self._held(content.sha512)
        if found is not None and (is_over(found) or found.target == CATALOGUE[found.lifecycle].gone):
            raise ConflictError("a blob of the same content is being removed at this moment; try again in a moment")
        if found is not None and DAMAGE in found.attributes and self.files.part(part) is not None:
            self.files.remove(content.sha512)  # The part has the right bytes for its file.
        stamp = self.files.keep(part, content.sha512)
        if found is None:
            return self._born(content, stamp, actor, parent)
        whole = {name: value for name, value in found.attributes.items() if name != DAMAGE}
        whole[STAMP] = stamp.document()
        if whole == found.attributes:
            return Entry(blob=found)
        mended = replace(found, attributes=whole)
        save = SaveObject(object=mended, expected_generation=found.generation, documents=True)
        return Entry(blob=mended, changes=(save,))

    def adopt(self, part: ObjectId, content: Content, *, owner: ObjectId, role: str) -> ObjectId:
        def attempt() -> ObjectId:
            entry = self.entry(part, content, actor=f"phase of {owner}")
            before = tuple(one for one in self.store.relations_of(owner) if one.role == role)
            wanted = Relation(from_id=owner, role=role, to_id=entry.blob.object_id)
            dropped = tuple(one for one in before if one != wanted)
            saved = () if wanted in before else (wanted,)
            self.work.commit((*entry.changes, SaveRelations(object_id=owner, saved=saved, dropped=dropped)))
            return entry.blob.object_id

        return self.enter(content.sha512, attempt)

    def blob_for(self, account: str, reference: str) -> ManagedObject | None:
        found = self.store.object(ObjectId(reference)) or self.by_name(account, reference)
        if found is None or is_over(found):
            return None
        readers = self._sharing.readers(found)
        if account not in readers and ANY not in readers:
            return None
        if found.type == self.blob.name:
            return found
        newest = rules.newest(found.attributes) if found.lifecycle == self.artifact.lifecycle else None
        return self.store.object(newest.blob) if newest else None

    def tell_damage(self, blob: ObjectId, damage: str) -> None:
        event = Event(
            at=self.clock.now(),
            type=EventType.BLOB_DAMAGED if damage else EventType.BLOB_MENDED,
            object_id=blob,
            subject=blob,
            actor="upkeep",
            reason=damage,
        )
        self.store.commit((Append(events=(event,)),))

    def tell_replica(self, blob: ObjectId, place: str, trouble: str) -> None:
        event = Event(
            at=self.clock.now(),
            type=EventType.BLOB_REPLICA,
            object_id=blob,
            subject=blob,
            actor="upkeep",
            after="lost" if trouble else "made",
            reason=f"{place}: {trouble}" if trouble else place,
            data={"host": place},
        )
        self.store.commit((Append(events=(event,)),))

    def end(self, object_id: ObjectId, reason: str) -> None:
        found = self.store.object(object_id)
        if found is None or is_over(found) or found.target == CATALOGUE[found.lifecycle].gone:
            return
        gone = CATALOGUE[found.lifecycle].gone
        self.work.commit(
            (ExpectUnused(object_id=object_id), *self.work.head(found, gone, actor="upkeep", reason=reason))
        )

    def born_artifact(
        self, home: Account, name: str, fields: JsonMap, *, actor: str, version: Version | None = None
    ) -> tuple[ManagedObject, tuple[StoreChange, ...]]:
        """A new artifact and the changes that make it, with a first version or to be fetched."""
        attributes: JsonMap = {}
        if version is not None:
            attributes = rules.with_version({}, version, int(fields["MaxVersions"])).attributes
        item = self.born(self.artifact, partition_of(home), fields, name=name, attributes=attributes)
        changes = [*still_there(home), *self.work.begin(item, actor=actor)]
        changes.append(SaveClaims(object_id=item.object_id, at=item.created_at, claimed=claims_of(self.artifact, item)))
        if version is not None:
            changes.append(SaveRelations(object_id=item.object_id, saved=(_relation(item, version),)))
        return item, tuple(changes)

    def added(self, item: ManagedObject, version: Version) -> tuple[StoreChange, ...]:
        """The changes that give an artifact another version."""
        after = rules.with_version(item.attributes, version, int(item.desired["MaxVersions"]))
        dropped = tuple(_relation(item, one) for one in after.dropped)
        return (
            SaveObject(
                object=replace(item, attributes=after.attributes), expected_generation=item.generation, documents=True
            ),
            SaveRelations(object_id=item.object_id, saved=(_relation(item, version),), dropped=dropped),
        )

    def removed(self, item: ManagedObject, index: int) -> tuple[StoreChange, ...]:
        """The changes that take a version from an artifact that has others."""
        after = rules.without_version(item.attributes, index)
        if not after.dropped or not versions_of(after.attributes):
            raise NotAllowedError(f"{item.logical_id} has no version {index} that it could lose")
        return (
            SaveObject(
                object=replace(item, attributes=after.attributes), expected_generation=item.generation, documents=True
            ),
            SaveRelations(object_id=item.object_id, dropped=tuple(_relation(item, one) for one in after.dropped)),
        )

    def version(self, blob: ManagedObject, index: int) -> Version:
        """A version of now that is this blob."""
        return Version(
            index=index,
            blob=blob.object_id,
            sha512=blob.desired["Sha512"],
            size=int(blob.desired["SizeBytes"]),
            virtual_size=int(blob.desired["VirtualSizeBytes"]),
            format=blob.desired["Format"],
            made_at=time_text(self.clock.now()) or "",
        )

    def named(self, account: str, name: str) -> ManagedObject | None:
        """The live artifact of a name in an account. Raises NotAllowedError when a process declares it."""
        found = self.by_name(account, name)
        if found is not None and found.fid is not None:
            raise NotAllowedError(
                f"The artifact {name} of {account} is declared by a process, which alone gives it versions. Change its "
                "composition, or choose another name. Nothing was changed."
            )
        return None if found is None or is_over(found) else found

    def born(
        self,
        kind: ObjectType,
        partition: Partition,
        fields: JsonMap,
        *,
        name: str | None = None,
        attributes: JsonMap | None = None,
    ) -> ManagedObject:
        """An object that is not stored yet."""
        return born_alone(
            CATALOGUE[kind.lifecycle],
            kind.name,
            partition,
            object_id=ObjectId(self._ids.new("object")),
            at=self.clock.now(),
            name=name,
            provider=kind.provider,
            desired=fields,
            attributes=attributes,
        )

    def told(self, item: ManagedObject, command: str, actor: str, **more: Json) -> Append:
        """The event of a command."""
        return Append(events=(command_given(item, command, actor, self.clock.now(), **more),))

    def by_name(self, account: str, name: str) -> ManagedObject | None:
        """The artifact that has a name in an account, whether a request or a process made it."""
        held = self.store.claim(f"{self.artifact.name} name in account {account}", name)
        return None if held is None or held.free_at is not None else self.store.object(held.object_id)

    def _held(self, sha512: str) -> ManagedObject | None:
        held = self.store.claim(f"{self.blob.name} Sha512", sha512)
        return None if held is None or held.free_at is not None else self.store.object(held.object_id)

    def _born(self, content: Content, stamp: Stamp, actor: str, parent: ManagedObject | None) -> Entry:
        fields: JsonMap = {
            "Sha512": content.sha512,
            "SizeBytes": content.size,
            "VirtualSizeBytes": content.virtual_size,
            "Format": content.format.value,
        }
        home = Partition(account=SYSTEM, region=NOWHERE)
        stands_on = {PARENT: content.parent} if content.parent else {}
        blob = self.born(self.blob, home, fields, attributes={STAMP: stamp.document(), **stands_on})
        claims = SaveClaims(object_id=blob.object_id, at=blob.created_at, claimed=claims_of(self.blob, blob))
        changes: tuple[StoreChange, ...] = (*self.work.begin(blob, actor=actor), claims)
        if content.parent and parent is not None:
            needed = Relation(from_id=blob.object_id, role=PARENT_ROLE, to_id=parent.object_id)
            changes = (*changes, SaveRelations(object_id=blob.object_id, saved=(needed,)))
        return Entry(blob=blob, changes=changes)


def partition_of(account: Account) -> Partition:
    """The partition of the objects that requests make in an account."""
    return Partition(account=account.name, region=account.region or NOWHERE)


def no_images() -> UserError:
    """The error of a Conductor whose providers keep no images."""
    return UserError(
        "No provider of this Conductor keeps images. The provider local does: 'tenuto conductor --provider local'."
    )


def _relation(item: ManagedObject, version: Version) -> Relation:
    return Relation(from_id=item.object_id, role=version_role(version.index), to_id=version.blob)
