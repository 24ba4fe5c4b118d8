"""The blobs that a host may have: those of the disks of machines that are, or are to be, on it, and the files that
operations put into these machines, and those of which it is to keep a copy; and the parents of the thin ones among
these."""

from pathlib import Path

from tenuto.errors import NotFoundError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.ids import ObjectId
from tenuto.model.image import is_digest
from tenuto.ports.images import ImageFiles
from tenuto.ports.store import Store
from tenuto.providers.local.objects import BLOB, OPERATION
from tenuto.providers.local.rules.machines.cloud_nodes import is_machine
from tenuto.providers.local.rules.replication import key_of

_MOST_USERS = 10_000
"""More machines of one base than that would each have it on their host by another one's order."""


class HostBlobs:
    """Finds the file of a blob for a host. A host learns nothing of blobs that its machines do not need."""

    def __init__(self, store: Store, files: ImageFiles) -> None:
        self._store = store
        self._files = files

    def path(self, host: EnrolledHost, sha512: str) -> Path:
        """Return the file. Raises NotFoundError, in the same words for every reason."""
        held = self._store.claim(f"{BLOB} Sha512", sha512) if is_digest(sha512) else None
        blob = self._store.object(held.object_id) if held and held.free_at is None else None
        is_kept = blob is not None and key_of(host.zone, host.name) in (blob.attributes.get("Replicas") or {})
        is_needed = is_kept or (blob is not None and self._is_needed(host, blob.object_id))
        if not is_needed or self._files.stamp(sha512) is None:
            raise NotFoundError(f"There is no blob {sha512[:16]} for the host {host.name} of {host.zone}.")
        return self._files.path(sha512)

    def _is_needed(self, host: EnrolledHost, blob: ObjectId) -> bool:
        """Whether a machine or an operation of the host needs the blob, or one that stands on it."""
        for one in self._store.users_of(blob, _MOST_USERS):
            if CATALOGUE[one.lifecycle].is_final(one.state):
                continue
            if one.type == BLOB and self._is_needed(host, one.object_id):
                return True
            is_there = one.partition.region == host.zone and one.attributes.get("Host") == host.name
            if (is_machine(one) or one.type == OPERATION) and is_there:
                return True
        return False
