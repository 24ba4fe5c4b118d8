"""Read again, change, commit: how the phase engine writes objects that others may be writing too.

Theory of operation. A run lasts, and the world moves on meanwhile. So a change of objects is given as a pure function
and applied to the objects as they are stored now; when the commit loses to another writer it is read and applied again.
All objects of one call go in one transaction. If that transaction is impossible because of one of them, each is saved
alone, and those that still cannot be are returned: one bad object must not lose the verdicts of the others.

The lock keeps the runs of one Conductor from losing against each other: two phases of one state return together as a
rule, not as an exception. The engine never calls a plugin or a provider with it held.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock

import structlog

from tenuto.core.phases.progress import Progress
from tenuto.core.planning.intents import asked_by, asker
from tenuto.errors import ConflictError, StoreUnavailableError
from tenuto.kit.evolve import evolve
from tenuto.model.asker import Asker
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Fid, Instant, ObjectId
from tenuto.model.outcome import Op
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject
from tenuto.ports.store import Store
from tenuto.ports.store_changes import Append, SaveObject, StoreChange

ATTEMPTS = 10
"""Against writers outside this Conductor's phases: a user's command or a plan, seldom twice in one commit."""

Change = Callable[[ManagedObject], Progress]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Doer:
    """The originator of changes to objects, and the user who asked; empty where the processes of the objects tell."""

    by: str
    actor: str


_log = structlog.get_logger("tenuto.phases")


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The written changes, and the objects that could not be saved, with the reason."""

    done: tuple[Progress, ...] = ()
    lost: tuple[tuple[ObjectId, Exception], ...] = ()


class PhaseSaves:
    """Writes objects. `publish` gets every commit after it was made."""

    def __init__(self, store: Store, publish: Callable[[Sequence[StoreChange]], None]) -> None:
        self._store = store
        self._publish = publish
        self._lock = Lock()

    def save(
        self,
        object_ids: Sequence[ObjectId],
        change: Change,
        *,
        by: str,
        now: Instant,
        ops: Iterable[Op] = (),
        actor: str = "",
    ) -> Saved:
        """Apply `change` to each object as it is stored now. An object that is no more is left out.

        `by` is the doer, such as a phase; `actor` is the user who asked for it, when that is not the asker of the
        present work for the process of each object.

        Raises StoreUnavailableError: then the unsaved objects may be saved again by the same call.
        """
        facts = tuple(ops)
        doer = _Doer(by=by, actor=actor)
        with self._lock:
            try:
                return Saved(done=self._together(object_ids, change, doer, now, facts))
            except StoreUnavailableError:
                raise
            except Exception as error:  # noqa: BLE001 - one object may break a commit, and the others must survive
                _log.warning("phase.commit_refused", objects=len(object_ids), error=repr(error))
            return self._one_by_one(object_ids, change, doer, now, facts)

    def _together(
        self, object_ids: Sequence[ObjectId], change: Change, doer: "_Doer", now: Instant, ops: tuple[Op, ...]
    ) -> tuple[Progress, ...]:
        for _ in range(ATTEMPTS):
            steps = [(before, change(before)) for before in self._store.selected(object_ids)]
            changed = [(before, step) for before, step in steps if step.is_change]
            askers = self._askers([before for before, _ in changed], doer)
            changes: list[StoreChange] = [save_of(_asked(step, askers[before.object_id])) for before, step in changed]
            events = [
                event
                for before, step in changed
                for event in phase_events(before, step.object, askers[before.object_id], now, doer.by)
            ]
            if events or ops:
                changes.append(Append(events=tuple(events), ops=ops))
            if not changes:
                return ()
            try:
                self._store.commit(changes)
            except ConflictError as error:
                lost_to = error
            else:
                self._publish(changes)
                return tuple(step for _, step in changed)
        raise lost_to

    def _askers(self, objects: Sequence[ManagedObject], doer: "_Doer") -> Mapping[ObjectId, Asker]:
        """The asker of the present work on each object."""
        if doer.actor:
            return {found.object_id: Asker(name=doer.actor) for found in objects}
        fids = {found.fid for found in objects if found.fid is not None}
        processes = self._store.processes_of(fids) if fids else {}
        return {found.object_id: asker(processes.get(found.fid or Fid("")), found) for found in objects}

    def _one_by_one(
        self, object_ids: Sequence[ObjectId], change: Change, doer: "_Doer", now: Instant, ops: tuple[Op, ...]
    ) -> Saved:
        done: list[Progress] = []
        lost: list[tuple[ObjectId, Exception]] = []
        for object_id in object_ids:
            try:
                done += self._together([object_id], change, doer, now, ())
            except StoreUnavailableError:
                raise
            except Exception as error:  # noqa: BLE001 - reported to the caller
                lost.append((object_id, error))
        if ops:
            self._store.commit([Append(ops=ops)])
        return Saved(done=tuple(done), lost=tuple(lost))


def _asked(step: Progress, who: Asker) -> Progress:
    """The step with its moves as those of who asked."""
    return evolve(step, moves=asked_by(step.moves, who)) if step.moves else step


def save_of(step: Progress) -> SaveObject:
    """The write that a step of progress needs."""
    return SaveObject(
        object=step.object,
        expected_generation=step.object.generation,
        moves=step.moves,
        entries=step.entries,
        documents=step.documents,
    )


def phase_events(
    before: ManagedObject, after: ManagedObject, asker: Asker, now: Instant, by: str = ""
) -> Iterable[Event]:
    """The events for the history: phases that failed, and those that were tried again."""
    for name, entry in after.phases.items():
        earlier = before.phases.get(name)
        if earlier is None or earlier.status is entry.status:
            continue
        if entry.status is PhaseStatus.FAILED:
            yield _event(EventType.PHASE_FAILED, after, earlier, entry, asker, now, by)
        elif earlier.is_upkeep and earlier.status is PhaseStatus.RUNNING and not earlier.failures and entry.failures:
            yield _event(EventType.UPKEEP_FAILED, after, earlier, entry, asker, now, by)
        elif earlier.status is PhaseStatus.RUNNING and earlier.failures and not entry.failures and entry.is_upkeep:
            yield _event(EventType.UPKEEP_RECOVERED, after, earlier, entry, asker, now, by)
        elif earlier.status is PhaseStatus.FAILED and entry.attempt > earlier.attempt:
            yield _event(EventType.PHASE_RETRIED, after, earlier, entry, asker, now, by)


def _event(
    kind: EventType,
    owner: ManagedObject,
    earlier: PhaseEntry,
    entry: PhaseEntry,
    asker: Asker,
    now: Instant,
    by: str,
) -> Event:
    data = {"phase": entry.phase, "state": entry.state, "attempt": entry.attempt}
    if by:
        data |= {"by": by}
    if entry.code:
        data |= {"code": entry.code, "request_id": entry.request_id}
    return Event(
        at=now,
        type=kind,
        fid=owner.fid,
        object_id=owner.object_id,
        subject=owner.logical_id,
        before=earlier.status,
        after=entry.status,
        actor=asker.name,
        request=asker.request,
        reason=entry.message or earlier.message,
        data=data,
    )
