"""Upkeep: the phases that are done again and again on an object that rests in a state.

Theory of operation. Deadlines, replication and expiry are work on objects that are as they should be. A phase that
declares `every_s` does it. An object that comes to rest in one of its states gets an entry that sleeps for this time.
The entry is collected, run and saved like every other, in bulk. When the round is done, the entry sleeps again. So a
round begins `every_s` after the end of the one before: a slow round delays the next, and none pile up.

Upkeep holds nothing up: the object is settled beside it, plans and dependants go on, and a new target or a change
cancels it as it cancels an open phase. A round that fails takes the edge of a failure, where the table has one for the
state. Elsewhere the failure is told (in the entry and in one event), and the next round tries again without the data of
the phase, as after a retry. The process is not suspended for it.

Rejected: a status of its own for the time between two rounds. Sleeping says the same, and every event that wakes
sleeping phases wakes upkeep too. Rejected as well: rounds at fixed times. After a pause of the Conductor they would all
be due.
"""

from tenuto.core.phases.attempts import carried
from tenuto.core.phases.entries import UNDECIDED
from tenuto.core.phases.phase_set import PhaseSet
from tenuto.kit.evolve import evolve
from tenuto.model.ids import Instant
from tenuto.model.phase_map import CLOSED, DEFAULT_DELAY_S, PhaseDefinition, PhaseEntry, PhaseStatus
from tenuto.model.resource import ManagedObject


def taken_up(object: ManagedObject, phases: PhaseSet, now: Instant) -> ManagedObject:  # noqa: A002
    """The object with an entry for each upkeep phase that applies where it rests, and that it has no entry of yet."""
    fresh: dict[str, PhaseEntry] = {}
    for one in phases.upkeep(object):
        definition = one.definition
        earlier = object.phases.get(definition.name)
        if earlier is None or earlier.status in CLOSED:
            fresh[definition.name] = PhaseEntry(
                phase=definition.name,
                state=object.state,
                status=PhaseStatus.SLEEPING,
                wake_at=Instant(now + _every_s(definition)),
                code=UNDECIDED if one.is_undecided else "",
                is_upkeep=True,
            )
    return evolve(object, phases={**object.phases, **fresh}) if fresh else object


def after_round(entry: PhaseEntry, definition: PhaseDefinition | None, now: Instant) -> PhaseEntry:
    """The entry of an upkeep after its run, from the entry that any other phase would have then.

    `definition` is None when the plugin went during the run; the entry waits for it. Where the phase is no upkeep any
    more after a reload, the entry is closed.
    """
    if entry.status is PhaseStatus.SLEEPING:
        return entry  # The round is still under way.
    if definition is not None and definition.every_s is None:
        return evolve(entry, status=PhaseStatus.CANCELED, failures=0)
    has_failed = entry.status is PhaseStatus.FAILED
    return evolve(
        entry,
        status=PhaseStatus.SLEEPING,
        wake_at=Instant(now + _every_s(definition)),
        first_started_at=None,
        failures=entry.failures + 1 if has_failed else 0,
        data={} if has_failed else entry.data,
        act=carried(entry.act),
    )


def tried_now(entry: PhaseEntry) -> PhaseEntry:
    """The entry of a failing upkeep after a person has asked for another try."""
    return evolve(entry, status=PhaseStatus.WAITING, wake_at=None)


def _every_s(definition: PhaseDefinition | None) -> float:
    every = definition.every_s if definition else None
    return DEFAULT_DELAY_S if every is None else every
