"""The blobs that a host may have: those of the disks of machines that are, or are to be, on it, and the files that
operations put into these machines, and those of which it is to keep a copy."""

from pathlib import Path

from tenuto.errors import NotFoundError
from tenuto.lifecycles.catalogue import CATALOGUE
from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.image import is_digest
from tenuto.ports.images import ImageFiles
from tenuto.ports.store import Store
from tenuto.providers.local.objects import BLOB, OPERATION
from tenuto.providers.local.rules.replication import key_of
from tenuto.providers.local.types import INSTANCE

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
        users = self._store.users_of(held.object_id, _MOST_USERS) if held and held.free_at is None else ()
        blob = self._store.object(held.object_id) if held and held.free_at is None else None
        is_kept = blob is not None and key_of(host.zone, host.name) in (blob.attributes.get("Replicas") or {})
        is_needed = is_kept or any(
            one.type in (INSTANCE, OPERATION)
            and one.partition.region == host.zone
            and one.attributes.get("Host") == host.name
            and not CATALOGUE[one.lifecycle].is_final(one.state)
            for one in users
        )
        if not is_needed or self._files.stamp(sha512) is None:
            raise NotFoundError(f"There is no blob {sha512[:16]} for the host {host.name} of {host.zone}.")
        return self._files.path(sha512)
