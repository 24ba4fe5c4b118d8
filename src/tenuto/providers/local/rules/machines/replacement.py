"""The replacement of machines that failed: whether a composition has acknowledged the failure in advance.

Theory of operation. `Replace` says for which failures a process may make another machine without a person:
`on-host-error` for the loss of its host, `on-error` for any failure. A machine that fails again and again does not fail
by accident, so there are at most three such replacements of one machine in an hour, the second after a minute and the
third after five. The failure after that waits for a person, like one of a machine with `Replace: never`.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from tenuto.model.ids import Instant, PhaseName
from tenuto.model.resource import ManagedObject

NEVER, ON_HOST_ERROR, ON_ERROR = "never", "on-host-error", "on-error"
WINDOW_S = 3600.0
WAITS_S = (0.0, 60.0, 300.0)
"""Seconds that each replacement within the window waits after the failure."""
HOST_PHASE = PhaseName("local.host")
"""The name under which the loss of a host is kept among the phases of a machine. No phase of that name ever runs."""


LOSSES = "losses"
"""The member of its data with the moments of the losses within the window, this one the last."""


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


def losses_before(machine: ManagedObject, incarnations: Iterable[ManagedObject], now: Instant) -> tuple[Instant, ...]:
    """The moments within the window at which earlier incarnations of a machine failed, and were replaced for that.

    Each failure carries the moments before it (`LOSSES`): of ended incarnations, only the last one is sure to be kept.
    """
    earlier = [one for one in incarnations if one.object_id != machine.object_id]
    if not earlier:
        return ()
    last = max(earlier, key=lambda one: one.incarnation)
    return tuple(at for at in losses_of(last) if now - at <= WINDOW_S)


def losses_of(machine: ManagedObject) -> tuple[Instant, ...]:
    """The moments that a failed machine carries, its own failure the last."""
    known = [entry.data[LOSSES] for entry in machine.phases.values() if entry.data.get(LOSSES)]
    return tuple(Instant(float(at)) for at in max(known, key=len)) if known else ()


def wait_of(machine: ManagedObject) -> Instant:
    """The moment until which a machine that failed by itself waits for its replacement."""
    losses = losses_of(machine)
    if not losses or HOST_PHASE in machine.phases:
        return Instant(0.0)
    return Instant(losses[-1] + WAITS_S[min(len(losses), len(WAITS_S)) - 1])


def replacement_of(machine: ManagedObject, losses: Sequence[Instant], failed_at: Instant, now: Instant) -> Replacement:
    """Return the replacement of a machine whose host was lost at a moment, after earlier losses."""
    due_at = replaced_at(machine, losses, failed_at)
    if due_at is None:
        return Replacement.BY_PERSON
    return Replacement.NOW if now >= due_at else Replacement.LATER


def replaced_at(machine: ManagedObject, losses: Sequence[Instant], failed_at: Instant) -> Instant | None:
    """Return from when on another machine is made for one whose host was lost at a moment; None for one that waits for
    a person."""
    if not is_fenced(policy_of(machine)) or len(losses) >= len(WAITS_S):
        return None
    return Instant(failed_at + WAITS_S[len(losses)])
