"""The refusal of a kill or a release that would never come to its end.

Theory of operation. A thing that exists only as long as its process has it cannot be released; and with a policy that
keeps it, it is not deleted either. The command would wait for ever, and meanwhile delete the things that the kept one
needs. So it is refused before anything is changed. The planner holds such a thing, should one be made meanwhile.
"""

from collections.abc import Sequence

from tenuto.core.planning.comparing.deletion_policy import as_accepted, exit_of
from tenuto.errors import NotAllowedError
from tenuto.kit.first_names import first_of
from tenuto.lifecycles.roles import can_be_released, has_ended
from tenuto.model.command import Command
from tenuto.model.plan import StepKind
from tenuto.model.resource import ManagedObject
from tenuto.ports.conductor import Conductor
from tenuto.ports.store import Store
from tenuto.service.commands.orders import Order

_NAMED = 5
"""The number of resources that a refusal names."""


def check_end(order: Order, store: Store, conductor: Conductor) -> None:
    """Raise NotAllowedError when the order is a kill or a release, and a resource can only stay in the process."""
    if order.command not in (Command.KILL, Command.RELEASE):
        return
    process, types = order.process, conductor.types(order.process.provider)
    objects = as_accepted(store.objects(process.fid), store.composition(process.composition_digest))
    bound = [one for one in objects if not has_ended(one) and not can_be_released(one, types.get(one.type))]
    name = process.alias or process.fid
    if order.command is Command.RELEASE and bound:
        raise NotAllowedError(
            f"Process {name} cannot be released: {_listed(bound)} cannot exist without it. Nothing was changed. Keep "
            f"the process, or delete it and its resources with 'tenuto kill {name}'."
        )
    kept = [one for one in bound if exit_of(one, one.deletion_policy, types.get(one.type)) is StepKind.RELEASE]
    if order.command is Command.KILL and kept:
        raise NotAllowedError(
            f"Process {name} cannot be killed: {_listed(kept)} is to be kept by its DeletionPolicy, and cannot exist "
            f"without the process. Nothing was changed. Give it the policy Delete with 'tenuto update {name} FILE' "
            "first, or keep the process."
        )


def _listed(held: Sequence[ManagedObject]) -> str:
    return first_of([f"{one.logical_id} ({one.type})" for one in held], _NAMED)
