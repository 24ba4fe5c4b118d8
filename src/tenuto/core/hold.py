"""When a plan is held: healing must never be the outage (DECISIONS 27)."""

from tenuto.model.delta import Delta, DeltaKind
from tenuto.model.plan import Plan
from tenuto.model.process import ProcessState
from tenuto.model.snapshot import Snapshot


def held_reason(snapshot: Snapshot, delta: Delta, made: Plan) -> str:
    """Why this plan must not be executed before somebody approves it; empty when it may.

    A user's command behind the plan is the approval: run, update, kill, and `resume` of a held process.
    """
    if snapshot.process.commanded or snapshot.process.state is ProcessState.KILLING:
        return ""
    policy = snapshot.hold
    total = sum(1 for difference in delta.differences if difference.object_id is not None)
    destructive = sum(1 for operation in made.operations if operation.is_destructive)
    if destructive > policy.minimum and destructive > policy.share * total:
        return _text(f"delete or replace {destructive} of {total} resources", policy.share)
    vanished = sum(1 for difference in delta.differences if difference.kind is DeltaKind.VANISHED)
    if vanished > policy.vanished_minimum and vanished > policy.vanished_share * total:
        return _text(f"create again {vanished} of {total} resources that seem to be gone", policy.vanished_share)
    return ""


def _text(what: str, share: float) -> str:
    return (
        f"the plan would {what}, more than {share:.0%}, and no command asked for it. "
        "Look at it with 'plan'; 'resume' approves it, 'kill' or 'update' changes the intent."
    )
