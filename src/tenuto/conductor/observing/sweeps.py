"""One look: which it is, what is remembered of it, and how what it shows is told.

What looks as it did in the sweep before is kept as the very same value, so that a reader can tell by identity that
nothing changed (`core.planning.compare`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tenuto.conductor.observing.sightings import Misses, Thing
from tenuto.errors import PermanentError, ProviderError, StoreError, TransientError
from tenuto.model.ids import Instant, Partition, TypeName
from tenuto.model.observation import Sweep
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Loss

_NEVER = Instant(0.0)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class SweepKey:
    """One bulk sweep to be done: a source of one provider in one partition."""

    provider: str
    partition: Partition
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """The result of a near sweep for one thing: `sweep` is of all that was asked for with it, and of nothing else."""

    sweep: Sweep
    is_full: bool


@dataclass(slots=True, kw_only=True)
class Record:
    """The reflector's record of one sweep."""

    asked: set[Instant] = field(default_factory=set)
    is_in_flight: bool = False
    failures: int = 0
    failure: ProviderError | None = None
    failed_at: Instant | None = None
    blocked_until: Instant = _NEVER
    sweeps: Mapping[TypeName, Sweep] = field(default_factory=dict)
    wanted: dict[Thing, Instant] = field(default_factory=dict)
    """Things that a reader asked for in detail, with when that was."""
    shown: frozenset[Thing] = frozenset()
    """The things that the last sweep was for."""
    full: frozenset[Thing] = frozenset()
    """The part of it that was read in every detail."""
    missed: Misses = field(default_factory=dict)
    turn: int = 0
    """How many things of each type have had their turn to be read in detail."""
    turned_at: Instant = _NEVER
    """When the last of them had it."""
    whole_at: Instant = _NEVER
    """When the last sweep began that showed everything."""
    near: dict[Thing, Near] = field(default_factory=dict)
    """The things that near sweeps showed that began after the last sweep of everything (`near_sweeps`)."""
    near_wishes: dict[Thing, dict[Instant, ManagedObject]] = field(default_factory=dict)
    """The waiting ones, by the moment at or after which a sweep must begin."""
    is_near_in_flight: bool = False
    near_blocked_until: Instant = _NEVER
    near_barred_until: Instant = _NEVER
    losses: Mapping[TypeName, Loss] | None = None
    """The losses that the last sweep found, by type, once a reader asked."""


def told(look: SweepKey, error: Exception, words: str) -> ProviderError:
    """The failure of a sweep, as transient or final as it was. `words` are those of the error without secrets."""
    passes = isinstance(error, TransientError | StoreError)
    kind = TransientError if passes else PermanentError if isinstance(error, PermanentError) else ProviderError
    text = f"cannot observe {look.source} in {look.partition}: {words}"
    if not isinstance(error, ProviderError):
        return kind(text)
    return kind(text, code=error.code, request_id=error.request_id, is_throttled=error.is_throttled)


def as_before(before: Mapping[TypeName, Sweep], now: Mapping[TypeName, Sweep]) -> dict[TypeName, Sweep]:
    """The sweeps of now, with the item of the sweep before wherever the two are equal."""
    kept: dict[TypeName, Sweep] = {}
    for name, sweep in now.items():
        known = before[name].items if name in before else {}
        items = {
            key: item if (one := known.get(key)) is None or (one is not item and one != item) else one
            for key, item in sweep.items.items()
        }
        kept[name] = replace(sweep, items=items)
    return kept
