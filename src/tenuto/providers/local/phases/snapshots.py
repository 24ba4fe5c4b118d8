"""Snapshots: the contents of disks that a host has sent become versions of artifacts.

Theory of operation. A snapshot is a command of an agent operation, so it has its place in the line of its instance, is
begun at most once, and has a deadline. The host copies the disks at one moment and sends each copy to the folder of
images, as a part that is named by the operation. Here each part is read as a whole and compared with the digest that
the host told. Its digest and sizes are stored before any version is made, so a death in between costs no copy.

A snapshot becomes an image like one that was uploaded. So labels, trust, limits and machines take it as any other.

A thin one holds the differences from the base of its disk. The operation needs that base from its admission on, and
then the new blob does (`phases.parents`). The digest of its parent is in its content, and counts only when it is the
expected one: QEMU has written that file.
"""

from collections.abc import Sequence

from tenuto.errors import ConflictError, NoRoomError, NotAllowedError, TenutoError, UserError
from tenuto.model.ids import Json, JsonMap, ObjectId
from tenuto.model.image import Content, ImageFormat
from tenuto.model.resource import ManagedObject
from tenuto.ports.images import ImageFiles, ImageShelf
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.images.sealing import Seals
from tenuto.providers.local.phases.parents import MOST_LINKS, Parents
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.rules.machines.operations import Snapshot, commands_of, for_host, part_name

COMMAND = "instance snapshot"
ORDERED_COMMANDS = "OrderedCommands"
"""The attribute with the commands as the host is told them: a later version of an artifact changes nothing."""
_SEALED = "Sealed"
"""The attribute of an operation with the facts of the contents that came, by the names of their parts."""
_DRIVERS = ("qemu", "simulated", "memory")
"""The drivers whose machines have disks."""


class SnapshotLostError(Exception):
    """The snapshot cannot become a version. The message says why, and what to do."""


class SnapshotUnderWayError(Exception):
    """The content has come, and is being read. The message says so."""


