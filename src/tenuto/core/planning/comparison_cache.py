"""ComparisonCache: a resource that was as declared, and of which nothing changed since, is as declared.

Theory of operation. What a comparison finds of one resource follows from its declaration, its incarnation, what was
seen of it, what all resources share (`Frame`), and what the resources that it refers to answer. When it found no
difference, it leaves the two values that this was read off; when the next comparison is given the very same ones, and
everything that the resource refers to still answers from the same incarnation, there is nothing to find again.

"The very same" is identity, not equality: the store gives out one value for one generation of an object, the reflector
one for what looks unchanged. So a comparison costs what changed, and a caller with new values loses time, never truth.
"""

from tenuto.core.planning.order import dependency_order
from tenuto.core.planning.references import Addresses
from tenuto.model.composition import Declaration
from tenuto.model.delta import DeltaKind, Difference, Frame, Memory, Same
from tenuto.model.ids import LogicalId
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot


class ComparisonCache:
    """The memory of one comparison: read while it goes on, and made anew by it. Never outlives `compare`."""

    def __init__(self, snapshot: Snapshot, addresses: Addresses) -> None:
        self._frame = _frame_of(snapshot)
        self._observations = snapshot.observations
        self._addresses = addresses
        before = snapshot.memory
        self._before = before if before is not None and before.frame == self._frame else None
        declared = snapshot.composition.resources if snapshot.composition else ()
        self.order = self._before.order if self._before else dependency_order(declared)
        self._steady: set[LogicalId] = set()
        self._answering: dict[LogicalId, ManagedObject] = {}
        self._same: dict[LogicalId, Same] = {}

    def find(self, declaration: Declaration) -> Same | None:
        """The stored comparison of the resource, when nothing that it was read off has changed; else None."""
        known = self._before.same.get(declaration.logical_id) if self._before else None
        if known is None or not self._steady.issuperset(declaration.depends_on):
            return None
        if self._addresses.current(declaration.logical_id) is not known.found:
            return None
        observation = self._observations.get(known.found.object_id)
        return known if observation is not None and observation.item is known.item else None

    def keep(self, known: Same) -> None:
        """Keep a comparison that was found to be the same again."""
        name = known.difference.logical_id
        self._same[name] = known
        self._answering[name] = known.found
        self._steady.add(name)

    def note(
        self, difference: Difference, found: ManagedObject | None, desired_digest: str, *, is_remade: bool
    ) -> None:
        """Remember what was found of a resource, of which incarnation, and the digest of what is desired of it now."""
        name = difference.logical_id
        answering = found or self._addresses.leaving(name)
        if answering is not None:
            self._answering[name] = answering
            if self._before and not is_remade and self._before.answering.get(name) is answering:
                self._steady.add(name)
        if difference.kind is not DeltaKind.SAME or found is None or found.desired_digest != desired_digest:
            return
        item = self._observations[found.object_id].item
        if item is not None:
            self._same[name] = Same(found=found, item=item, difference=difference)

    def memory(self) -> Memory:
        """The memory that the next comparison may build on."""
        return Memory(frame=self._frame, order=self.order, answering=self._answering, same=self._same)


def _frame_of(snapshot: Snapshot) -> Frame:
    process = snapshot.process
    return Frame(
        composition=snapshot.composition,
        fid=process.fid,
        name=process.name,
        partition=process.partition,
        lookups=process.lookups,
        context=snapshot.context,
        exports=snapshot.exports,
        names=snapshot.names,
    )
