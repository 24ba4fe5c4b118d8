"""The waits of a plan: why nothing is done about a difference now, or with a resource that is to go.

Each function answers one question about a difference: the wait, or None where nothing stands in the way. Messages say
what has to happen first, and how a person can bring it about.
"""

from collections.abc import Collection, Iterable, Mapping

from tenuto.core.language.resolve import open_expressions
from tenuto.core.planning.changes import Desired
from tenuto.core.planning.marked import held_message
from tenuto.core.planning.reasons import is_new_wish, is_refresh
from tenuto.lifecycles import roles
from tenuto.model.composition import Declaration
from tenuto.model.delta import DeltaKind, Difference
from tenuto.model.ids import LogicalId
from tenuto.model.marked import MarkedThing
from tenuto.model.plan import StepKind, Wait, WaitKind
from tenuto.model.process import Process
from tenuto.model.resource import ManagedObject


def wait_for_object(difference: Difference, found: ManagedObject | None) -> Wait:
    """The wait for an object that is on its way, has failed, or was not observed well enough."""
    if difference.kind is DeltaKind.UNCLEAR:
        kind = WaitKind.OBSERVATION
    else:
        kind = WaitKind.FAILED if found is not None and found.is_phase_failed else WaitKind.PHASE
    return Wait(kind=kind, logical_id=difference.logical_id, message=difference.message)


def wait_for_enforcement(difference: Difference, desired: Desired, found: ManagedObject | None) -> Wait | None:
    """The wait of drift while enforcement is off, which holds back what no command asked for; a new wish passes."""
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
) -> Wait | None:
    """The wait for a value that this plan could use, or for what another resource keeps.

    The parameters in `secrets` have values that planning never sees. At the addresses in `coming` something is on its
    way, or will be made. `blocked` are the holders of what some resources need.
    """
    name = declaration.logical_id
    for one in open_expressions(desired.properties):
        if one.name not in secrets and one.name not in coming:
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


def wait_for_policy(process: Process, found: ManagedObject, way_out: StepKind) -> Wait | None:
    """The wait of something that can neither be released, since its type knows no release, nor deleted, since it is to
    stay. `way_out` is how it leaves by its policy.
    """
    if roles.table_of(found).released is not None:
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


def _reference(name: LogicalId, message: str) -> Wait:
    return Wait(kind=WaitKind.REFERENCE, logical_id=name, message=message)
