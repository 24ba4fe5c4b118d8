"""Reasons: why something is done about a difference, as an operation, and why nothing is, as a wait.

There is one function for each kind of both, in the words that people read. A wait is None where nothing stands in the
way; its message names the event that has to happen first, and tells how a person can bring it about.

*Continued work.* A failure is left to people, who give a command once they have removed its cause. The plan that
serves this command tries each failed object again whose wish it does not change: as an operation of its own, so that a
dry run shows it. An object that the plan changes or takes away is never tried as it was. A deletion that an earlier
command had begun, and that rests since, is an operation of the next command in the same way: it goes on because of
that, and the dry run and the people who must agree see it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from tenuto.core.language.resolve import IMPORT, kept_secrets, open_expressions
from tenuto.core.pacing.visibility import ADOPT, CREATE
from tenuto.core.planning.comparing.adoption import was_never_made
from tenuto.core.planning.comparing.difference import is_remade
from tenuto.core.planning.comparing.left_behind import OWN_PATHS
from tenuto.core.planning.comparing.secrets import Desired
from tenuto.core.planning.failures import failed_entries
from tenuto.core.planning.marked import held_message
from tenuto.lifecycles import roles
from tenuto.model.composition import Composition, Declaration, DeletionPolicy
from tenuto.model.delta import DeltaKind, Difference, Unknown
from tenuto.model.diagnostic import Position
from tenuto.model.ids import IdSource, LogicalId, ObjectId, PhaseName
from tenuto.model.marked import MarkedThing
from tenuto.model.plan import Operation, StepKind, Wait
from tenuto.model.process import Process, ReleaseMode
from tenuto.model.resource import ManagedObject, ResourceType
from tenuto.model.snapshot import Candidate
from tenuto.model.verb import Verb, WaitKind

_LETS_GO: Mapping[ReleaseMode, str] = {
    ReleaseMode.UNTAG: "it stays as it is, without our tags",
    ReleaseMode.KEEP_TAGS: "it stays as it is, with our tags",
}


def is_continued(found: ManagedObject, process: Process) -> bool:
    """Whether a plan made now continues the earlier work on an object: a command waits to be served, and a phase of the
    object failed, or the object was on its way out already."""
    is_under_way = found.is_phase_failed or roles.is_leaving(found)
    return is_under_way and process.intent.corrects and not roles.is_failing(found)


def continuation(found: ManagedObject, position: Position | None) -> Operation:
    """The operation that the earlier work is for people: a creation, a deletion or a change."""
    failed = failed_entries(found)
    return Operation(
        verb=_verb(found, failed[0].phase if failed else None),
        type=found.type,
        logical_id=found.logical_id,
        object_id=found.object_id,
        physical_id=found.physical_id,
        reason=reason_to_try_again(found) if failed else "goes on, as an earlier command ordered",
        depends_on=found.depends_on,
        position=position,
    )


def reason_to_try_again(found: ManagedObject) -> str:
    """The failed phases of an object, as the reason of another try."""
    return f"again, because {', '.join(entry.phase for entry in failed_entries(found))} failed"


def _verb(found: ManagedObject, phase: PhaseName | None) -> Verb:
    if roles.is_being_deleted(found):
        return Verb.DELETE
    if roles.is_being_released(found):
        return Verb.RELEASE
    if phase == ADOPT:
        return Verb.ADOPT
    return Verb.CREATE if phase == CREATE or found.physical_id is None else Verb.MODIFY


def is_new_wish(difference: Difference, desired: Desired, found: ManagedObject) -> bool:
    """Whether a user asked for it: other properties than before, nothing but another deletion policy or the end of an
    update, or that a thing stays which an earlier command had ordered away."""
    is_own_alone = bool(difference.changes) and all(change.path in OWN_PATHS for change in difference.changes)
    is_turned_back = roles.is_leaving(found)
    return desired.digest != found.desired_digest or is_own_alone or is_turned_back


def is_refresh(difference: Difference, found: ManagedObject | None) -> bool:
    """Whether nothing is to be changed: the stored answers to `Ref` and `GetAtt` are old, or a change that failed is
    taken back."""
    is_same = difference.kind is DeltaKind.CHANGED and not difference.changes
    return is_same and found is not None and not roles.is_leaving(found)


def reason_to_change(difference: Difference, desired: Desired, found: ManagedObject | None) -> str:
    """Return why a declared resource is made, made anew or changed."""
    if difference.kind is DeltaKind.VANISHED:
        return f"vanished: {difference.message}"
    if difference.kind is DeltaKind.BROKEN:
        return f"broken: {difference.message}"
    if found is None:
        return "new"
    if is_refresh(difference, found) and not found.is_phase_failed:
        return f"{difference.message}: read again, for what refers to it"
    if difference.message:
        return difference.message
    if any(change.after is Unknown.AFTER_APPLY for change in difference.changes):
        return "something it refers to is made anew"
    if is_new_wish(difference, desired, found):
        return "update"
    return reason_to_try_again(found) if found.is_phase_failed else "drift"


def reason_to_succeed(found: ManagedObject, standing: ManagedObject | None) -> str:
    """Return why an incarnation goes whose address is declared, and at which `standing` is to stay; None for one that
    this plan makes, or whose replacement is on its way.

    An older one stays when an update was taken back: then the replacement goes, and not the replaced incarnation.
    """
    if standing is None or standing.physical_id is None:
        return "replaced, once its successor is ready"
    if standing.incarnation < found.incarnation:
        return "a replacement that is not needed any more"
    return "left over from a replacement"


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
    reason, policy = reason_to_change(difference, desired, found), declaration.replace_policy
    is_kept = verb is Verb.REPLACE and policy is not DeletionPolicy.DELETE
    return Operation(
        verb=verb,
        type=declaration.type,
        logical_id=declaration.logical_id,
        object_id=ObjectId(ids.new("object")) if remade or found is None else found.object_id,
        physical_id=found.physical_id if found else None,
        reason=f"{reason}; UpdateReplacePolicy {policy.value}" if is_kept else reason,
        changes=difference.changes,
        depends_on=declaration.depends_on,
        position=declaration.position,
    )


def adoption(declaration: Declaration, candidate: Candidate, ids: IdSource) -> Operation:
    """The operation that takes over an existing thing."""
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
    verb = Verb.RELEASE if kind is StepKind.RELEASE else Verb.DELETE
    if was_never_made(found):
        reason = f"{reason}; it was never made"
    return _end(found, verb, f"{reason}; DeletionPolicy {policy.value}" if has_policy else reason)


def kept_for(operation: Operation, users: str) -> Operation:
    """The replacement of something that `users` still use: it stays until they use its successor."""
    return replace(operation, reason=f"{operation.reason}; the original stays until {users} uses the new one")


def loss_to(found: ManagedObject, taker: str) -> Operation:
    """The operation by which a resource is given up whose thing another process manages: nothing is done to that."""
    return _end(found, Verb.RELEASE, f"{taker} manages what has this id now, and it is left to that")


def _end(found: ManagedObject, verb: Verb, reason: str) -> Operation:
    return Operation(
        verb=verb,
        type=found.type,
        logical_id=found.logical_id,
        object_id=found.object_id,
        physical_id=found.physical_id,
        reason=reason,
        depends_on=found.depends_on,
    )


def wait_for_object(difference: Difference, found: ManagedObject | None) -> Wait:
    """The wait for an object that is on its way, has failed, or was not observed well enough."""
    if difference.kind is DeltaKind.UNCLEAR:
        kind = WaitKind.OBSERVATION
    else:
        kind = WaitKind.FAILED if found is not None and found.is_phase_failed else WaitKind.PHASE
    return Wait(kind=kind, logical_id=difference.logical_id, message=difference.message)


def wait_for_enforcement(difference: Difference, desired: Desired, found: ManagedObject | None) -> Wait | None:
    """The wait of drift while enforcement is off, which holds back changes that no command asked for; a new wish
    passes."""
    if found is None or roles.is_failing(found) or is_new_wish(difference, desired, found):
        return None
    message = "drift is seen and not corrected: enforcement is off"
    if is_refresh(difference, found):
        message = "its attributes are old; Tenuto reads them again once enforcement is on"
    return Wait(kind=WaitKind.ENFORCEMENT, logical_id=difference.logical_id, message=message)


def wait_for_doctor(
    process: Process, declaration: Declaration, found: ManagedObject | None, marked: Iterable[MarkedThing]
) -> Wait | None:
    """The wait of an address whose marks something carries already: making another one could not be undone."""
    name = declaration.logical_id
    things = [one for one in marked if one.type == declaration.type]
    if not things:
        return None
    message = held_message(process.alias or process.fid, name, things, found.physical_id if found else None)
    return Wait(kind=WaitKind.MARKED, logical_id=name, message=message)


def wait_for_another(
    declaration: Declaration,
    desired: Desired,
    secrets: Collection[str],
    coming: Collection[LogicalId],
    blocked: Mapping[LogicalId, LogicalId],
    has_told_all: Callable[[LogicalId], bool],
    secret_exports: Collection[str],
) -> Wait | None:
    """The wait for a value that this plan could use, or for one that another resource keeps.

    The parameters in `secrets` have values that planning never sees. At the addresses in `coming` something is on its
    way, or will be made. `blocked` are the holders of the values that some resources need. The thing at an address that
    `has_told_all` will tell no other attribute, and no process passes on `secret_exports`: only a person can end such a
    wait.
    """
    name = declaration.logical_id
    later = {*secrets, *kept_secrets(desired.properties)}
    for one in open_expressions(desired.properties):
        if one.name not in later and one.name not in coming:
            told = f"{one.name}.{one.attribute}" if one.attribute else one.name
            if one.attribute and has_told_all(LogicalId(one.name)):
                advice = f"Correct the reference, or change {one.name}, so that it is asked again"
                return _reference(name, f"{name} refers to {told}, and {one.name} has no such attribute. {advice}")
            if one.name in secret_exports:
                advice = "Keep the secret in a store of the provider, and have both processes refer to it there"
                return _reference(name, f"{name} imports {told}, which holds a secret and is not passed on. {advice}")
            if one.kind == IMPORT:
                unknown = f"{name} imports {told}, and no process of this account and region gives it a value yet"
                return _reference(name, f"{unknown}. Run, or adopt, the process that exports it first")
            return _reference(name, f"{name} refers to {told}, which has no value yet")
    if holder := blocked.get(name):
        return _reference(name, f"{name} needs what {holder} still holds; {holder} will release it, but waits itself")
    return None


def wait_for_dependency(declaration: Declaration, standing: Collection[LogicalId]) -> Wait | None:
    """The wait of a resource that is to be made, for one that it depends on and that waits itself: `DependsOn` gives no
    value that would be missing. At the addresses in `standing` something stands, or will stand."""
    for one in declaration.depends_on:
        if one not in standing:
            name = declaration.logical_id
            return _reference(name, f"{name} depends on {one}, which cannot be made yet")
    return None


def wait_for_successor(found: ManagedObject) -> Wait:
    """The wait of an old incarnation at whose address nothing else stands yet."""
    which = found.physical_id or f"incarnation {found.incarnation}"
    message = f"{which} stays until its successor is ready"
    return Wait(kind=WaitKind.PHASE, logical_id=found.logical_id, message=message)


def wait_for_deletions(found: ManagedObject) -> Wait:
    """The wait of a resource that a kill keeps, for all deletions of the kill: until then the kill can be cancelled."""
    message = f"{found.logical_id} stays, and Tenuto lets go of it once the deletions of this kill are done"
    return Wait(kind=WaitKind.PHASE, logical_id=found.logical_id, message=message)


def wait_for_policy(
    process: Process, found: ManagedObject, facts: ResourceType | None, way_out: StepKind
) -> Wait | None:
    """The wait of something that can neither be released, since its type knows no release, nor deleted, since it is to
    stay. `way_out` is how it leaves by its policy.
    """
    if roles.can_be_released(found, facts):
        return None
    name = process.alias or process.fid
    if process.releasing is not None:
        message = (
            f"{found.logical_id} cannot be released: a {found.type} exists only as long as Tenuto manages it. "
            f"'tenuto kill {name}' deletes it"
        )
    elif way_out is StepKind.REMOVE:
        return None
    else:
        message = (
            f"{found.logical_id} is to be kept by its policy, and a {found.type} exists only as long as Tenuto manages "
            f"it. Give it the policy Delete with 'tenuto update {name} FILE', or leave it declared"
        )
    return Wait(kind=WaitKind.UNRELEASABLE, logical_id=found.logical_id, message=message)


def wait_for_importers(found: ManagedObject, users: str, *, is_declared: bool) -> Wait:
    """The wait of a resource that `users` still use: of an original, or of one that left the composition."""
    name = found.logical_id
    cause = f"{name} was replaced, and the original" if is_declared else f"{name} left the composition, and"
    new = "one" if is_declared else "value"
    message = (
        f"{cause} {found.physical_id} stays until {users} uses the new {new}: with its next job, or when it is resumed"
    )
    return Wait(kind=WaitKind.FOLLOWED, logical_id=found.logical_id, message=message)


def wait_for_name(declaration: Declaration, found: ManagedObject, resource_type: ResourceType) -> Wait:
    """The wait of a resource that is to be made anew while its old thing stays and holds a value that only one can
    have."""
    paths = sorted({path for group in resource_type.exclusive for path in group if path in declaration.properties})
    message = (
        f"{found.logical_id} must be replaced, and its UpdateReplacePolicy keeps {found.physical_id}, which has the "
        f"same {' and '.join(paths) or 'place'}: no successor can be made beside it. Declare another "
        f"{' or '.join(paths) or 'place'}, or 'UpdateReplacePolicy: Delete'"
    )
    return Wait(kind=WaitKind.UNRELEASABLE, logical_id=found.logical_id, message=message)


def _reference(name: LogicalId, message: str) -> Wait:
    return Wait(kind=WaitKind.REFERENCE, logical_id=name, message=message)
