"""The search for the thing that a name means, and the error where there is none."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from tenuto.errors import NoProcessError, NotFoundError, UserError
from tenuto.kit.nearest import meant
from tenuto.kit.times import iso_text
from tenuto.model.command import ProcessState
from tenuto.model.event import Event, EventType
from tenuto.model.ids import Fid, Instant, LogicalId, PlanId
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject
from tenuto.ports.store_reads import ProcessReads

PROPERTIES = ("alias", "lock", "enforcement")
"""The properties of a process that can be read and set."""


def any_process(store: ProcessReads, reference: str) -> Process:
    """A live process, else the one of that name that was gone last. Raises NotFoundError."""
    process = store.process(reference)
    if process is None:
        raise NoProcessError(reference)
    return process


def live_process(store: ProcessReads, reference: str) -> Process:
    """A process that is not gone. Raises NotFoundError."""
    process = any_process(store, reference)
    if process.state is ProcessState.GONE:
        raise NotFoundError(
            f"Process {reference!r} is gone. 'tenuto history {process.fid}' tells how; 'tenuto run' makes a new one."
        )
    return process


def no_plan(plan_id: PlanId, removed_until: Instant | None) -> NotFoundError:
    """The error, which also tells since when plans are kept, where any were removed."""
    removed = f" Plans of {iso_text(removed_until)} and before may have been removed." if removed_until else ""
    return NotFoundError(f"There is no plan {plan_id}.{removed} 'tenuto history' names the plans of a process.")


def check_resources(process: Process, objects: Iterable[ManagedObject], logical_ids: Sequence[LogicalId]) -> None:
    """Raise NotFoundError for resources that the process does not have."""
    known = {one.logical_id for one in objects}
    missing = [name for name in logical_ids if name not in known]
    if missing:
        name = process.alias or process.fid
        raise NotFoundError(
            f"Process {name} has no resource {', '.join(missing)}.{meant(missing[0], known)} "
            f"'tenuto status {name}' lists its resources."
        )


def no_property(key: str) -> UserError:
    """Return the error for a name that is no property of a process."""
    return UserError(f"There is no property {key!r}.{meant(key, PROPERTIES)} There are {', '.join(PROPERTIES)}.")


def switch_of(key: str, value: str) -> bool:
    """Whether a property is switched on by the value. Raises UserError for a value that is neither on nor off."""
    match value.lower():
        case "on":
            return True
        case "off":
            return False
        case _:
            raise UserError(f"The property {key} is 'on' or 'off', not {value!r}.")


def check_event_types(types: Iterable[str]) -> None:
    """Raise UserError for types of which there are no events: a filter by them would be silent for ever."""
    check_words("type of events", types, [one.value for one in EventType])


def check_words(noun: str, given: Iterable[str], known: Collection[str]) -> None:
    """Raise UserError for a word of a filter that nothing can ever match. The `noun` names their kind."""
    strange = [one for one in given if one not in known]
    if strange:
        raise UserError(
            f"There is no {noun} {', '.join(strange)}.{meant(strange[0], known)} There are {', '.join(known)}."
        )


def process_names(store: ProcessReads, events: Iterable[Event]) -> Mapping[Fid, str]:
    """The names of the processes of events: aliases, and FIDs where there are none."""
    fids = dict.fromkeys(event.fid for event in events if event.fid)
    found = {fid: store.process(fid) for fid in fids}
    return {fid: process.alias or fid for fid, process in found.items() if process is not None}
