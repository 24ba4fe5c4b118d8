"""Artifacts: the requests about them, and about the blobs that are their contents."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from tenuto.core.objects import fields as rules
from tenuto.core.objects import versions
from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.access import ROOT
from tenuto.model.ids import JsonMap, ObjectId
from tenuto.model.image import DAMAGE, PARENT, STAMP, ArtifactKind, Version, is_digest, versions_of
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_changes import SaveObject
from tenuto.service.accounts.accounts import known_account
from tenuto.service.accounts.sharing import Sharing
from tenuto.service.accounts.tenants import SYSTEM
from tenuto.service.common.until_stored import until_stored
from tenuto.service.images.image_stock import ImageStock, no_images
from tenuto.service.images.uploads import MOST_VERSIONS
from tenuto.service.objects.limits import BLOB_BYTES, Limits
from tenuto.service.objects.object_finding import found_object, is_over

LEAST_REFRESH_S = 60
LONGEST_URL = 2048

Sees = Callable[[str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetching:
    """A request to fetch an artifact from a URL, and to ask it again."""

    url: str
    sha512: str | None = None
    refresh_s: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The file of a version, to be read."""

    path: Path
    version: Version
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A blob after its file was read as a whole. `damage` is the text of the error in it; empty for a good one."""

    blob: ManagedObject
    damage: str


class Artifacts:
    """Every method raises NotFoundError, NotAllowedError, NoRoomError, UserError or StoreError, and then has changed
    nothing. Objects are given by their ids, after the caller was found to see them."""

    def __init__(self, stock: ImageStock | None, limits: Limits, sharing: Sharing) -> None:
        self._stock = stock
        self._limits = limits
        self.sharing = sharing

    def fetch(
        self,
        account: str,
        name: str,
        asked: Fetching,
        *,
        kind: str = ArtifactKind.IMAGE,
        most_versions: int | None = None,
        actor: str = ROOT,
    ) -> ManagedObject:
        """A new artifact that is fetched from a URL. It is there at once, and `created` when its content is."""
        stock = self._here()
        home = known_account(stock.store, account)
        if kind == ArtifactKind.LABEL:
            raise UserError("A label names contents that are there: 'tenuto artifact label NAME' makes one.")
        _check_url(asked.url)
        if asked.sha512 is not None and not is_digest(asked.sha512):
            raise UserError("A SHA-512 is written with 128 digits from 0 to 9 and a to f.")
        if asked.refresh_s and asked.refresh_s < LEAST_REFRESH_S:
            raise UserError(f"A URL is asked again after {LEAST_REFRESH_S} seconds or more, and not {asked.refresh_s}.")
        given: JsonMap = {
            "Kind": kind,
            "Url": asked.url,
            "Sha512": asked.sha512,
            "RefreshSeconds": asked.refresh_s,
            "MaxVersions": _most(most_versions),
        }
        fields = self._fields(name, given)
        self._check_free(home.name, name)
        self._limits.check_one_more_artifact(home.name)
        item, changes = stock.born_artifact(home, name, fields, actor=actor)
        stock.work.commit((stock.told(item, "artifact fetch", actor, url=asked.url), *changes))
        return self._fresh(item.object_id)

    def label(
        self, account: str, name: str, source: str, *, most_versions: int | None = None, sees: Sees, actor: str = ROOT
    ) -> ManagedObject:
        """A label whose next version is the content of a blob or of an artifact that the caller sees. The namespace is
        read once: another one may have its name by then."""
        stock = self._here()
        home = known_account(stock.store, account)
        fields = self._fields(name, {"Kind": ArtifactKind.LABEL.value, "MaxVersions": _most(most_versions)})

        @until_stored
        def attempt() -> ManagedObject:
            blob = self._content_of(source, home.name, sees)
            found = stock.named(home.name, name)
            self._limits.check(home.name, BLOB_BYTES, int(blob.desired["SizeBytes"]))
            if found is None:
                self._limits.check_one_more_artifact(home.name)
                item, changes = stock.born_artifact(home, name, fields, actor=actor, version=stock.version(blob, 1))
            else:
                if found.desired["Kind"] != ArtifactKind.LABEL or found.state != CATALOGUE[found.lifecycle].ready:
                    raise NotAllowedError(
                        f"{name} is an artifact of the kind {found.desired['Kind']} ({found.state}), and no label. "
                        "Choose another name. Nothing was changed."
                    )
                item = found
                changes = stock.added(found, stock.version(blob, versions.next_index(found.attributes)))
            stock.work.commit((stock.told(item, "artifact label", actor, blob=blob.object_id), *changes))
            return self._fresh(item.object_id)

        return attempt()

    @until_stored
    def share(self, artifact: ObjectId, *, is_shared: bool, actor: str = ROOT) -> ManagedObject:
        """Let all namespaces see an artifact of `system`, or end that."""
        stock = self._here()
        item = self._artifact(artifact)
        if item.partition.account != SYSTEM:
            raise NotAllowedError(
                f"{item.logical_id} belongs to {item.partition.account}, and only artifacts of {SYSTEM} are shared "
                f"with all. 'tenuto namespace trust {item.partition.account} NAMESPACE' lets one namespace see "
                "those of another. Nothing was changed."
            )
        if bool(item.desired.get("Shared")) == is_shared:
            return item
        marked = replace(item, desired={**item.desired, "Shared": is_shared})
        save = SaveObject(object=marked, expected_generation=item.generation, documents=True)
        word = "artifact share" if is_shared else "artifact unshare"
        stock.work.commit((stock.told(item, word, actor), save))
        return self._fresh(item.object_id)

    @until_stored
    def delete_version(self, artifact: ObjectId, index: int, *, actor: str = ROOT) -> ManagedObject:
        """Delete one version. The artifact goes with its last one."""
        stock = self._here()
        item = self._artifact(artifact)
        there = [one.index for one in versions_of(item.attributes)]
        if index not in there:
            raise NotFoundError(
                f"The artifact {item.logical_id} has no version {index}. It has {', '.join(map(str, there)) or 'none'}."
            )
        told = stock.told(item, "artifact version delete", actor, version=index)
        if len(there) > 1:
            changes = stock.removed(item, index)
        else:
            changes = stock.work.head(
                item, CATALOGUE[item.lifecycle].gone, actor=actor, reason="its last version was deleted"
            )
        stock.work.commit((told, *changes))
        return self._fresh(item.object_id)

    def declared(self, artifact: str) -> ManagedObject | None:
        """The artifact of this id that a process declares; None when there is none."""
        found = self._stock.store.object(ObjectId(artifact)) if self._stock else None
        return found if found is not None and self._stock and found.type == self._stock.keeping.declared else None

    def versions(self, artifact: ObjectId) -> tuple[Version, ...]:
        """The versions of an artifact, the oldest first."""
        return versions_of(self._any_artifact(artifact).attributes)

    def content(self, artifact: ObjectId, index: int | None = None) -> Stored:
        """The file of a version, the newest where none is named."""
        stock = self._here()
        item = self._any_artifact(artifact)
        found = [one for one in versions_of(item.attributes) if index in (None, one.index)]
        if not found or is_over(item):
            what = f"version {index}" if index is not None else "version"
            raise NotFoundError(
                f"The artifact {item.logical_id} ({item.state}) has no {what}. 'tenuto artifact versions "
                f"{item.object_id}' lists those that there are."
            )
        version = found[-1]
        stamp, blob = stock.files.stamp(version.sha512), stock.store.object(version.blob)
        if stamp is None or stamp.size != version.size or (blob is not None and DAMAGE in blob.attributes):
            raise NotAllowedError(
                f"The file of version {version.index} of {item.logical_id} is damaged or lost on the Conductor. Upload "
                f"the same file again, or delete the version ('tenuto blob show {version.blob}' tells more)."
            )
        if blob is not None and (parent := blob.attributes.get(PARENT)):
            raise NotAllowedError(
                f"Version {version.index} of {item.logical_id} is a thin snapshot: its file holds only what differs "
                f"from the image {str(parent)[:16]}…, and is no disk without it. Take a whole snapshot of a machine "
                "that was made of it ('tenuto instance snapshot'), and download that."
            )
        return Stored(path=stock.files.path(version.sha512), version=version, name=item.logical_id)

    @until_stored
    def verify(self, blob: ObjectId, *, actor: str = ROOT) -> Verified:
        """Read the whole file of a blob, and keep the result."""
        stock = self._here()
        item = found_object(stock.store, blob, (stock.blob.name,))
        if is_over(item):
            raise NotFoundError(f"There is no live blob {blob!r}. 'tenuto blob list' shows them.")
        damage, marks = self._damage(item)
        kept = {name: value for name, value in item.attributes.items() if name != DAMAGE}
        kept |= {DAMAGE: damage} if damage else marks
        if kept == item.attributes:
            return Verified(blob=item, damage=damage)
        save = SaveObject(object=replace(item, attributes=kept), expected_generation=item.generation, documents=True)
        stock.work.commit((stock.told(item, "blob verify", actor, found=damage or "good"), save))
        return Verified(blob=self._fresh(blob), damage=damage)

    def _damage(self, blob: ManagedObject) -> tuple[str, JsonMap]:
        """Return the damage of the file of a blob, and the marks of a good one."""
        files, sha512 = self._here().files, str(blob.desired["Sha512"])
        found = files.content(sha512)
        if found is None:
            return "its file is not there", {}
        if found.sha512 != sha512:
            return f"its file has {found.size:,} bytes with the SHA-512 {found.sha512[:16]}…", {}
        stamp = files.stamp(sha512)
        return "", {STAMP: stamp.document()} if stamp else {}

    def _content_of(self, source: str, account: str, sees: Sees) -> ManagedObject:
        """The blob that a reference means: of a blob, or of the newest version of an artifact. Raises NotFoundError."""
        stock = self._here()
        found = stock.store.object(ObjectId(source)) or stock.by_name(account, source)
        if found is not None and not is_over(found) and self.sharing.is_seen(found, sees):
            if found.type == stock.blob.name:
                return found
            newest = versions.newest(found.attributes) if found.lifecycle == "artifact" else None
            blob = stock.store.object(newest.blob) if newest else None
            if blob is not None:
                return blob
        raise NotFoundError(
            f"There is no blob, and no artifact with a version, {source[:80]!r} that you may see in {account}. 'tenuto "
            "artifact list' shows artifacts; one of another namespace is named by its id. Nothing was changed."
        )

    def _check_free(self, account: str, name: str) -> None:
        if self._here().named(account, name) is not None:
            raise NotAllowedError(
                f"There is an artifact {name} in {account} already. Delete it first, or choose another name. Nothing "
                "was changed."
            )

    def _fields(self, name: str, given: JsonMap) -> JsonMap:
        stock = self._here()
        rules.check_name(stock.artifact, name)
        return rules.checked_fields(stock.artifact, {member: one for member, one in given.items() if one is not None})

    def _artifact(self, artifact: ObjectId) -> ManagedObject:
        """A live artifact that a request made."""
        item = self._any_artifact(artifact)
        if item.fid is not None:
            raise NotAllowedError(
                f"The artifact {item.logical_id} is declared by a process, which alone changes it. Change its "
                "composition. Nothing was changed."
            )
        if is_over(item) or item.target == CATALOGUE[item.lifecycle].gone:
            raise NotAllowedError(f"The artifact {item.logical_id} is deleted, or about to be. Nothing was changed.")
        return item

    def _any_artifact(self, artifact: ObjectId) -> ManagedObject:
        stock = self._here()
        item = stock.store.object(artifact)
        if item is None or item.type not in (stock.artifact.name, stock.keeping.declared):
            raise NotFoundError(f"There is no artifact {artifact!r}. 'tenuto artifact list' shows them.")
        return item

    def _fresh(self, object_id: ObjectId) -> ManagedObject:
        found = self._here().store.object(object_id)
        if found is None:
            raise NotFoundError(f"Object {object_id} was removed meanwhile.")
        return found

    def _here(self) -> ImageStock:
        if self._stock is None:
            raise no_images()
        return self._stock


def _most(given: int | None) -> int | None:
    if given is not None and not 1 <= given <= MOST_VERSIONS:
        raise UserError(f"An artifact keeps from 1 to {MOST_VERSIONS} versions.")
    return given


def _check_url(url: str) -> None:
    """Raise UserError for a text that is no URL of a file."""
    try:
        parts = urlsplit(url)
        is_url = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_url = False
    if not is_url or len(url) > LONGEST_URL or not url.isprintable() or not url.isascii():
        raise UserError(f"{url[:200]!r} is no URL that begins with http:// or https:// and names a host.")
    if parts.username or parts.password:
        raise UserError("The URL holds a name or a password, which everybody who sees the artifact would read.")
