"""The blobs that thin ones stand on: chains, each link of which is a relation that keeps the next one.

Theory of operation. A thin snapshot holds the differences from the base of its disk. Its blob needs that base, as a
disk does, so an artifact in the middle of a chain may be deleted: its blob stays for as long as another stands on it. A
machine is told all digests of the chain, and its host has each of them before the machine is made.
"""

from tenuto.model.ids import ObjectId
from tenuto.model.image import PARENT_ROLE
from tenuto.model.resource import ManagedObject
from tenuto.providers.local.reservations import Reservations

MOST_LINKS = 8
"""Thin images that stand on each other: a guest reads through all of them, and a host has to have all of them."""


class Parents:
    """The parents that blobs stand on, as relations of the store."""

    def __init__(self, reservations: Reservations) -> None:
        self._reservations = reservations

    def below(self, blob: ObjectId) -> tuple[ManagedObject, ...]:
        """Return the blobs that a blob stands on, the nearest first; none for a whole one."""
        found: list[ManagedObject] = []
        here = blob
        while len(found) <= MOST_LINKS and (needed := self._reservations.needed(here, PARENT_ROLE)):
            parent = self._reservations.find(needed[0])
            if parent is None:
                break
            found.append(parent)
            here = parent.object_id
        return tuple(found)

    def of_disk(self, machine: ObjectId, number: int) -> ManagedObject | None:
        """Return the blob that a disk of a machine began with; None for an empty disk, and for an image of the host."""
        needed = self._reservations.needed(machine, f"disk{number}")
        return self._reservations.find(needed[0]) if needed else None
