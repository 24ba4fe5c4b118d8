"""The replacement of machines that failed: whether a composition has acknowledged the failure in advance.

Theory of operation. `Replace` says for which failures a process may make another machine without a person:
`on-host-error` for the loss of its host, `on-error` for any failure. What fails again and again is no accident, so
there are at most three such replacements of one machine in an hour, the second after a minute and the third after five.
The failure after that waits for a person, like one of a machine with `Replace: never`.
"""

from collections.abc import Iterable
from enum import StrEnum

from tenuto.model.ids import Instant, PhaseName
from tenuto.model.resource import ManagedObject

NEVER, ON_HOST_ERROR, ON_ERROR = "never", "on-host-error", "on-error"
WINDOW_S = 3600.0
WAITS_S = (0.0, 60.0, 300.0)
"""Seconds that each replacement within the window waits after the failure."""
HOST_PHASE = PhaseName("local.host")
"""The phase under whose name the loss of a host is kept with a machine."""


class Replacement(StrEnum):
    NOW = "now"
    LATER = "later"
    """Its wait is not over."""
    BY_PERSON = "by-person"


def policy_of(machine: ManagedObject) -> str:
    """The value of `Replace` of a machine."""
    return str(machine.desired.get("Replace") or NEVER)


def is_fenced(policy: str) -> bool:
    """Whether a machine of this policy may be made elsewhere, so that its host ends it with the lease."""
    return policy in (ON_HOST_ERROR, ON_ERROR)


def replacement_of(
    machine: ManagedObject, incarnations: Iterable[ManagedObject], failed_at: Instant, now: Instant
) -> Replacement:
    """Say what becomes of a machine whose host was lost at a moment."""
    if not is_fenced(policy_of(machine)):
        return Replacement.BY_PERSON
    before = sum(
        1
        for one in incarnations
        if one.object_id != machine.object_id
        and (entry := one.phases.get(HOST_PHASE)) is not None
        and entry.ended_at is not None
        and now - entry.ended_at <= WINDOW_S
    )
    if before >= len(WAITS_S):
        return Replacement.BY_PERSON
    return Replacement.NOW if now >= failed_at + WAITS_S[before] else Replacement.LATER
