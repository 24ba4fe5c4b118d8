"""The blobs that operations put into guests: chosen when an operation is admitted, and on its host before it begins.

Theory of operation. A reference has the same meaning as for a disk: a blob, or the newest version of an artifact that
the account may see. The operation needs that blob from then on, so it stays, and its host may have it. A reference to
nothing is an error of that operation at once, so the ones behind it go on.
"""

from tenuto.errors import ConflictError
from tenuto.model.ids import Json, ObjectId
from tenuto.model.image import DAMAGE
from tenuto.model.resource import ManagedObject
from tenuto.ports.images import ImageShelf
from tenuto.ports.phase import PhaseResource
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.rules.machines.bases import BASES
from tenuto.providers.local.rules.machines.operations import LARGEST_BLOB, PutBlob, commands_of


class NoFileError(Exception):
    """An operation cannot have the blob that it is to put into its guest. The message says why, and what to do."""


class OperationFiles:
    """Takes the blobs of operations."""

    def __init__(self, reservations: Reservations) -> None:
        self._reservations = reservations
        self._shelf: ImageShelf | None = None

    def take_shelf(self, shelf: ImageShelf) -> None:
        self._shelf = shelf

    def take(self, one: PhaseResource) -> None:
        """Let an operation need its blobs. Raises NoFileError."""
        found: dict[str, ManagedObject] = {}
        for command in commands_of(one.object.desired["Commands"]):
            if isinstance(command, PutBlob) and command.blob not in found:
                found[command.blob] = self._blob(one.object, command)
        for number, blob in enumerate(found.values()):
            try:
                self._reservations.need(one.object.object_id, f"file{number}", [blob.object_id])
            except ConflictError as error:
                raise NoFileError(f"its file cannot be used: {error}") from error
        pairs: dict[str, Json] = {word: blob.desired["Sha512"] for word, blob in found.items()}
        if pairs:
            one.attributes[BASES] = pairs

    def _blob(self, operation: ManagedObject, command: PutBlob) -> ManagedObject:
        assert self._shelf is not None, "the shelf is taken before a phase runs"
        account = operation.partition.account
        blob = self._shelf.blob_for(account, command.blob)
        if blob is None:
            raise NoFileError(
                f"there is no artifact with a version, and no blob, {command.blob} that {account} may see, to put at "
                f"{command.path}: 'tenuto artifact list' shows them"
            )
        if int(blob.desired["SizeBytes"]) > LARGEST_BLOB:
            raise NoFileError(
                f"{command.blob} has {int(blob.desired['SizeBytes']):,} bytes, and a guest takes {LARGEST_BLOB:,} at "
                "most: let it fetch the file itself"
            )
        return blob

    def damage(self, operation: ManagedObject) -> str:
        """The damage of a blob of an operation on the Conductor; empty when all are good."""
        for number, word in enumerate(operation.attributes.get(BASES) or ()):
            for blob_id in self._reservations.needed(operation.object_id, f"file{number}"):
                blob = self._reservations.find(ObjectId(blob_id))
                if blob is None or DAMAGE in blob.attributes:
                    told = "it is gone" if blob is None else str(blob.attributes[DAMAGE])
                    return f"{word} is damaged on the Conductor ({told}): upload the same content again"
        return ""


def has_files(found: ManagedObject) -> bool:
    """Whether an operation puts blobs into its guest."""
    return any("Blob" in one for one in found.desired.get("Commands", ()) if isinstance(one, dict))
