"""Visibility: for how long a provider may not yet show a thing that was just made or changed.

Clouds answer from replicas, and one that does not know a new thing yet may answer after one that did. So for a while
"there is no such thing" says nothing: neither that it vanished, nor that a creation without an answer made nothing, nor
that there is nothing to delete. In the same way a property that is as it was before our own change says nothing. How
long that while is, the provider says with each type (`model.consistency`).
"""

from tenuto.model.consistency import EVENTUAL, Consistency
from tenuto.model.ids import Instant, PhaseName
from tenuto.model.resource import ManagedObject

CREATE = PhaseName("resource.create")
"""The phase whose entry holds the attempt of a creation."""
ADOPT = PhaseName("resource.adopt")
"""The phase in place of that one for an existing thing."""
AWAIT = PhaseName("resource.await")
"""The phase that ends when a sweep has shown the new thing."""
VISIBILITY_S = EVENTUAL.visible_s
"""The visibility of types of which nothing better is known. A mark that is younger is no copy, with any provider."""
FIRST_SWEEP_S = 1.0
LONGEST_SWEEP_S = 15.0
"""Most new things can be seen within a second: the wait between two sweeps for one grows with the time it takes."""
SETTLED_S = EVENTUAL.settled_s


def is_new(found: ManagedObject, now: Instant, consistency: Consistency = EVENTUAL) -> bool:
    """Whether it was made so lately that not seeing it means nothing yet.

    Not even when it was seen before: the next sweep may be answered by another replica, which does not know it.
    """
    entry = found.phases.get(CREATE)
    # After a creation by a clock that was ahead, only `moved_at` was put right (`core.pacing.reckoning`).
    made_at = min(found.created_at, found.moved_at)
    if entry is not None and entry.ended_at is not None:
        made_at = entry.ended_at
    return now < made_at + consistency.visible_s


def may_be_stale(found: ManagedObject, swept_at: Instant, consistency: Consistency = EVENTUAL) -> bool:
    """Whether a sweep may still show the thing as it was before our own last change."""
    return swept_at < found.touched_at + consistency.settled_s


def is_young(found: ManagedObject, now: Instant) -> bool:
    """Whether it is new, or was seen for the first time so lately, that no one can have copied its mark."""
    entry = found.phases.get(AWAIT)
    if entry is None:
        return is_new(found, now)
    return entry.ended_at is None or now < entry.ended_at + VISIBILITY_S


def next_sweep_s(sought_s: float, consistency: Consistency = EVENTUAL) -> float:
    """Seconds until the next sweep for a thing that has been missing so long; none when that was long enough."""
    return max(0.0, min(max(FIRST_SWEEP_S, sought_s), LONGEST_SWEEP_S, consistency.visible_s - sought_s))


def has_intent(found: ManagedObject) -> bool:
    """Whether a creation of it began whose result is not known."""
    entry = found.phases.get(CREATE)
    return entry is not None and entry.act.is_unanswered


def may_have_been_made(found: ManagedObject) -> bool:
    """Whether the refused thing may exist all the same: after a creation without an answer, and after a retried one."""
    entry = found.phases.get(CREATE)
    return entry is not None and (entry.act.is_unanswered or entry.attempt > 1)
