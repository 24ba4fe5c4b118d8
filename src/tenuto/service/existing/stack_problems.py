"""The reasons why a stack as a whole cannot be taken over now, each with advice."""

from tenuto.model.command import ProcessState
from tenuto.model.ids import Partition
from tenuto.model.process import Process
from tenuto.model.stack import UNMADE, Stack

SETTLED = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE", "UPDATE_ROLLBACK_COMPLETE")
"""The statuses in which a stack takes a change set."""
_MOVING = "_IN_PROGRESS"
_WAYS_ON = {
    "UPDATE_ROLLBACK_FAILED": "It does not rest by itself: remove the cause, and give 'aws cloudformation "
    "continue-update-rollback --stack-name {name}'; then try again",
    "UPDATE_FAILED": "It does not rest by itself: update it, or give 'aws cloudformation rollback-stack --stack-name "
    "{name}'; then try again",
}
"""The way back to a stack that takes updates, by the state of one that failed."""


def is_moving(stack: Stack) -> bool:
    """Whether CloudFormation works on the stack."""
    return stack.status.endswith(_MOVING)


def problem_of(stack: Stack, *, is_shell: bool, is_bare: bool) -> str:
    """Return why the stack cannot be taken over; empty when it can. A bare one has no resource."""
    if stack.status == UNMADE:
        return (
            f"The stack {stack.name} is {UNMADE}: its first change set was never executed, and it has no resource "
            "yet. Execute the change set, or delete the stack. Nothing was changed."
        )
    if is_moving(stack):
        return not_settled(stack)
    if is_shell:
        return (
            f"The stack {stack.name} is a shell that holds nothing but its exports, and there is nothing to take over. "
            f"'tenuto import --stack {stack.name} --let-go' deletes it when no stack imports from it any more."
        )
    if is_bare:
        return f"The stack {stack.name} has no resource, and there is nothing to take over."
    return ""


def not_settled(stack: Stack) -> str:
    """The refusal of a stack that takes no change set now: CloudFormation works on it, or it has failed."""
    reason = f" ({stack.reason.rstrip('.')})" if stack.reason else ""
    told = f"The stack {stack.name} is {stack.status}{reason}."
    if is_moving(stack):
        return f"{told} Wait until CloudFormation has brought it to rest, and try again. Nothing was changed."
    way = _WAYS_ON.get(
        stack.status,
        "CloudFormation takes no update of it in this state, and its deletion would take its resources with it: keep "
        "the stack, or delete it with '--retain-resources' for each of them",
    )
    return f"{told} {way.format(name=stack.name)}. Nothing was changed."


def missing_stack(name: str, partition: Partition, process: Process | None) -> str:
    """The answer for a stack that is not there: a name that was deleted and one that never was look the same. `process`
    is the one of that name."""
    known = process is not None and process.state in (ProcessState.RUNNING, ProcessState.SUSPENDED) and name
    look = (
        f"'tenuto status {known}' shows the resources of the process {known}"
        if known
        else "'tenuto status PROCESS' shows the resources of the process that adopted them"
    )
    return (
        f"There is no stack {name!r} in account {partition.account}, region {partition.region}. If it was let go, it "
        f"is gone, and {look}. Otherwise check the name, the account and the region."
    )
