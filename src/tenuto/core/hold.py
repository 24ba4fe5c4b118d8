"""When a plan is held: healing must never be the outage (DECISIONS 27).

Mass loss is judged twice: of the process, and of everything that is held in its account and region. An account that
was emptied, and an endpoint that leads to another one, take two or three things from each of a hundred processes. No
one of them has lost many, and together they would build everything anew.
"""

from tenuto.model.delta import Delta, DeltaKind
from tenuto.model.plan import Plan
from tenuto.model.process import Process, ProcessState
from tenuto.model.snapshot import HoldPolicy, Snapshot


def held_reason(snapshot: Snapshot, delta: Delta, made: Plan) -> str:
    """Why this plan must not be executed before somebody approves it; empty when it may.

    A user's command behind the plan is the approval: run, update, kill, and `resume` of a held process.
    """
    if snapshot.process.commanded or snapshot.process.state is ProcessState.KILLING:
        return ""
    policy, process = snapshot.hold, snapshot.process
    total = sum(1 for difference in delta.differences if difference.object_id is not None)
    destructive = sum(1 for operation in made.operations if operation.is_destructive)
    if destructive > policy.minimum and destructive > policy.share * total:
        return _text(process, f"delete or replace {destructive} of {total} resources, more than {policy.share:.0%}")
    vanished = sum(1 for difference in delta.differences if difference.kind is DeltaKind.VANISHED)
    if _is_mass(vanished, total, policy):
        share = f"{policy.vanished_share:.0%}"
        what = f"create again {vanished} of {total} resources that seem to be gone, more than {share}"
        return _text(process, what, _check_of(process))
    loss = snapshot.loss
    if vanished and _is_mass(loss.gone, loss.known, policy):
        what = (
            f"create again {vanished} of {total} resources that seem to be gone, and so do {loss.gone} of the "
            f"{loss.known} that all processes have of these types in {process.partition}"
        )
        return _text(process, what, _check_of(process))
    return ""


def _is_mass(gone: int, known: int, policy: HoldPolicy) -> bool:
    return gone > policy.vanished_minimum and gone > policy.vanished_share * known


def _check_of(process: Process) -> str:
    """What to look into first when much is gone: most often it is there, and we are in the wrong place."""
    return f"See with 'tenuto account check {process.partition.account}' whether this is the right account. "


def _text(process: Process, what: str, check: str = "") -> str:
    name = process.alias or process.fid
    return (
        f"the plan would {what}, and no command asked for it. {check}"
        f"Look at it with 'tenuto plan {name}'; 'tenuto resume {name}' approves it, "
        "'kill' or 'update' changes the intent."
    )
