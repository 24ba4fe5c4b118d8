"""The shelf of images: the calls about objects that the phases of the provider of images may make."""

from tenuto.core.objects.fields import check_name
from tenuto.model.ids import ObjectId
from tenuto.model.image import ArtifactKind, Content
from tenuto.model.resource import ManagedObject
from tenuto.ports.images import KeptVersion
from tenuto.service.accounts.accounts import known_account
from tenuto.service.images.image_stock import ImageStock
from tenuto.service.images.new_versions import NewVersions
from tenuto.service.objects.limits import Limits

MOST_VERSIONS = 3
"""The versions that an artifact keeps which a snapshot makes, as for every artifact that does not say otherwise."""


class Shelf:
    """Implements `ports.images.ImageShelf`. Thread-safe."""

    def __init__(self, stock: ImageStock, limits: Limits) -> None:
        self._stock = stock
        self._limits = limits
        self._versions = NewVersions(stock, limits)

    def adopt(self, part: ObjectId, content: Content, *, owner: ObjectId, role: str) -> ObjectId:
        return self._stock.adopt(part, content, owner=owner, role=role)

    def blob_for(self, account: str, reference: str) -> ManagedObject | None:
        return self._stock.blob_for(account, reference)

    def tell_damage(self, blob: ObjectId, damage: str) -> None:
        self._stock.tell_damage(blob, damage)

    def tell_replica(self, blob: ObjectId, place: str, trouble: str) -> None:
        self._stock.tell_replica(blob, place, trouble)

    def end(self, object_id: ObjectId, reason: str) -> None:
        self._stock.end(object_id, reason)

    def check_name(self, account: str, name: str) -> None:
        check_name(self._stock.artifact, name)
        self._versions.artifact(account, name, ArtifactKind.IMAGE)

    def bytes_left(self, account: str, artifact: ObjectId) -> int | None:
        return self._limits.bytes_left(account, but_fetched=artifact)

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
        home = known_account(self._stock.store, account)
        fields = {"Name": name, "Kind": ArtifactKind.IMAGE.value, "MaxVersions": MOST_VERSIONS}

        def attempt() -> KeptVersion:
            self._versions.check_content(home, fields, content.sha512, content.size)
            entry = self._stock.entry(part, content, actor=actor, parent=parent)
            made = self._versions.of(home, fields, entry.blob, actor=actor, command=command, source=source)
            self._stock.work.commit((*entry.changes, *made.changes))
            return KeptVersion(artifact=made.artifact.object_id, name=name, index=made.index, blob=entry.blob.object_id)

        return self._stock.enter(content.sha512, attempt)
