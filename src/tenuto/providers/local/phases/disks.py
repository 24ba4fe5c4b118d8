"""The bases of the disks of machines: which blob each of them is, from the first order for the machine on.

Theory of operation. A disk begins with the newest version of an artifact, and keeps that content: a later version
changes no machine that exists. The choice is a relation of the machine, in the role of the disk, which also keeps the
blob for as long as the machine is there. Hosts know nothing of artifacts: they are told digests. The digests that they
show are put back into the words of the composition by the pairs that the order has carried (`BASES`), so no sweep reads
the store.

A name that is no artifact of the namespace is left to the host, which may have an image of that name in its folder.
"""

from dataclasses import dataclass

from tenuto.errors import ConflictError
from tenuto.model.ids import Json, JsonMap
from tenuto.model.image import DAMAGE, GIB, whole_gib
from tenuto.model.resource import ManagedObject
from tenuto.ports.images import ImageShelf
from tenuto.ports.phase import PhaseResource, PhaseRun
from tenuto.providers.local.phases.common import refuse
from tenuto.providers.local.phases.parents import Parents
from tenuto.providers.local.reservations import Reservations
from tenuto.providers.local.rules.machines.base_faults import BaseFault, content_fault, may_be_on_a_host, missing_base
from tenuto.providers.local.rules.machines.bases import BASES, BELOW

KEPT_S = 60.0
"""Seconds between two messages about a base that is kept; an update ends the wait."""


@dataclass(frozen=True, slots=True)
class _Wrong(Exception):  # noqa: N818 - told by the phase, and never raised further
    message: str
    code: str


class _Kept(Exception):  # noqa: N818 - told by the phase, and never raised further
    """The composition declares another base for a disk that there is."""


class Disks:
    """Takes the bases of machines."""

    def __init__(self, reservations: Reservations) -> None:
        self._reservations = reservations
        self._parents = Parents(reservations)
        self._shelf: ImageShelf | None = None

    def take_shelf(self, shelf: ImageShelf) -> None:
        self._shelf = shelf

    def has_taken(self, run: PhaseRun, one: PhaseResource, driver: str) -> bool:
        """Take the blobs of a machine's disks; False after the phase said why not."""
        pairs: dict[str, Json] = {}
        below: set[str] = set()
        try:
            for number, disk in enumerate(one.object.desired.get("Disks", ())):
                word = str(disk.get("Base") or "")
                blob = self._taken(run.partition.account, one.object, number, word, driver) if word else None
                if blob is not None:
                    pairs[word] = blob.desired["Sha512"]
                    _check_size(number, disk, blob, word)
                    below |= {str(under.desired["Sha512"]) for under in self._below(number, word, blob)}
        except _Wrong as wrong:
            refuse(run, one, wrong.message, wrong.code)
            return False
        except _Kept as kept:
            # The machine serves, and waits for a declaration that keeps its disk.
            run.sleep(one, KEPT_S, str(kept), code="BaseKept")
            return False
        one.attributes[BASES] = pairs
        if below:
            one.attributes[BELOW] = sorted(below)
        return True

    def let_go(self, found: ManagedObject) -> None:
        """Let a machine that is gone keep no blob."""
        for number, _ in enumerate(found.desired.get("Disks", ())):
            self._reservations.need(found.object_id, f"disk{number}", ())

    def size_gib(self, account: str, found: ManagedObject) -> int:
        """The size of a machine's disks together: of an image the version that the disk began with, or would begin
        with. One in the folder of a host, of which nothing is known here, counts nothing."""
        assert self._shelf is not None, "the shelf is taken before a phase runs"
        sizes = 0
        for number, disk in enumerate(found.desired.get("Disks", ())):
            size, blob = disk.get("SizeGiB"), None
            if not size and disk.get("Base"):
                begun = self._parents.of_disk(found.object_id, number)
                blob = begun or self._shelf.blob_for(account, str(disk["Base"]))
            sizes += int(size or 0) if blob is None else whole_gib(int(blob.desired["VirtualSizeBytes"]))
        return sizes

    def _below(self, number: int, word: str, blob: ManagedObject) -> tuple[ManagedObject, ...]:
        """The blobs that the base of a disk stands on, all of which are good."""
        found = self._parents.below(blob.object_id)
        for under in found:
            if damage := under.attributes.get(DAMAGE):
                raise _Wrong(
                    f"disk {number} has the base {word}, which stands on the blob {under.object_id}. That is damaged "
                    f"on the Conductor: {damage}. Upload the same content again",
                    "Damaged",
                )
        return found

    def _taken(self, account: str, machine: ManagedObject, number: int, word: str, driver: str) -> ManagedObject | None:
        """The blob of a disk, which the machine needs from then on; None for an image in the folder of a host."""
        role = f"disk{number}"
        assert self._shelf is not None, "the shelf is taken before a phase runs"
        kept = [self._reservations.find(one) for one in self._reservations.needed(machine.object_id, role)]
        if kept and kept[0] is not None and word in (machine.attributes.get(BASES) or {word: ""}):
            return kept[0]
        blob = self._shelf.blob_for(account, word)
        if kept and kept[0] is not None and kept[0] != blob:
            raise _Kept(
                f"disk {number} keeps the base that it was made with, and {word} is another one: give the machine "
                "another logical id to begin with that, or take the change back"
            )
        if blob is None:
            if may_be_on_a_host(word, driver):
                return None
            raise _of(missing_base(number, word, account))
        if (fault := content_fault(number, word, blob)) is not None:
            raise _of(fault)
        try:
            self._reservations.need(machine.object_id, role, [blob.object_id])
        except ConflictError as error:
            raise _Wrong(f"disk {number} cannot have the base {word}: {error}", "ImageGoing") from error
        return blob


def _of(fault: BaseFault) -> _Wrong:
    return _Wrong(fault.message, fault.code)


def _check_size(number: int, disk: JsonMap, blob: ManagedObject, word: str) -> None:
    least, size = int(blob.desired["VirtualSizeBytes"]), disk.get("SizeGiB")
    if size is not None and int(size) * GIB < least:
        raise _Wrong(
            f"disk {number} of {size} GiB is smaller than its base {word} ({whole_gib(least)} GiB). Correct SizeGiB, "
            "or leave it out",
            "DiskTooSmall",
        )
