"""The progress of one object through its phases, and the definition of a phase.

Two status sets exist and are not mixed: `PhaseStatus` is of one object in one phase and is stored; `PhaseActivity` is
of a phase as a whole and is always derived from the objects (specification: phases, "Phase Records").
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tenuto.model.attempt import UNTRIED, Attempt
from tenuto.model.ids import Instant, JsonMap, PhaseName, TypeName

DEFAULT_DELAY_S = 15.0
"""Seconds that an object without a verdict sleeps (specification: phases). A phase or a run may say otherwise."""


SHORTEST_SLEEP_S = 1.0
"""The least seconds between two runs of a plugin for one object. Each run is two commits, so that a phase without a
sleep would keep the store busy. Tenuto's own phases sleep less where they know that little is left to wait for."""
LONGEST_SLEEP_S = 10 * 365 * 86_400.0
"""Ten years: more is a mistake in the unit, and ends outside of the years that dates can tell."""


def seconds_problem(given: object) -> str:
    """The fault of a number of seconds that a plugin gave, in words that follow "for"; empty when it has none."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return f"{given!r}, which is no number of seconds"
    if not abs(given) <= LONGEST_SLEEP_S:
        return f"{given:g} seconds; a time is a number of seconds, of ten years at most"
    return ""


class PhaseStatus(StrEnum):
    WAITING = "Waiting"
    RUNNING = "Running"
    SLEEPING = "Sleeping"
    BLOCKED = "Blocked"
    COMPLETED = "Completed"
    FAILED = "Failed"
    CANCELING = "Canceling"
    CANCELED = "Canceled"


IN_FLIGHT = frozenset({PhaseStatus.RUNNING, PhaseStatus.CANCELING})
CLOSED = frozenset({PhaseStatus.COMPLETED, PhaseStatus.CANCELED})
"""The statuses of an entry to which nothing more will happen in this visit of the state. Every other status is open."""


class PhaseActivity(StrEnum):
    RUNNING = "Running"
    SLEEPING = "Sleeping"
    INACTIVE = "Inactive"
    CANCELING = "Canceling"


class Heading(StrEnum):
    """The direction of an object on its way, independent of the state names of its type."""

    READY = "ready"
    GONE = "gone"
    RELEASED = "released"
    RESTED = "rested"
    FAILED = "failed"


OWN_PHASES = ("resource.", "node.")
"""The beginnings of the names of Tenuto's own phases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEntry:
    """One object in one phase.

    `data` belongs to the plugin and is cleared by a retry. `act` is Tenuto's knowledge about the outside act of the
    phase; an act without a known end outlives a retry, and a second visit of the state.
    """

    phase: PhaseName
    state: str
    status: PhaseStatus
    message: str = ""
    code: str = ""
    request_id: str = ""
    first_started_at: Instant | None = None
    started_at: Instant | None = None
    ended_at: Instant | None = None
    wake_at: Instant | None = None
    attempt: int = 1
    runs: int = 0
    data: JsonMap = field(default_factory=dict)
    act: Attempt = UNTRIED
    is_upkeep: bool = False
    """True when the phase runs again and again while the object rests in the state. Nothing waits for it."""
    failures: int = 0
    """The number of rounds of an upkeep that failed in a row."""

    @property
    def is_open(self) -> bool:
        """Whether the object has to wait for the entry. Upkeep only holds it up when it is cancelled in a run."""
        return self.status not in CLOSED and (not self.is_upkeep or self.status is PhaseStatus.CANCELING)


def kept_data(entry: PhaseEntry) -> JsonMap:
    """The data that a plugin keeps, for people. Those of Tenuto's own phases say nothing to them."""
    return {} if entry.phase.startswith(OWN_PHASES) else entry.data


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseDefinition:
    """The declaration of a phase plugin.

    `applies` is the `ResourceConstraint`: a pure predicate over the resource, asked once when it enters the state; one
    that raises fails the phase (docs/decisions/0166). `local` phases are single flight per host, others per account and
    region.
    `extra` keeps any other `Phase.X` attribute.
    """

    name: PhaseName
    states: tuple[str, ...]
    types: tuple[TypeName, ...]
    """Resource types; `*` is every type of the resource lifecycle."""
    description: str = ""
    provider: str | None = None
    dependencies: tuple[PhaseName, ...] = ()
    applies: Callable[[Any], object] | None = None
    delay_s: float = DEFAULT_DELAY_S
    timeout_s: float | None = None
    batch: int = 1000
    """The most objects in one run; the rest stay Waiting (DECISIONS 33)."""
    acts: bool = True
    """False for a phase that only looks: observations from before its runs stay good."""
    heading: Heading | None = None
    """The phase runs only for objects that head for this. Such a phase also runs in the state that an object is in when
    it gets a target of this heading, before the first move: so a thing is torn down in `created` and is `deleted` after
    that. None for a phase that runs whenever an object passes through the state."""
    shortest_sleep_s: float = 0.0
    """The least seconds that an object sleeps, also where a run or `delay_s` says less. `SHORTEST_SLEEP_S` for plugins.
    """
    every_s: float | None = None
    """An upkeep phase: while an object rests in one of the states, the phase is done again so long after it was done.
    None for a phase of objects on their way."""
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerDefinition:
    """The declaration of a state listener."""

    name: str
    states: tuple[str, ...]
    types: tuple[TypeName, ...]
