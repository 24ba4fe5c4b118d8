"""The contents that hosts send: each for a snapshot that was ordered from that host, or the copy of a blob that the
Conductor has asked it for, and no other."""

import re
import threading

from tenuto.errors import NotAllowedError, NotFoundError, UserError
from tenuto.lifecycles.roles import is_to_stand, stands
from tenuto.model.enrolled_host import EnrolledHost
from tenuto.model.ids import ObjectId
from tenuto.model.image import DAMAGE, GIB
from tenuto.model.resource import ManagedObject
from tenuto.ports.clock import Clock
from tenuto.ports.images import ImageFiles
from tenuto.ports.store import Store
from tenuto.providers.local.objects import BLOB, OPERATION
from tenuto.providers.local.rules.machines.operations import Snapshot, UnusableCommandError, commands_of
from tenuto.providers.local.rules.machines.virtual_spec import LARGEST_GIB
from tenuto.providers.local.rules.replication import MENDER, key_of

_MEND = re.compile(r"mend-([A-Za-z0-9-]{1,60})")
_NAME = re.compile(r"([A-Za-z0-9-]{1,60})-([0-9]{1,2})-([0-9]{1,2})")


class HostParts:
    """Takes the bytes of a snapshot from the host of its machine. Thread-safe."""

    def __init__(self, store: Store, files: ImageFiles, clock: Clock) -> None:
        self._store = store
        self._files = files
        self._clock = clock
        self._turn = threading.Lock()

    def size(self, host: EnrolledHost, name: str) -> int:
        """Return the number of bytes that are there. Raises NotFoundError, in the same words for every reason."""
        part = self._part(host, name)
        found = self._files.part(part)
        return found.size if found else 0

    def append(self, host: EnrolledHost, name: str, offset: int, content: bytes) -> int:
        """Take the bytes at an offset, which must be the number of those that are there; return that of all.

        Raises NotFoundError, NotAllowedError, UserError and NoRoomError.
        """
        part, most = self._part(host, name), self._most(name)
        with self._turn:
            now = self._clock.now()
            self._files.begin(part, now)
            found = self._files.part(part)
            there = found.size if found else 0
            if offset != there:
                raise NotAllowedError(f"The next byte of {name} is number {there}, and not {offset}. Go on from there.")
            if there + len(content) > most:
                raise UserError(f"The part {name} has at most {most:,} bytes. Nothing was taken.")
            return self._files.append(part, offset, content, now)

    def _most(self, name: str) -> int:
        """The bytes that a part may have."""
        mends = _MEND.fullmatch(name)
        blob = self._store.object(ObjectId(mends.group(1))) if mends else None
        return int(blob.desired["SizeBytes"]) if blob is not None else LARGEST_GIB * GIB

    def _is_mender(self, host: EnrolledHost, blob_id: ObjectId) -> bool:
        """Whether a host is to give its copy of a blob back."""
        blob = self._store.object(blob_id)
        return (
            blob is not None
            and blob.type == BLOB
            and DAMAGE in blob.attributes
            and blob.attributes.get(MENDER) == key_of(host.zone, host.name)
        )

    def _part(self, host: EnrolledHost, name: str) -> ObjectId:
        if (mends := _MEND.fullmatch(name)) is not None and self._is_mender(host, ObjectId(mends.group(1))):
            return ObjectId(name)
        matched = _NAME.fullmatch(name) if mends is None else None
        operation = self._store.object(ObjectId(matched.group(1))) if matched else None
        if matched is None or operation is None or not _is_of(operation, host, *map(int, matched.groups()[1:])):
            raise NotFoundError(
                f"There is no snapshot {name[:80]} that the host {host.name} of {host.zone} is to send."
            )
        return ObjectId(name)


def _is_of(operation: ManagedObject, host: EnrolledHost, number: int, disk: int) -> bool:
    """Whether a host is to send a disk for the command of this number."""
    is_here = operation.partition.region == host.zone and operation.attributes.get("Host") == host.name
    is_under_way = is_to_stand(operation) and not stands(operation)
    if operation.type != OPERATION or not is_under_way or not is_here:
        return False
    try:
        commands = commands_of(operation.attributes.get("OrderedCommands"))
    except UnusableCommandError:
        return False
    wanted = commands[number] if number < len(commands) else None
    return isinstance(wanted, Snapshot) and disk in wanted.disks
