"""The time since when processes are not as declared, and the reason, for a list and for one of them.

The cost of a list must grow with its processes and not with their resources, or one process with ten thousand resources
that is being built slows every reader. So the store is asked four questions for all of them together: the first object
of each kind of open entry, the held ones, those that drift, and the things that carry their marks.
`core.reports.unconverged` says the same of these few objects as of all.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tenuto.core.reports.explain_phases import IsLoaded
from tenuto.core.reports.unconverged import Unconverged, unconverged
from tenuto.model.ids import Fid, PhysicalId
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.marks import Marks
from tenuto.ports.store import Store
from tenuto.service.views.process_view import is_converged


def unconverged_among(
    processes: Sequence[Process], store: Store, marks: Marks, is_loaded: IsLoaded
) -> dict[Fid, Unconverged]:
    """Return since when and why the processes are not as declared, by FID; without those that are, or are gone."""
    late = [one for one in processes if not is_converged(one)]
    if not late:
        return {}
    fids = [one.fid for one in late]
    objects: dict[Fid | None, list[ManagedObject]] = defaultdict(list)
    for found in store.open_objects(fids):
        objects[found.fid].append(found)
    held, marked, drifted = store.held(fids), _marked(marks), store.drift_counts(fids)
    told: dict[Fid, Unconverged] = {}
    for one in late:
        # The message of a creation that is held names the thing that stands in its place.
        is_held = one.fid in held or any(name in one.last_message for name in marked.get(one.fid, ()))
        has_drift = one.fid in drifted
        if why := unconverged(one, objects[one.fid], is_held=is_held, has_drift=has_drift, is_loaded=is_loaded):
            told[one.fid] = why
    return told


def _marked(marks: Marks) -> Mapping[Fid, Sequence[PhysicalId]]:
    found: dict[Fid, list[PhysicalId]] = defaultdict(list)
    for one in marks.things():
        found[one.owner.fid].append(one.physical_id)
    return found
