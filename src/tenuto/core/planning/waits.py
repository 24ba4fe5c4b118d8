"""The waits of a plan: why nothing is done about a difference now, or with a resource that is to go.

Each function answers one question about a difference: the wait, or None where nothing stands in the way. Messages say
what has to happen first, and how a person can bring it about.
"""

from collections.abc import Collection, Mapping

from tenuto.core.language.resolve import open_expressions
from tenuto.core.planning.changes import Desired
from tenuto.core.planning.deletion_policy import exit_kind
from tenuto.core.planning.marked import held_message
from tenuto.core.planning.reasons import is_new_wish, is_refresh
from tenuto.lifecycles import roles
from tenuto.model.composition import Declaration, DeletionPolicy
from tenuto.model.delta import DeltaKind, Difference
from tenuto.model.ids import LogicalId
from tenuto.model.plan import StepKind, Wait, WaitKind
from tenuto.model.resource import ManagedObject
from tenuto.model.snapshot import Snapshot


def wait_for_object(difference: Difference, found: ManagedObject | None) -> Wait:
    """The wait for an object that is on its way, has failed, or was not observed well enough."""
    if difference.kind is DeltaKind.UNCLEAR:
        kind = WaitKind.OBSERVATION
    else:
        kind = WaitKind.FAILED if found is not None and found.is_phase_failed else WaitKind.PHASE
    return Wait(kind=kind, logical_id=difference.logical_id, message=difference.message)


def wait_for_enforcement(
    snapshot: Snapshot, difference: Difference, desired: Desired, found: ManagedObject | None
) -> Wait | None:
    """The wait of drift while enforcement is off, which holds back what no command asked for; a new wish passes."""
    if snapshot.process.is_enforced_at(snapshot.now) or found is None:
        return None
    if roles.is_failing(found) or is_new_wish(difference, desired, found):
        return None
    message = "drift is seen and not corrected: enforcement is off"
    if is_refresh(difference, found):
        message = "its attributes are old; Tenuto reads them again once enforcement is on"
    return Wait(kind=WaitKind.ENFORCEMENT, logical_id=difference.logical_id, message=message)


def wait_for_doctor(snapshot: Snapshot, declaration: Declaration, found: ManagedObject | None) -> Wait | None:
    """The wait of an address whose marks something carries already: making another one could not be undone."""
    name = declaration.logical_id
    things = [one for one in snapshot.marked.get(name, ()) if one.type == declaration.type]
    if not things:
        return None
    process = snapshot.process
    message = held_message(process.alias or process.fid, name, things, found.physical_id if found else None)
    return Wait(kind=WaitKind.MARKED, logical_id=name, message=message)


def wait_for_another(
    snapshot: Snapshot,
    declaration: Declaration,
    desired: Desired,
    coming: Collection[LogicalId],
    blocked: Mapping[LogicalId, LogicalId],
) -> Wait | None:
    """The wait for a value that this plan could use, or for what another resource keeps.

    At the addresses in `coming` something is on its way, or will be made. `blocked` are the holders of what some
    resources need.
    """
    name = declaration.logical_id
    parameters = snapshot.composition.parameters if snapshot.composition else {}
    for one in open_expressions(desired.properties):
        is_secret = one.name in parameters and parameters[one.name].fingerprint
        if not is_secret and one.name not in coming:
            told = f"{one.name}.{one.attribute}" if one.attribute else one.name
            return _reference(name, f"{name} refers to {told}, which has no value yet")
    if holder := blocked.get(name):
        return _reference(name, f"{name} needs what {holder} still holds; {holder} will release it, but waits itself")
    return None


def wait_for_successor(found: ManagedObject) -> Wait:
    """The wait of an old incarnation at whose address nothing else stands yet."""
    which = found.physical_id or f"incarnation {found.incarnation}"
    message = f"{which} stays until its successor is ready"
    return Wait(kind=WaitKind.PHASE, logical_id=found.logical_id, message=message)


def wait_for_policy(snapshot: Snapshot, found: ManagedObject, policy: DeletionPolicy) -> Wait | None:
    """The wait of something that can neither be released, since its type knows no release, nor deleted, since it is to
    stay. `policy` is the one that it leaves by.
    """
    if roles.table_of(found).released is not None:
        return None
    process = snapshot.process
    name = process.alias or process.fid
    if process.releasing is not None:
        message = (
            f"{found.logical_id} cannot be released: a {found.type} exists only as long as Tenuto manages it. "
            f"'tenuto kill {name}' deletes it"
        )
    elif exit_kind(found, policy, snapshot) is StepKind.REMOVE:
        return None
    else:
        message = (
            f"{found.logical_id} is to be kept by its policy, and a {found.type} exists only as long as Tenuto manages "
            f"it. Give it the policy Delete with 'tenuto update {name} FILE', or leave it declared"
        )
    return Wait(kind=WaitKind.UNRELEASABLE, logical_id=found.logical_id, message=message)


def _reference(name: LogicalId, message: str) -> Wait:
    return Wait(kind=WaitKind.REFERENCE, logical_id=name, message=message)
