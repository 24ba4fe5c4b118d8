"""The phases of blobs and uploads: their files are watched, and removed when nothing needs them.

Theory of operation. A blob that nothing needs is removed after an hour. Its file is compared with its earlier state: by
its size and its time each minute, and as a whole once a day, or when the time alone differs. A difference is damage,
which an attribute and an event tell; the blob stays where it is, since the same content mends it.
"""

from collections.abc import Sequence

from tenuto.errors import ConflictError
from tenuto.lifecycles.made_things import MadeState
from tenuto.lifecycles.upload import UploadState
from tenuto.model.image import DAMAGE, STAMP
from tenuto.model.phase_map import Heading
from tenuto.ports.images import ImageFiles, ImageShelf
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.objects import BLOB, UPLOAD
from tenuto.providers.local.phases.common import Described, kept_up
from tenuto.providers.local.phases.replicas import Replicas
from tenuto.providers.local.reservations import Reservations

IDLE_S = 7 * 86400.0
"""Seconds without a byte after which an upload is deleted: a week of a client that is away."""
UNUSED_S = 3600.0
"""Seconds for which a blob stays that nothing needs: another version or label may take it up meanwhile."""
WATCH_BLOB_S = 60.0
_WATCH_UPLOAD_S = 600.0
_VERIFY_BLOB_S = 86400.0
_UNUSED_SINCE, _READ = "unused_since", "read"
_LIVE = (MadeState.INITIAL, MadeState.CREATED, MadeState.ERROR)


class Blobs:
    """Makes the definitions and their handlers. `take_shelf` comes before any of them runs."""

    def __init__(self, files: ImageFiles, reservations: Reservations, replicas: Replicas) -> None:
        self._replicas = replicas
        self._files = files
        self._reservations = reservations
        self._shelf: ImageShelf | None = None

    def take_shelf(self, shelf: ImageShelf) -> None:
        self._shelf = shelf

    @property
    def shelf(self) -> ImageShelf:
        assert self._shelf is not None, "the shelf is taken before a phase runs"
        return self._shelf

    def phases(self) -> Sequence[Described]:
        gone, created = Heading.GONE, (MadeState.CREATED,)
        return (
            kept_up("blob.watch", self._watch_blob, (BLOB,), created, "Watching its file", every_s=WATCH_BLOB_S),
            kept_up("blob.verify", self._verify, (BLOB,), created, "Reading its file", every_s=_VERIFY_BLOB_S, batch=1),
            kept_up("blob.remove", self._remove, (BLOB,), _LIVE, "Removing its file", heading=gone),
            kept_up(
                "upload.watch",
                self._watch_upload,
                (UPLOAD,),
                (UploadState.CREATED,),
                "Waiting for bytes",
                every_s=_WATCH_UPLOAD_S,
            ),
            kept_up(
                "upload.discard", self._discard, (UPLOAD,), (UploadState.CREATED,), "Dropping its bytes", heading=gone
            ),
        )

    def _watch_blob(self, run: PhaseRun) -> None:
        for one in run.resources:
            if not self._is_unused(run, one):
                self._compare(run, one, reads=False)
            run.complete(one)

    def _is_unused(self, run: PhaseRun, one: PhaseResource) -> bool:
        """Whether nothing needs a blob; one that nothing has needed for long is sent to its end."""
        data = run.data(one)
        if self._reservations.users_of(one.object.object_id):
            data.pop(_UNUSED_SINCE, None)
            return False
        since = float(str(data.setdefault(_UNUSED_SINCE, run.now)))
        if run.now >= since + UNUSED_S:
            try:
                self.shelf.end(one.object.object_id, f"nothing has needed it for {UNUSED_S:.0f} s")
            except ConflictError:
                data.pop(_UNUSED_SINCE, None)
        return True

    def _verify(self, run: PhaseRun) -> None:
        for one in run.resources:
            self._compare(run, one, reads=True)
            run.complete(one)

    def _compare(self, run: PhaseRun, one: PhaseResource, *, reads: bool) -> None:
        """Compare the file of a blob with its earlier state, by its marks or by its content; a difference is told
        once."""
        sha512, before = str(one.object.desired["Sha512"]), str(one.attributes.get(DAMAGE) or "")
        stamp, size = self._files.stamp(sha512), int(one.object.desired["SizeBytes"])
        data = run.data(one)
        is_known = stamp is not None and stamp.document() in (one.attributes.get(STAMP), data.get(_READ))
        damage = before
        if stamp is None:
            damage = "its file is not there"
        elif stamp.size != size:
            damage = f"its file has {stamp.size:,} bytes, and had {size:,}"
        elif reads or not is_known:
            content = self._files.content(sha512)
            data[_READ] = stamp.document()
            is_good = content is not None and content.sha512 == sha512
            damage = "" if is_good else "its file has other bytes than it had"
            if is_good and stamp.document() != one.attributes.get(STAMP):
                one.attributes[STAMP] = stamp.document()
        if damage == before:
            return
        if damage:
            one.attributes[DAMAGE] = damage
        else:
            one.attributes.pop(DAMAGE, None)
            stored = self._reservations.find(one.object.object_id)
            if stored is not None and DAMAGE not in stored.attributes:
                return  # Its mending from a host has told that meanwhile.
        self.shelf.tell_damage(one.object.object_id, damage)

    def _remove(self, run: PhaseRun) -> None:
        for one in run.resources:
            if not self._replicas.removed(run, one):
                continue
            self._files.remove(str(one.object.desired["Sha512"]))
            run.complete(one)

    def _watch_upload(self, run: PhaseRun) -> None:
        for one in run.resources:
            part = self._files.part(one.object.object_id)
            touched_at = part.touched_at if part else one.object.created_at
            if run.now >= touched_at + IDLE_S:
                self.shelf.end(one.object.object_id, f"no bytes came for {IDLE_S / 86400:.0f} days")
            run.complete(one)

    def _discard(self, run: PhaseRun) -> None:
        for one in run.resources:
            self._files.drop(one.object.object_id)
            run.complete(one)
