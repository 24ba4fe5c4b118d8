"""The verdicts that a phase run may give for one object: a closed union.

No word at all is `Sleep()`: the object is still under way and is given to the plugin again after the phase's delay.

The result of one run for one object: its verdict, and the data that the plugin wrote.

The object may have changed while the plugin had it in its hands: another phase stored an attribute, the user gave it
another target. So a result is a difference, and is merged onto the object as it is when the run returns.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tenuto.kit.evolve import evolve
from tenuto.model.attempt import Attempt
from tenuto.model.ids import Instant, Json, JsonMap, ObjectId, PhaseName, PhysicalId
from tenuto.model.phase_map import IN_FLIGHT, PhaseEntry
from tenuto.model.resource import ManagedObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete:
    """The phase succeeded. `message` replaces the last message of the phase."""

    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """The phase failed: a person must act, then retry. `code` and `request_id` are the provider's own.

    One that `is_acknowledged` was foreseen by the composition: where its table has an edge of failure, the object is
    replaced without a person. One that `keeps_state` says nothing against the thing: it was refused before it reached
    it, or its effect is not known. The failure stays in the phase, and no edge of failure is taken.
    """

    message: str
    code: str = ""
    request_id: str = ""
    is_acknowledged: bool = False
    keeps_state: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleep:
    """A verdict: the work is still under way. `seconds` is counted from the end of the run; None is the phase's delay.

    An empty `message` keeps the earlier message of the phase. `code` and `request_id` are set when a transient fault is
    the cause.
    """

    seconds: float | None = None
    message: str = ""
    code: str = ""
    request_id: str = ""


Verdict = Complete | Fail | Sleep


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One object's part of a run. `entry` is its entry as the run began: it says which run this was.

    `data` is None when the plugin did not change it, and so is `act`. `attributes` are those set to another value,
    `removed` those deleted. `is_touched` says that the real thing may have been changed.
    """

    object_id: ObjectId
    entry: PhaseEntry
    verdict: Verdict
    message: str = ""
    data: JsonMap | None = None
    act: Attempt | None = None
    attributes: JsonMap = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    physical_id: PhysicalId | None = None
    sets_physical_id: bool = False
    is_touched: bool = False


def belongs(object: ManagedObject, result: Result) -> bool:  # noqa: A002
    """Whether the object is still in the run that the result is from.

    It is not when the result was applied already, or when a restarted Conductor gave the object to another run.
    """
    entry = object.phases.get(result.entry.phase)
    if entry is None or entry.status not in IN_FLIGHT:
        return False
    return (entry.state, entry.attempt, entry.runs) == (result.entry.state, result.entry.attempt, result.entry.runs)


def merge(object: ManagedObject, result: Result, now: Instant) -> ManagedObject:  # noqa: A002
    """The object with the data that the plugin wrote; the verdict is not applied."""
    entry = object.phases[result.entry.phase]
    written = evolve(
        entry,
        data=entry.data if result.data is None else result.data,
        act=entry.act if result.act is None else result.act,
        message=result.message or entry.message,
    )
    phases: Mapping[PhaseName, PhaseEntry] = object.phases
    if written != entry:
        phases = {**phases, written.phase: written}
    return evolve(
        object,
        phases=phases,
        attributes=_merged(object.attributes, result),
        physical_id=result.physical_id if result.sets_physical_id else object.physical_id,
        touched_at=max(now, object.touched_at) if result.is_touched else object.touched_at,
    )


def _merged(attributes: JsonMap, result: Result) -> JsonMap:
    """Return the attributes with those of the result: the same mapping when the result has none, so that nothing is
    stored.
    """
    if not result.attributes and not result.removed:
        return attributes
    merged: dict[str, Json] = {**attributes, **result.attributes}
    return {name: value for name, value in merged.items() if name not in result.removed}
