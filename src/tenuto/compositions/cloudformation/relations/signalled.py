"""Wait conditions, and the resources that may signal to them.

Theory of operation. A signal comes from a thing that got the address of the handle, such as a machine by its user data.
CloudFormation makes that thing beside the condition, whether the condition depends on it or not. A wave of Tenuto holds
all resources of a type: a machine that comes after the condition would keep back the one that the condition waits for,
until the time of the condition is over. So a condition depends on every resource that holds the address of its handle,
directly or through others. A resource that comes after a condition of the same handle is none of these: it may wait for
signals of others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tenuto.core.language.expressions import call_of
from tenuto.core.planning.comparing.order import reached
from tenuto.model.composition import Declaration
from tenuto.model.ids import LogicalId

_CONDITION = "AWS::CloudFormation::WaitCondition"


def after_signallers(declarations: tuple[Declaration, ...]) -> tuple[Declaration, ...]:
    """The declarations, where each wait condition depends on the resources that may signal to it."""
    conditions = {one.logical_id: handle for one in declarations if (handle := _handle(one))}
    if not conditions:
        return declarations
    needed = {one.logical_id: frozenset(one.depends_on) for one in declarations}
    for name, handle in conditions.items():
        users = _turned(needed)
        alike = [one for one, other in conditions.items() if other == handle]
        followers = reached(alike, users)
        needed[name] |= {one for one in reached([handle], users) if one != handle and one not in followers}
    return tuple(
        replace(one, depends_on=tuple(sorted(needed[one.logical_id]))) if one.logical_id in conditions else one
        for one in declarations
    )


def _handle(declaration: Declaration) -> LogicalId | None:
    """The handle that a wait condition refers to; None for another resource, and for an address from elsewhere."""
    value = declaration.properties.get("Handle") if declaration.type == _CONDITION else None
    match call_of(value) if value is not None else None:
        case ("Ref", str() as name) if name in declaration.depends_on:
            return LogicalId(name)
    return None


def _turned(needed: Mapping[LogicalId, Iterable[LogicalId]]) -> dict[LogicalId, list[LogicalId]]:
    """The resources that depend on each one."""
    users: dict[LogicalId, list[LogicalId]] = {}
    for name, others in needed.items():
        for other in others:
            users.setdefault(other, []).append(name)
    return users
