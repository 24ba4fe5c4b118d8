"""The phases of artifacts: fetching, asking again, and changes of those that compositions declare.

Theory of operation. An artifact that a request made of an upload has its first version from its birth on, and no phase
waits for anything. One with a URL is fetched beside the phases (`images.fetching`). A source that is dead is a failure
only before the first version; afterwards it is told in the attribute `SourceTrouble`, and asked again in its time.
"""

from collections.abc import Sequence
from typing import Any

from tenuto.core.objects import versions as rules
from tenuto.errors import ConflictError
from tenuto.kit.times import iso_text
from tenuto.lifecycles.made_things import MadeState
from tenuto.model.ids import Json, ObjectId, Partition, PhysicalId
from tenuto.model.image import (
    DAMAGE,
    FETCHING,
    ArtifactKind,
    Content,
    ImageFormat,
    Version,
    told_thin,
    version_role,
)
from tenuto.model.observation import Owner
from tenuto.model.phase_map import Heading
from tenuto.model.resource import ManagedObject
from tenuto.ports.images import ImageFiles, ImageKeeping, ImageShelf
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.driver import Seen
from tenuto.providers.local.images.fetching import Ended, Fetched, Fetcher, Lost, Unchanged, Wanted
from tenuto.providers.local.objects import ARTIFACT, BLOB, UPLOAD
from tenuto.providers.local.phases.blobs import WATCH_BLOB_S
from tenuto.providers.local.phases.common import Described, kept_up, with_values
from tenuto.providers.local.phases.replicas import has_good_copy
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.rules.replication import MENDER
from tenuto.providers.local.types import ARTIFACT as DECLARED
from tenuto.providers.local.types import PROVIDER, completed

ASK_S = 1.0
"""Seconds between two questions about a download."""
TRIES = 3
"""Tries to fetch a first version, when another one may help."""
RETRY_S = 5.0
_REFRESH_S = 60.0
SOURCE_TROUBLE = "SourceTrouble"
_ASKED_AT, _TRIES = "asked_at", "tries"
_MARKS = ("Etag", "LastModified")
_LIVE = (MadeState.INITIAL, MadeState.CREATED, MadeState.ERROR)


