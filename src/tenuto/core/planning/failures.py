"""The words of a failure, the same in the last message, the history, the events and `explain`.

A failure is told with the resource, the phase, the provider's words, its code and its request id, and then with two
commands: one that goes on once the cause is removed, and one that comes to an end if the cause stays for ever. The
first is not always `resume`: on a kill it would turn everything back. The second needs nothing of the provider that has
just failed: a thing that cannot be made can be taken down, one that cannot be deleted can be released, and a release
that keeps the tags makes no call.

The causes of a suspension: the codes of the failures that suspended a process.

A code comes from the provider (`AccessDenied`, `ExpiredToken`, `VpcLimitExceeded`), or from Tenuto for want of one.
Many processes may be suspended by one cause, such as a permission that was taken away. Once it is removed, one command
resumes all of them. A process that a command suspended, or whose plan is held, has no cause: a person has to decide
about each of these.
"""

from collections.abc import Collection

from tenuto.core.planning.intents import command_that_goes_on
from tenuto.errors import ProviderError, TransientError, UserError
from tenuto.kit.well_formed import well_formed
from tenuto.lifecycles import roles
from tenuto.model.command import Command, ProcessState
from tenuto.model.phase_map import PhaseEntry, PhaseStatus
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject

MOST_TOLD = 5
"""The failures that a message names one by one. It goes into the history, the events and notifications: six hundred
failures of one reason would be a hundred thousand characters in each of them."""
_MOST_REASONS = 5
_OF_A_REASON = 2


def uncorrected(error: UserError) -> str:
    """The composition itself cannot be evaluated (an index beyond a list, seen when the list was there): no later job
    can help."""
    return f"{error}. Correct the composition, then 'update'."


def failure_message(process: Process, failed: Collection[ManagedObject]) -> str:
    """The failed resources with their failed phases, and how to go on: each of a few, of many some of each reason."""
    entries = [
        (found, entry)
        for found in sorted(failed, key=lambda one: (one.logical_id, one.incarnation))
        for entry in failed_entries(found)
    ]
    name = process.alias or process.fid
    command = command_that_goes_on(process)
    goes_on = f"Once the cause is removed, 'tenuto {command} {name}' goes on."
    told = [_told(found, entry) for found, entry in entries] if len(entries) <= MOST_TOLD else _some_of(entries)
    listed = "" if len(entries) <= MOST_TOLD else f"'tenuto show {name} --status failed' lists them all. "
    return f"{'; '.join(told)}. {listed}{_kept(failed)}{goes_on} {_way_out(process, failed, name)}"


def _told(found: ManagedObject, entry: PhaseEntry) -> str:
    return f"{found.logical_id} ({found.type}): {entry.phase} failed: {words_of(entry)}"


def _some_of(entries: Collection[tuple[ManagedObject, PhaseEntry]]) -> list[str]:
    """The first of each reason, and how many more have it. A reason is a phase with a code, or with a message."""
    groups: dict[tuple[str, str], list[tuple[ManagedObject, PhaseEntry]]] = {}
    for found, entry in entries:
        groups.setdefault((entry.phase, entry.code or entry.message), []).append((found, entry))
    told = []
    for (_, reason), members in list(groups.items())[:_MOST_REASONS]:
        told += [_told(found, entry) for found, entry in members[:_OF_A_REASON]]
        if len(members) > _OF_A_REASON:
            code = f" ({reason})" if members[0][1].code else ""
            told.append(f"{len(members) - _OF_A_REASON} more for this reason{code}")
    others = sum(len(members) for members in list(groups.values())[_MOST_REASONS:])
    return [*told, f"{others} more"] if others else told


def blocked_message(process: Process, error: ProviderError) -> str:
    """Return why nothing can be planned, and how to end the process all the same; of a fault that passes, only why."""
    words = well_formed(str(error))
    if isinstance(error, TransientError):
        return words
    name = process.alias or process.fid
    release = f"'tenuto release {name} --keep-tags' ends the process without a call to the provider"
    if process.state is ProcessState.KILLING:
        release = f"After 'tenuto suspend {name}', {release}"
    return f"{words.rstrip('.')}. Tenuto tries again by itself. {release}: everything stays as it is."


def _kept(failed: Collection[ManagedObject]) -> str:
    """The sentence about the objects that are in their state of failures; empty without any."""
    kept = sorted(found.logical_id for found in failed if roles.is_failing(found))
    if not kept:
        return ""
    stays, them = ("stays as it is", "it") if len(kept) == 1 else ("stay as they are", "each")
    names = ", ".join(kept[:MOST_TOLD]) + (f" and {len(kept) - MOST_TOLD} more" if len(kept) > MOST_TOLD else "")
    return f"{names} {stays} for you to examine; the next command replaces or deletes {them}. "


def _way_out(process: Process, failed: Collection[ManagedObject], name: str) -> str:
    """The command that ends the process although the failed objects go on failing. An object that exists only in Tenuto
    cannot be released: of its deletion only the cancellation of a kill is left."""
    if any(roles.is_being_released(found) for found in failed):
        return f"Otherwise end the process and leave the tags ('tenuto release {name} --keep-tags')."
    is_killed = command_that_goes_on(process) is Command.KILL
    if is_killed and any(roles.table_of(found).released is None for found in failed):
        return f"Otherwise cancel the kill ('tenuto resume {name}')."
    if is_killed or any(roles.is_being_deleted(found) for found in failed):
        return f"Otherwise end the process and leave the rest in the account ('tenuto release {name}')."
    return (
        f"Otherwise change the composition ('tenuto update {name} FILE', then 'tenuto resume {name}'), "
        f"or end the process ('tenuto kill {name}')."
    )


def failed_entries(found: ManagedObject) -> tuple[PhaseEntry, ...]:
    """The failed phases of an object, by name."""
    failed = (entry for entry in found.phases.values() if entry.status is PhaseStatus.FAILED)
    return tuple(sorted(failed, key=lambda entry: entry.phase))


def upkeep_words(found: ManagedObject) -> str:
    """The failing upkeep of an object, each phase with its message; empty while all of it is in order."""
    return "; ".join(
        f"upkeep {entry.phase} fails and is tried again: {words_of(entry) or 'it gave no reason'}"
        for entry in found.failing_upkeep
    )


def words_of(entry: PhaseEntry) -> str:
    """The message of a phase without its full stop, with the provider's code and request id; empty without any."""
    message = entry.message.rstrip(".")
    code = "" if entry.code in message else entry.code
    details = ", ".join(part for part in (code, f"request {entry.request_id}" if entry.request_id else "") if part)
    if message and details:
        return f"{message} ({details})"
    return message or details


def codes_of(failed: Collection[ManagedObject]) -> tuple[str, ...]:
    """The codes of the failed phases of these objects, each once, by name."""
    return tuple(sorted({entry.code for found in failed for entry in failed_entries(found) if entry.code}))


def resumable_causes(process: Process) -> tuple[str, ...]:
    """The causes by which the process can be resumed: those that suspended it, unless it was suspended in its kill.

    There `resume` would make the deleted things again.
    """
    return () if why_not_by_cause(process) else process.causes


def why_not_by_cause(process: Process) -> str:
    """Return why a process is not to be resumed together with others of its cause; empty when it is."""
    name = process.alias or process.fid
    if process.state is not ProcessState.SUSPENDED:
        return f"It is {process.state} by now."
    if command_that_goes_on(process) is Command.KILL:
        return (
            f"It was suspended in the middle of its kill, and 'resume' would make again what was deleted. "
            f"'tenuto kill {name}' goes on."
        )
    return ""
