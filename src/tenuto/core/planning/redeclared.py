"""Redeclared resources: another declaration that asks for nothing is remembered all the same.

Theory of operation. An update may declare what stands already: an explicit default, another spelling, a value that a
person has set by hand. No step carries such a wish to the object, and nothing is called. Without a record, each later
difference would count as the update's: it would be corrected although enforcement is off, and no event would tell of
it. A property that is taken out again would never have been declared, and an order that `DependsOn` alone tells would
not be known.

The record is part of the commit that acts on the planning. A wish is recorded only where a sweep proves it; one that
may be older than our own last change proves nothing.
"""

from tenuto.core.planning.comparing.delta import Compared
from tenuto.core.planning.comparing.secrets import without_value
from tenuto.kit.evolve import evolve
from tenuto.lifecycles import roles
from tenuto.model.delta import DeltaKind
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot


def redeclared(snapshot: Snapshot, compared: Compared) -> tuple[ManagedObject, ...]:
    """The objects that stand as they are declared, with a declaration that they were not given yet."""
    if snapshot.composition is None:
        return ()
    built_on = {one.logical_id: one.depends_on for one in snapshot.composition.resources}
    noted: list[ManagedObject] = []
    for one in compared.delta.differences:
        if one.kind is not DeltaKind.SAME or one.object_id is None:
            continue
        found, desired = compared.objects[one.object_id], compared.desired[one.logical_id]
        after = built_on[one.logical_id]
        is_known = found.desired_digest == desired.digest and found.depends_on == after
        if not is_known and _is_proven(snapshot, found) and not without_value(desired.properties, snapshot.composition):
            noted.append(evolve(found, desired=desired.properties, desired_digest=desired.digest, depends_on=after))
    return tuple(noted)


def _is_proven(snapshot: Snapshot, found: ManagedObject) -> bool:
    """Whether a sweep shows the thing as it is after our last change."""
    seen = snapshot.observations.get(found.object_id)
    return seen is not None and seen.item is not None and not seen.may_be_stale and roles.is_to_stand(found)