class Images:
    """Makes the definitions and their handlers. `take_shelf` comes before any of them runs."""

    def __init__(self, files: ImageFiles, fetcher: Fetcher, reservations: Reservations) -> None:
        self._files = files
        self._fetcher = fetcher
        self._reservations = reservations
        self._shelf: ImageShelf | None = None

    def keeping(self) -> ImageKeeping:
        """Return the folder, and the names of the types."""
        return ImageKeeping(
            provider=PROVIDER, files=self._files, upload=UPLOAD, blob=BLOB, artifact=ARTIFACT, declared=DECLARED
        )

    def observe(self, partition: Partition) -> list[Seen]:
        """The declared artifacts of a partition, as they are. Their contents are the Conductor's own, so its store
        shows them as they are, but for files that were damaged."""
        return [self._seen(one) for one in self._reservations.declared(DECLARED, partition) if one.physical_id]

    def _seen(self, found: ManagedObject) -> Seen:
        newest = rules.newest(found.attributes)
        blob = self._reservations.find(newest.blob) if newest else None
        damage = "it is not there" if blob is None else str(blob.attributes.get(DAMAGE) or "")
        if damage and blob is not None and (mender := blob.attributes.get(MENDER)):
            damage = f"{damage}; the host {mender} gives its copy back"
        shown = completed(DECLARED, found.desired)
        return Seen(
            object_id=found.object_id,
            account=found.partition.account,
            owner=Owner(fid=found.fid, logical_id=found.logical_id, object_id=found.object_id) if found.fid else None,
            properties={**shown, "Deviations": {"blob": [damage]} if damage else None},
            attributes=found.attributes,
        )

    def take_shelf(self, shelf: ImageShelf) -> None:
        self._shelf = shelf

    @property
    def shelf(self) -> ImageShelf:
        assert self._shelf is not None, "the shelf is taken before a phase runs"
        return self._shelf

    def phases(self) -> Sequence[Described]:
        both = (ARTIFACT, DECLARED)
        made, gone = Heading.READY, Heading.GONE
        created = (MadeState.CREATED,)
        return (
            kept_up(
                "artifact.fetch",
                self._fetch,
                both,
                (MadeState.INITIAL,),
                "Fetching it",
                heading=made,
                applies=_has_no_version,
            ),
            kept_up("artifact.change", self._change, (DECLARED,), created, "Changing it", heading=made),
            kept_up(
                "artifact.refresh",
                self._refresh,
                both,
                created,
                "Asking its URL again",
                every_s=_REFRESH_S,
                applies=_is_refreshed,
            ),
            kept_up("artifact.forget", self._forget, both, _LIVE, "Dropping what was fetched", heading=gone),
        )

    def _fetch(self, run: PhaseRun) -> None:
        for one in with_values(run):
            if one.object.type == DECLARED and not self._is_named(run, one):
                continue
            if "Url" in _source(one.object):
                self._fetch_url(run, one)
            else:
                self._take(run, one)

    def _change(self, run: PhaseRun) -> None:
        """Bring an artifact to its declaration of now: fewer versions, another digest, a file that is whole."""
        for one in with_values(run):
            is_mended = bool(self._damage(one)) and self._has_copy(one)
            if self._is_stale(one) and "Url" in _source(one.object) and not is_mended:
                self._fetch_url(run, one)
                continue
            if self._damage(one):
                run.sleep(
                    one,
                    WATCH_BLOB_S,
                    "its content is damaged: the copy of a host mends it, or an upload of the same content",
                    code="Damaged",
                )
                continue
            trimmed = rules.trimmed(one.attributes, _most(one.object))
            self._drop(one, trimmed)
            self._completed(run, one)

    def _refresh(self, run: PhaseRun) -> None:
        for one in run.resources:
            data = run.data(one)
            asked_at = float(str(data.setdefault(_ASKED_AT, run.now)))
            if run.now < asked_at + float(one.object.desired["RefreshSeconds"]):
                run.complete(one)
                continue
            end = self._ask(one)
            if isinstance(end, int):
                run.sleep(one, ASK_S, _under_way(end))
                continue
            data[_ASKED_AT] = run.now
            one.attributes.pop(SOURCE_TROUBLE, None)
            if isinstance(end, Lost):
                one.attributes[SOURCE_TROUBLE] = end.cause
            elif isinstance(end, Fetched):
                newest = rules.newest(one.attributes)
                if newest is not None and newest.sha512 == end.content.sha512 and not self._damage(one):
                    self._files.drop(one.object.object_id)
                    self._remember(one, end)
                elif problem := _problem(one.object, end.content):
                    self._files.drop(one.object.object_id)
                    one.attributes[SOURCE_TROUBLE] = problem
                elif not self._has_added(run, one, end):
                    continue
            run.complete(one)

    def _fetch_url(self, run: PhaseRun, one: PhaseResource) -> None:
        end = self._ask(one)
        data = run.data(one)
        match end:
            case int():
                run.sleep(one, ASK_S, _under_way(end))
            case Lost(is_full=True):
                run.sleep(one, RETRY_S, f"{end.cause}; it is tried again", code="NoRoom")
            case Lost():
                tries = data[_TRIES] = int(str(data.get(_TRIES, 0))) + 1
                if end.may_pass and tries < TRIES:
                    run.sleep(one, RETRY_S * tries, f"{end.cause}; it is tried again", code="SourceLost")
                else:
                    run.fail(one, f"{end.cause}. Correct the URL or its source, and fetch it again", code="SourceLost")
            case Unchanged():
                run.sleep(one, RETRY_S, "its source says that nothing changed, and nothing is known; it is asked again")
            case Fetched():
                if problem := _problem(one.object, end.content):
                    self._files.drop(one.object.object_id)
                    run.fail(one, problem, code="WrongContent")
                elif self._has_added(run, one, end):
                    self._completed(run, one)

    def _ask(self, one: PhaseResource) -> Ended | int:
        """Start a download, or ask about it. Its bytes count for the namespace from the moment on that they are known;
        and a content that is beyond the limit by then is lost."""
        end = self._fetcher.ask(self._wanted(one))
        if isinstance(end, int):
            one.attributes[FETCHING] = max(end, self._fetcher.announced(one.object.object_id))
            return end
        one.attributes.pop(FETCHING, None)
        if isinstance(end, Fetched) and (problem := self._beyond(one, end.content)):
            self._files.drop(one.object.object_id)
            return Lost(cause=problem, may_pass=False)
        return end

    def _beyond(self, one: PhaseResource, content: Content) -> str:
        """The reason why a content is beyond the limit of its namespace; empty when it is not, or is there already."""
        newest = rules.newest(one.attributes)
        left = self.shelf.bytes_left(one.object.partition.account, one.object.object_id)
        if left is None or content.size <= left or (newest is not None and newest.sha512 == content.sha512):
            return ""
        account = one.object.partition.account
        return (
            f"its content has {content.size:,} bytes, and the namespace {account} may have {left:,} more: delete "
            "artifacts, or let its administrator raise the limit blob_bytes"
        )

    def _take(self, run: PhaseRun, one: PhaseResource) -> None:
        """Give a declared artifact the content of a blob, or of another artifact."""
        source = _source(one.object)
        reference = str(source.get("Blob") or source.get("Artifact") or "")
        blob = self.shelf.blob_for(run.partition.account, reference)
        if blob is None:
            run.fail(
                one,
                f"there is no blob or artifact {reference} with a content that {run.partition.account} may see. "
                "Correct Source",
                code="NoSource",
            )
            return
        facts = blob.desired
        content = Content(
            sha512=facts["Sha512"],
            size=int(facts["SizeBytes"]),
            format=ImageFormat(facts["Format"]),
            virtual_size=int(facts["VirtualSizeBytes"]),
        )
        if problem := _problem(one.object, content) or self._beyond(one, content):
            run.fail(one, problem, code="WrongContent")
            return
        index = rules.next_index(one.attributes)
        try:
            self._reservations.need(one.object.object_id, version_role(index), [blob.object_id])
        except ConflictError as error:
            run.fail(one, f"its content cannot be used: {error}", code="SourceGoing")
            return
        self._add(run, one, blob.object_id, content, index)
        self._completed(run, one)

    def _is_named(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Take the name of a declared artifact; False after the phase said why it cannot have it."""
        name, account = str(one.object.desired["Name"]), run.partition.account
        taken = self._reservations.take(one.object.object_id, f"{ARTIFACT} name in account {account}", name)
        if taken is not None:
            run.fail(
                one,
                f"the name {name} belongs to the artifact {taken.holder} of {account}: choose another Name",
                code="NameInUse",
            )
        return taken is None

    def _has_added(self, run: PhaseRun, one: PhaseResource, end: Fetched) -> bool:
        """Make a version of the fetched content; False when another try has to come."""
        newest, index = rules.newest(one.attributes), rules.next_index(one.attributes)
        is_mended = newest is not None and newest.sha512 == end.content.sha512
        if newest is not None and is_mended:
            index = newest.index
        object_id = one.object.object_id
        try:
            blob = self.shelf.adopt(object_id, end.content, owner=object_id, role=version_role(index))
        except ConflictError as error:
            run.sleep(one, RETRY_S, str(error))
            return False
        if not is_mended:
            self._add(run, one, blob, end.content, index)
        self._remember(one, end)
        return True

    def _add(self, run: PhaseRun, one: PhaseResource, blob: ObjectId, content: Content, index: int) -> None:
        version = Version(
            index=index,
            blob=blob,
            sha512=content.sha512,
            size=content.size,
            virtual_size=content.virtual_size,
            format=content.format.value,
            made_at=iso_text(run.now),
        )
        self._drop(one, rules.with_version(one.attributes, version, _most(one.object)))

    def _drop(self, one: PhaseResource, after: rules.Versioned) -> None:
        """Let an artifact have these versions, and need no other blobs."""
        for gone in after.dropped:
            self._reservations.need(one.object.object_id, gone.role, [])
        one.attributes.update(after.attributes)

    def _remember(self, one: PhaseResource, end: Fetched) -> None:
        """Keep the marks of a source by which it tells that nothing has changed."""
        for name, value in zip(_MARKS, (end.etag, end.modified), strict=True):
            one.attributes[name] = value

    def _completed(self, run: PhaseRun, one: PhaseResource) -> None:
        one.attributes["ArtifactId"] = one.object.object_id
        if one.object.type == DECLARED:
            one.physical_id = PhysicalId(one.object.object_id)
        run.complete(one)

    def _wanted(self, one: PhaseResource) -> Wanted:
        etag, modified = ("" if self._is_stale(one) else str(one.attributes.get(name) or "") for name in _MARKS)
        url = str(_source(one.object)["Url"])
        left = self.shelf.bytes_left(one.object.partition.account, one.object.object_id)
        return Wanted(part=one.object.object_id, url=url, etag=etag, modified=modified, most_bytes=left)

    def _is_stale(self, one: PhaseResource) -> bool:
        """Whether the content that an artifact has is not the one that it is to have, or is damaged."""
        newest, wanted = rules.newest(one.attributes), one.object.desired.get("Sha512")
        return newest is None or bool(wanted and newest.sha512 != wanted) or bool(self._damage(one))

    def _has_copy(self, one: PhaseResource) -> bool:
        """Whether a host has the content that an artifact has and is to have: that copy is surer than the content of
        its URL now."""
        newest, wanted = rules.newest(one.attributes), one.object.desired.get("Sha512")
        blob = self._reservations.find(newest.blob) if newest and wanted in (None, newest.sha512) else None
        return blob is not None and has_good_copy(blob)

    def _damage(self, one: PhaseResource) -> str:
        newest = rules.newest(one.attributes)
        blob = self._reservations.find(newest.blob) if newest else None
        return str(blob.attributes.get(DAMAGE) or "") if blob else ""

    def _forget(self, run: PhaseRun) -> None:
        for one in run.resources:
            self._files.drop(one.object.object_id)
            run.complete(one)


def _source(found: ManagedObject) -> dict[str, Json]:
    """The place that the content of an artifact comes from; empty for one of uploads."""
    if found.type == DECLARED:
        return dict(found.desired["Source"])
    url = found.desired.get("Url")
    return {"Url": url} if url else {}


def _most(found: ManagedObject) -> int:
    return int(found.desired.get("MaxVersions", 3))


def _has_no_version(found: Any) -> bool:
    return "Versions" not in found.attributes


def _is_refreshed(found: Any) -> bool:
    return bool(found.desired.get("RefreshSeconds")) and "Url" in _source(found)


def _problem(found: ManagedObject, content: Content) -> str:
    """The reason why a content cannot be a version of an artifact; empty when it can."""
    wanted = found.desired.get("Sha512")
    if wanted and content.sha512 != wanted:
        return f"its content has the SHA-512 {content.sha512[:16]}…, and {str(wanted)[:16]}… was asked for"
    if content.parent:
        return told_thin(content.parent)
    if found.desired.get("Kind") == ArtifactKind.IMAGE and content.format is ImageFormat.DATA:
        return f"its content is no image for a machine: {content.fault or 'it is no disk'}"
    return ""


def _under_way(size: int) -> str:
    return f"fetching it: {size:,} bytes have come"
