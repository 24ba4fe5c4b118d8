"""Operations, one function for each kind, with their reasons in the words that people read beside them.

*A second try.* A failure is left to people, who give a command once they have removed its cause. The plan that serves
this command tries again what it leaves as it was wished before: as an operation of its own, so that a dry run shows it.
What the plan changes or takes away is never tried as it was.
"""

from collections.abc import Mapping

from tenuto.core.pacing.visibility import ADOPT, CREATE
from tenuto.core.planning.changes import Desired
from tenuto.core.planning.deletion_policy import POLICY_PATH
from tenuto.core.planning.difference import is_remade
from tenuto.core.planning.failures import failed_entries
from tenuto.lifecycles import roles
from tenuto.model.composition import Composition, Declaration, DeletionPolicy
from tenuto.model.delta import DeltaKind, Difference, Unknown
from tenuto.model.diagnostic import Position
from tenuto.model.ids import IdSource, ObjectId, PhaseName
from tenuto.model.plan import Operation, StepKind, Verb
from tenuto.model.process import Process, ReleaseMode
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Candidate

_LETS_GO: Mapping[ReleaseMode, str] = {
    ReleaseMode.UNTAG: "it stays as it is, without our tags",
    ReleaseMode.KEEP_TAGS: "it stays as it is, with our tags",
}


def is_tried_again(found: ManagedObject, process: Process) -> bool:
    """Whether a plan made now tries again what failed of an object: a command waits to be served."""
    return found.is_phase_failed and process.intent.corrects and not roles.is_failing(found)


def second_try(found: ManagedObject, position: Position | None) -> Operation:
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


def is_new_wish(difference: Difference, desired: Desired, found: ManagedObject) -> bool:
    """Whether a user asked for it: other properties than before, nothing but another deletion policy, or that a thing
    stays which an earlier command had ordered away."""
    is_policy_alone = bool(difference.changes) and all(change.path == POLICY_PATH for change in difference.changes)
    is_turned_back = roles.is_leaving(found)
    return desired.digest != found.desired_digest or is_policy_alone or is_turned_back


def is_refresh(difference: Difference, found: ManagedObject | None) -> bool:
    """Whether nothing is to be changed, and only the stored answers to `Ref` and `GetAtt` are old."""
    is_same = difference.kind is DeltaKind.CHANGED and not difference.changes
    return is_same and found is not None and found.is_settled and not roles.is_leaving(found)


def reason_to_change(difference: Difference, desired: Desired, found: ManagedObject | None) -> str:
    """Return why a declared resource is made, made anew or changed."""
    if difference.kind is DeltaKind.VANISHED:
        return f"vanished: {difference.message}"
    if difference.kind is DeltaKind.BROKEN:
        return f"broken: {difference.message}"
    if found is None:
        return "new"
    if is_refresh(difference, found):
        return f"{difference.message}: read again, for what refers to it"
    if difference.message:
        return difference.message
    if any(change.after is Unknown.AFTER_APPLY for change in difference.changes):
        return "something it refers to is made anew"
    if is_new_wish(difference, desired, found):
        return "update"
    return reason_to_try_again(found) if found.is_phase_failed else "drift"


def reason_to_succeed(*, is_awaited: bool) -> str:
    """Return why an incarnation goes whose address is declared: its successor is to come, or stands there already."""
    return "replaced, once its successor is ready" if is_awaited else "left over from a replacement"


def reason_to_remove(process: Process, composition: Composition | None) -> str:
    """Return why an incarnation goes whose address is not declared."""
    if composition is not None:
        return "not declared any more"
    return "kill" if process.releasing is None else _LETS_GO[process.releasing]


def correction(
    difference: Difference, declaration: Declaration, found: ManagedObject | None, desired: Desired, ids: IdSource
) -> Operation:
    """The operation that makes a declared resource, makes it anew or changes it."""
    remade = is_remade(difference)
    if is_refresh(difference, found):
        verb = Verb.REFRESH
    elif not remade:
        verb = Verb.MODIFY
    elif found is None or difference.kind is DeltaKind.VANISHED:
        verb = Verb.CREATE
    else:
        verb = Verb.REPLACE
    assert found is not None or remade
    return Operation(
        verb=verb,
        type=declaration.type,
        logical_id=declaration.logical_id,
        object_id=ObjectId(ids.new("object")) if remade or found is None else found.object_id,
        physical_id=found.physical_id if found else None,
        reason=reason_to_change(difference, desired, found),
        changes=difference.changes,
        depends_on=declaration.depends_on,
        position=declaration.position,
    )


def adoption(declaration: Declaration, candidate: Candidate, ids: IdSource) -> Operation:
    """The operation that takes over what exists."""
    return Operation(
        verb=Verb.ADOPT,
        type=declaration.type,
        logical_id=declaration.logical_id,
        object_id=ObjectId(ids.new("object")),
        physical_id=candidate.physical_id,
        reason="it exists",
        depends_on=declaration.depends_on,
        position=declaration.position,
    )


def removal(found: ManagedObject, process: Process, way_out: StepKind, reason: str) -> Operation:
    """The operation by which a surplus resource goes, or stays behind unmanaged when its policy says so. `way_out` is
    how it leaves by its policy."""
    policy, is_released = found.deletion_policy, process.releasing is not None
    kind = StepKind.RELEASE if is_released else way_out
    has_policy = policy is not DeletionPolicy.DELETE and not is_released
    return Operation(
        verb=Verb.RELEASE if kind is StepKind.RELEASE else Verb.DELETE,
        type=found.type,
        logical_id=found.logical_id,
        object_id=found.object_id,
        physical_id=found.physical_id,
        reason=f"{reason}; DeletionPolicy {policy.value}" if has_policy else reason,
        depends_on=found.depends_on,
    )
