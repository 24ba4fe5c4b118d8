"""The proof of a change: what a provider accepted has happened once a later sweep shows it.

A provider may answer that a change was made and not make it. So a job that changed something in place ends well only
after a sweep that began after the change; what this sweep still shows as it was is unproven. It is tried again by the
next jobs, a few times (`core.planning.fights`).
"""

from collections.abc import Sequence

from tenuto.model.plan import Operation, Plan, Planning, StepKind


def unproven_changes(plan: Plan, planning: Planning) -> tuple[Operation, ...]:
    """The operations of a plan whose changes a later planning asks for again."""
    changed = {step.object_id for step in plan.steps if step.kind is StepKind.CHANGE}
    asked_again: dict[str, set[str]] = {}
    for operation in (*planning.plan.operations, *planning.drift):
        asked_again.setdefault(operation.object_id, set()).update(change.path for change in operation.changes)
    return tuple(
        operation
        for operation in plan.operations
        if operation.object_id in changed
        and any(change.path in asked_again.get(operation.object_id, ()) for change in operation.changes)
    )


def unproven_message(unproven: Sequence[Operation]) -> str:
    """The message about changes that the provider accepted and does not show; empty without any."""
    if not unproven:
        return ""
    told = ", ".join(
        f"{operation.logical_id} ({', '.join(change.path for change in operation.changes)})" for operation in unproven
    )
    return f"the provider accepted the change of {told} and does not show it"
