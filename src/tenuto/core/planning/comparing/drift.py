"""Drift that is to be told: the differences that no command asked for, the new ones among them, and their events.

Theory of operation. A difference is *drift* when the declaration of a resource is the one that it was last given, and
the provider shows something else: another value, no such thing, or a thing that it gave up on. Whether the drift is
corrected does not matter: enforcement may be off, the resource may be held, the plan may serve a command for another
resource. Each drift is told once, so each told drift is stored, one drift for each address (`model.drift`). The next
planning tells of an address again only when the digest of the found state is another one.

A drift is over when its address is found as declared, or when a command asks for something else there. While a resource
is on its way, or was not seen well enough, nothing is known: the told drift stands. So a repair that takes an hour, or
is tried again and again, is one drift, and a drift that returns after the repair is another one.

An ignored difference is no drift, and is told beside it (`ignored_drift`). Nor is a value that follows from another
resource which is made anew.

An event tells of each drift: the found state, and the act of Tenuto. It is stored in the commit that acts on the
planning, together with the drift itself. So a drift is told exactly once, whenever a Conductor dies, and a planning
that nothing comes of (a dry run, one that lost against a command) tells nothing.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping

from tenuto.core.planning.comparing.ignores import movers
from tenuto.core.planning.comparing.left_behind import OWN_PATHS
from tenuto.model.composition import Composition
from tenuto.model.delta import Change, Delta, DeltaKind, Difference, Unknown
from tenuto.model.drift import Drift, DriftKind, DriftNews
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Instant, LogicalId, ObjectId, TypeName
from tenuto.model.job import CONDUCTOR
from tenuto.model.plan import IgnoredDrift, Planning
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import WaitKind

_STANDS = frozenset({DeltaKind.MOVING, DeltaKind.UNCLEAR, DeltaKind.FAILED})
"""The kinds of differences by which nothing can be said of the address now, so that a drift there still stands."""


def drift_of(
    difference: Difference, found: ManagedObject | None, desired_digest: str, declared: TypeName, now: Instant
) -> Drift | None:
    """The drift that a difference shows; None when it shows none."""
    if found is None or found.desired_digest != desired_digest or found.type != declared:
        return None
    kind, changes = _kind(difference, found), _changes(difference)
    if kind is None or (kind is DriftKind.CHANGED and not changes):
        return None
    return Drift(
        logical_id=difference.logical_id,
        object_id=found.object_id,
        type=found.type,
        physical_id=found.physical_id,
        kind=kind,
        paths=tuple(dict.fromkeys(change.path for change in changes)),
        digest=_digest(found, kind, changes),
        found_at=now,
    )


def drift_news(differences: Iterable[Difference], seen: Iterable[Drift], told: Iterable[Drift]) -> DriftNews:
    """The news of the drifts that a planning has `seen`, after those that were `told` before."""
    before = {drift.logical_id: drift for drift in told}
    now = {drift.logical_id: drift for drift in seen}
    found = tuple(drift for name, drift in now.items() if name not in before or before[name].digest != drift.digest)
    if not before:
        return DriftNews(found=found)
    kinds: dict[LogicalId, set[DeltaKind]] = {}
    for difference in differences:
        kinds.setdefault(difference.logical_id, set()).add(difference.kind)
    over = tuple(name for name in before if name not in now and kinds.get(name, set()).isdisjoint(_STANDS))
    repaired = sum(1 for name in over if DeltaKind.SAME in kinds.get(name, ()))
    return DriftNews(found=found, over=over, repaired=repaired)


def ignored_drift(
    delta: Delta, objects: Mapping[ObjectId, ManagedObject], composition: Composition | None
) -> tuple[IgnoredDrift, ...]:
    """The drift at ignored paths that a planning reports."""
    declared = {one.logical_id: one for one in (composition.resources if composition else ())}
    told: list[IgnoredDrift] = []
    for difference in delta.differences:
        if difference.object_id is not None and difference.ignored:
            found = objects[difference.object_id]
            told.append(
                IgnoredDrift(
                    type=found.type,
                    logical_id=found.logical_id,
                    object_id=found.object_id,
                    physical_id=found.physical_id,
                    changes=difference.ignored,
                    moved_by=movers(declared[found.logical_id]) if found.logical_id in declared else (),
                )
            )
    return tuple(told)


def _kind(difference: Difference, found: ManagedObject) -> DriftKind | None:
    match difference.kind:
        case DeltaKind.VANISHED:
            return DriftKind.VANISHED
        case DeltaKind.BROKEN if found.is_settled:
            return DriftKind.BROKEN
        case DeltaKind.CHANGED if found.is_settled and not found.is_phase_failed:
            return DriftKind.CHANGED
        case _:
            return None


def _changes(difference: Difference) -> tuple[Change, ...]:
    """Return the changes of a difference that the provider shows."""
    return tuple(
        change
        for change in difference.changes
        if change.after is not Unknown.AFTER_APPLY and change.path not in OWN_PATHS
    )


def _digest(found: ManagedObject, kind: DriftKind, changes: Iterable[Change]) -> str:
    """Return a digest that is the same for the same drift. Values are in it only as a digest: one of them may be a
    secret.
    """
    values = [[change.path, change.before if change.has_before else None, change.after] for change in changes]
    text = json.dumps([found.object_id, kind, values], sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


_HOLDS = frozenset({WaitKind.FIGHT, WaitKind.IGNORED})


def drift_events(process: Process, planning: Planning, now: Instant) -> tuple[Event, ...]:
    """One event for each drift of which a planning has news."""
    return tuple(_event(process, planning, drift, now) for drift in planning.news.found)


def _event(process: Process, planning: Planning, drift: Drift, now: Instant) -> Event:
    is_corrected, what_follows = _what_follows(process, planning, drift)
    return Event(
        at=now,
        type=EventType.DRIFT_FOUND,
        fid=process.fid,
        object_id=drift.object_id,
        subject=drift.logical_id,
        actor=CONDUCTOR,
        reason=f"{_what_was_found(drift)}, and no command asked for that. {what_follows}",
        data={
            "kind": drift.kind.value,
            "type": drift.type,
            "id": drift.physical_id,
            "paths": list(drift.paths),
            "corrected": is_corrected,
        },
    )


def _what_was_found(drift: Drift) -> str:
    """Names of properties and no values: one of them may be a secret."""
    name = drift.physical_id or drift.logical_id
    match drift.kind:
        case DriftKind.VANISHED:
            return f"{name} is gone from the provider"
        case DriftKind.BROKEN:
            return f"The provider reports {name} as failed"
        case DriftKind.CHANGED:
            return f"The provider shows {', '.join(drift.paths)} of {name} otherwise than declared"


def _what_follows(process: Process, planning: Planning, drift: Drift) -> tuple[bool, str]:
    """Whether the job of this planning corrects the drift, and a sentence about the act of Tenuto."""
    name = process.alias or process.fid
    if planning.held:
        return False, f"Tenuto holds the plan: 'tenuto plan {name}' shows it, 'tenuto resume {name}' approves it."
    waits = {wait.kind for wait in planning.waits if wait.logical_id == drift.logical_id}
    if WaitKind.ENFORCEMENT in waits:
        on = f"'tenuto property {name} enforcement --set on'"
        return False, f"Tenuto leaves it as it is, because enforcement is off: {on} corrects it."
    if waits & _HOLDS:
        return False, f"Tenuto holds the resource: 'tenuto explain {name} {drift.logical_id}' tells why."
    if any(operation.logical_id == drift.logical_id for operation in planning.plan.operations):
        return True, "Tenuto corrects it."
    return False, f"Its correction waits: 'tenuto explain {name} {drift.logical_id}' tells for what."
