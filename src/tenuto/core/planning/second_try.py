"""A second try: what a command makes of a phase that failed.

A failure is left to people, who give a command once they have removed its cause. The plan that serves this command
tries again what it leaves as it was wished before: as an operation of its own, so that a dry run shows it. What the
plan changes or takes away is never tried as it was.
"""

from tenuto.core.pacing.visibility import ADOPT, CREATE
from tenuto.core.planning.failures import failed_entries
from tenuto.lifecycles import roles
from tenuto.model.diagnostic import Position
from tenuto.model.ids import PhaseName
from tenuto.model.plan import Operation, Verb
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject


def is_tried_again(found: ManagedObject, process: Process) -> bool:
    """Whether a plan made now tries again what failed of an object: a command waits to be served."""
    return found.is_phase_failed and process.intent.corrects and not roles.is_failing(found)


def retry_operation(found: ManagedObject, position: Position | None) -> Operation:
    """The operation that another try is for people: a creation, a deletion or a change."""
    return Operation(
        verb=_verb(found, failed_entries(found)[0].phase),
        type=found.type,
        logical_id=found.logical_id,
        object_id=found.object_id,
        physical_id=found.physical_id,
        reason=reason_to_try_again(found),
        depends_on=found.depends_on,
        position=position,
    )


def reason_to_try_again(found: ManagedObject) -> str:
    """The failed phases of an object, as the reason of another try."""
    return f"again, because {', '.join(entry.phase for entry in failed_entries(found))} failed"


def _verb(found: ManagedObject, phase: PhaseName) -> Verb:
    if roles.is_being_deleted(found):
        return Verb.DELETE
    if roles.is_being_released(found):
        return Verb.RELEASE
    if phase == ADOPT:
        return Verb.ADOPT
    return Verb.CREATE if phase == CREATE or found.physical_id is None else Verb.MODIFY
