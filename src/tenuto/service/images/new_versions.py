"""The next version of an artifact, from any source of its content: an upload, a content that was known, a snapshot."""

from dataclasses import dataclass

from tenuto.core.objects import versions
from tenuto.errors import NotAllowedError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.account import Account
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.image import ArtifactKind
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_changes import StoreChange
from tenuto.service.images.image_stock import ImageStock
from tenuto.service.objects.limits import BLOB_BYTES, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVersion:
    """The artifact of a content, the index of its version, and the changes that make both; none for one that is its
    newest version already."""

    artifact: ManagedObject
    index: int
    changes: tuple[StoreChange, ...]


class NewVersions:
    """Methods raise NotAllowedError, NoRoomError, UserError and StoreError, and change nothing."""

    def __init__(self, stock: ImageStock, limits: Limits) -> None:
        self._stock = stock
        self._limits = limits

    def of(
        self, account: Account, fields: JsonMap, blob: ManagedObject, *, actor: str, command: str, **told: object
    ) -> NewVersion:
        """The next version of the artifact that `Name`, `Kind` and `MaxVersions` name, which is made where there is
        none. `command` and the words of `told` go into its event."""
        stock = self._stock
        found = self.artifact(account.name, str(fields["Name"]), str(fields["Kind"]))
        if found is None:
            version = stock.version(blob, 1)
            made = {
                "Kind": fields["Kind"],
                "RefreshSeconds": 0,
                "MaxVersions": fields["MaxVersions"],
                "Shared": False,
            }
            item, changes = stock.born_artifact(account, str(fields["Name"]), made, actor=actor, version=version)
            event = stock.told(item, command, actor, version=1, **told)
            return NewVersion(artifact=item, index=1, changes=(event, *changes))
        newest = versions.newest(found.attributes)
        if newest is not None and newest.blob == blob.object_id:
            return NewVersion(artifact=found, index=newest.index, changes=())
        version = stock.version(blob, versions.next_index(found.attributes))
        event = stock.told(found, command, actor, version=version.index, **told)
        return NewVersion(artifact=found, index=version.index, changes=(event, *stock.added(found, version)))

    def check_content(
        self, account: Account, fields: JsonMap, sha512: str, size: int, *, upload: ObjectId | None = None
    ) -> None:
        """Refuse a content that cannot become the next version of its artifact. `upload` brought it, and counts no
        more.

        This comes before its file takes its place in the stock, so that the bytes of a refused one stay with their
        sender.
        """
        found = self.artifact(account.name, str(fields["Name"]), str(fields["Kind"]))
        newest = versions.newest(found.attributes) if found is not None else None
        if newest is None or newest.sha512 != sha512:
            self._limits.check(account.name, BLOB_BYTES, size, but=upload)

    def artifact(self, account: str, name: str, kind: str) -> ManagedObject | None:
        """The artifact that is to have a new version; None when it is to be made, which the limit of the namespace
        allows."""
        found = self._stock.named(account, name)
        if found is None:
            self._limits.check_one_more_artifact(account)
            return None
        if found.desired.get("Url"):
            raise NotAllowedError(
                f"The versions of the artifact {name} come from a URL. Choose another name. Nothing was changed."
            )
        if found.desired["Kind"] != kind:
            raise NotAllowedError(
                f"The artifact {name} is of the kind {found.desired['Kind']}, and not {kind}. Choose another name, or "
                f"add to it with '{_adding(account, name, found.desired['Kind'])}'. Nothing was changed."
            )
        if found.state != CATALOGUE[found.lifecycle].ready or found.target != found.state:
            raise NotAllowedError(
                f"The artifact {name} is {found.state} and on its way to {found.target}: it takes no version now. Try "
                "again when it is gone. Nothing was changed."
            )
        return found


def _adding(account: str, name: str, kind: str) -> str:
    """The command that adds a version to an artifact: a label takes no file, and names a content that is there."""
    if kind == ArtifactKind.LABEL:
        return f"tenuto artifact label --account {account} {name} ARTIFACT"
    return f"tenuto artifact upload --account {account} --kind {kind} {name} FILE"