class Snapshots:
    """The contents that hosts send. `take_shelf` comes before any phase runs."""

    def __init__(self, files: ImageFiles, seals: Seals, reservations: Reservations) -> None:
        self._reservations = reservations
        self._parents = Parents(reservations)
        self._files = files
        self._seals = seals
        self._shelf: ImageShelf | None = None

    def take_shelf(self, shelf: ImageShelf) -> None:
        self._shelf = shelf

    def check(self, operation: ManagedObject, instance: ManagedObject) -> None:
        """Raise SnapshotLostError for a snapshot that can come to nothing: before anything of it is made. The operation
        needs the parents of a thin one from then on."""
        for command in commands_of(operation.desired["Commands"]):
            if isinstance(command, Snapshot):
                resolved = self._check(command, instance)
                if command.is_thin:
                    self._take_parents(operation, resolved, instance)

    def _take_parents(self, operation: ManagedObject, command: Snapshot, instance: ManagedObject) -> None:
        for disk in command.disks:
            parent = self._parents.of_disk(instance.object_id, disk)
            if parent is None:
                if instance.desired["Disks"][disk].get("Base"):
                    raise SnapshotLostError(
                        f"the base of disk {disk} is an image of the host alone, which no other host has: take a whole "
                        "snapshot (without --thin)"
                    )
                continue
            if len(self._parents.below(parent.object_id)) >= MOST_LINKS:
                raise SnapshotLostError(
                    f"disk {disk} stands on {MOST_LINKS} thin images already, and each slows its guest: take a whole "
                    "snapshot (without --thin)"
                )
            try:
                self._reservations.need(operation.object_id, _role(disk), [parent.object_id])
            except ConflictError as error:
                raise SnapshotLostError(f"the base of disk {disk} cannot be used: {error}") from error

    def _check(self, command: Snapshot, instance: ManagedObject) -> Snapshot:
        driver, disks = str(instance.attributes.get("Driver", "")), len(instance.desired.get("Disks", ()))
        name = instance.logical_id
        if driver not in _DRIVERS:
            raise SnapshotLostError(f"the instance {name} has the driver {driver}, whose machines have no disks")
        if not disks:
            raise SnapshotLostError(f"the instance {name} has no disks")
        if wrong := [one for one in command.disks if one >= disks]:
            raise SnapshotLostError(
                f"the instance {name} has no disk {wrong[0]}: its disks are 0 to {disks - 1}"
                if disks > 1
                else f"the instance {name} has no disk {wrong[0]}: it has the disk 0 alone"
            )
        [resolved] = commands_of(
            for_host([{"Snapshot": command.artifact, "Disks": list(command.disks) or "all"}], {}, disks)
        )
        assert isinstance(resolved, Snapshot), "it was one"
        try:
            for disk in resolved.disks:
                self._on_shelf.check_name(instance.partition.account, resolved.name_of(disk))
        except (UserError, NotAllowedError, NoRoomError) as error:
            raise SnapshotLostError(_lowered(error)) from error
        return resolved

    def kept(
        self, run: PhaseRun, one: PhaseResource, commands: Sequence[Json], results: Sequence[JsonMap]
    ) -> list[Json]:
        """The results with the versions that the contents have become. Raises SnapshotLostError,
        SnapshotUnderWayError, and ConflictError when another writer was faster."""
        found: list[Json] = [dict(result) for result in results]
        wanted = [
            (number, disk, shown, self._parent(one.object, command, disk))
            for number, command in enumerate(commands_of(commands))
            if isinstance(command, Snapshot)
            for disk, shown in zip(command.disks, results[number]["Disks"], strict=True)
        ]
        if not wanted:
            return found
        sealed: dict[str, Json] = dict(one.attributes.get(_SEALED) or {})
        for number, disk, shown, parent in wanted:
            part = ObjectId(part_name(one.object.object_id, number, disk))
            if part not in sealed:
                sealed[part] = _document(self._sealed(part, disk, shown, parent))
                one.attributes[_SEALED] = dict(sealed)
        run.checkpoint(one)
        parsed = commands_of(commands)
        for number in sorted({number for number, *_ in wanted}):
            command = parsed[number]
            assert isinstance(command, Snapshot), "only these were wanted"
            found[number] = {"Disks": [self._version(one, number, disk, command, sealed) for disk in command.disks]}
        return found

    def _version(
        self, one: PhaseResource, number: int, disk: int, command: Snapshot, sealed: JsonMap
    ) -> dict[str, Json]:
        part = ObjectId(part_name(one.object.object_id, number, disk))
        content, parent = _content(sealed[part]), self._parent(one.object, command, disk)
        try:
            kept = self._on_shelf.keep(
                part,
                content,
                account=one.object.partition.account,
                name=command.name_of(disk),
                command=COMMAND,
                actor=f"operation {one.object.object_id}",
                source=ObjectId(str(one.attributes["Instance"])),
                parent=parent,
            )
        except FileNotFoundError as error:
            raise SnapshotLostError(
                f"the copy of disk {disk} is not on the Conductor any more: take another"
            ) from error
        except (UserError, NotAllowedError, NoRoomError) as error:
            raise SnapshotLostError(_lowered(error)) from error
        return {
            "Disk": disk,
            "Artifact": kept.name,
            "ArtifactId": kept.artifact,
            "Version": kept.index,
            "BlobId": kept.blob,
            "Sha512": content.sha512,
            "SizeBytes": content.size,
            "VirtualSizeBytes": content.virtual_size,
            **({"StandsOn": parent.object_id} if parent is not None else {}),
        }

    def _parent(self, operation: ManagedObject, command: Snapshot, disk: int) -> ManagedObject | None:
        """The blob that the copy of a disk stands on; None for a whole copy."""
        needed = self._reservations.needed(operation.object_id, _role(disk)) if command.is_thin else ()
        return self._reservations.find(needed[0]) if needed else None

    def _sealed(self, part: ObjectId, disk: int, shown: JsonMap, parent: ManagedObject | None) -> Content:
        if self._files.part(part) is None:
            raise SnapshotLostError(f"the copy of disk {disk} did not come to the Conductor: take another")
        content = self._seals.ask(part)
        if content is None:
            raise SnapshotUnderWayError(f"the copy of disk {disk} has come, and is being read")
        if content.sha512 != shown.get("Sha512"):
            raise SnapshotLostError(f"the copy of disk {disk} was changed on its way: take another")
        if content.format is not ImageFormat.QCOW2:
            raise SnapshotLostError(f"the copy of disk {disk} is no image: {content.fault or content.format.value}")
        if content.parent != (parent.desired["Sha512"] if parent is not None else ""):
            raise SnapshotLostError(f"the copy of disk {disk} stands on another image than its disk: take another")
        return content

    def let_go(self, operation: ManagedObject) -> None:
        """Let an operation that has ended need nothing any more: its thin versions need their parents."""
        for command in commands_of(operation.attributes.get(ORDERED_COMMANDS) or operation.desired["Commands"]):
            for disk in command.disks if isinstance(command, Snapshot) else ():
                self._reservations.need(operation.object_id, _role(disk), [])

    def drop(self, operation: ManagedObject) -> None:
        """Remove the parts that came for an operation and became no version."""
        for name in self._files.parts():
            if name.startswith(f"{operation.object_id}-"):
                self._files.drop(name)

    @property
    def _on_shelf(self) -> ImageShelf:
        assert self._shelf is not None, "the shelf is taken before a phase runs"
        return self._shelf


def _lowered(error: TenutoError) -> str:
    """The message of an error as a part of another one."""
    text = str(error).removesuffix(" Nothing was changed.").rstrip(".")
    return text[:1].lower() + text[1:]


def _role(disk: int) -> str:
    """The role of the relation from an operation to the base of a disk that it copies thinly."""
    return f"parent{disk}"


def _document(content: Content) -> dict[str, Json]:
    found: dict[str, Json] = {
        "Sha512": content.sha512,
        "SizeBytes": content.size,
        "VirtualSizeBytes": content.virtual_size,
    }
    return {**found, "Parent": content.parent} if content.parent else found


def _content(document: JsonMap) -> Content:
    return Content(
        sha512=str(document["Sha512"]),
        size=int(document["SizeBytes"]),
        format=ImageFormat.QCOW2,
        virtual_size=int(document["VirtualSizeBytes"]),
        parent=str(document.get("Parent", "")),
    )
