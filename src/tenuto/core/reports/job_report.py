"""The report of a job, operation by operation: the part of its last event that notifications carry.

A job has changed something when a step of its plan has begun, or when something that an earlier job began came to its
end meanwhile. Property values are left out, so that nothing secret can be in a report.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from tenuto.core.planning.comparing.messages import progress_message
from tenuto.core.planning.plan_progress import StepStatus, status_of
from tenuto.model.ids import JsonMap, LogicalId, ObjectId
from tenuto.model.job import Job
from tenuto.model.plan import Operation, Plan
from tenuto.model.resource import ManagedObject
from tenuto.model.verb import Verb

LONGEST = 200
"""Operations told one by one: far below the 256 KiB that a topic takes. The rest is counted."""


class JobPurpose(StrEnum):
    """The purpose of a job, as notifications say it."""

    BUILD = "build"
    UPDATE = "update"
    ENFORCE = "enforce"
    KILL = "kill"
    RELEASE = "release"


_PURPOSES: Mapping[str, JobPurpose] = {
    "run": JobPurpose.BUILD,
    "update": JobPurpose.UPDATE,
    "kill": JobPurpose.KILL,
    "release": JobPurpose.RELEASE,
}
_RESULTS: Mapping[StepStatus, str] = {
    StepStatus.FAILED: "failed",
    StepStatus.LOST: "lost",
    StepStatus.MOVING: "under way",
    StepStatus.OPEN: "not begun",
    StepStatus.DONE: "done",
}
"""The results in the order in which they tell: of a replacement that is made and not yet cleared away, that it is under
way."""


_UNPROVEN = "unproven"
"""Accepted by the provider, and not shown by it."""


def purpose_of(job: Job) -> JobPurpose:
    """The purpose of the job. `resume` brings back the earlier declaration, and so counts as enforcement."""
    return _PURPOSES.get(job.command, JobPurpose.ENFORCE)


def job_report(
    job: Job, plan: Plan, objects: Mapping[ObjectId, ManagedObject], unproven: Sequence[Operation] = ()
) -> JsonMap:
    """The report of a job that ends now. `unproven` are the operations that the provider accepted and does not show."""
    status = {step.object_id: status_of(step, plan, objects.get(step.object_id)) for step in plan.steps}
    by_address: dict[LogicalId, list[StepStatus]] = {}
    for step in plan.steps:
        by_address.setdefault(step.logical_id, []).append(status[step.object_id])
    begun = {found.object_id for found in objects.values() if found.plan_id == plan.plan_id}
    told = [
        _operation(
            found,
            _UNPROVEN if found in unproven else _result(by_address.get(found.logical_id, ())),
            objects.get(found.object_id),
        )
        for found in plan.operations
    ]
    continued = [
        {
            "op": "continue",
            "type": found.type,
            "logical_id": found.logical_id,
            "id": found.physical_id,
            "result": "done",
        }
        for found in sorted(objects.values(), key=lambda found: (found.logical_id, found.incarnation))
        if found.object_id not in begun and found.is_settled and found.moved_at > job.started_at
    ]
    told += continued
    results = Counter(str(one["result"]) for one in told)
    return {
        "kind": purpose_of(job).value,
        "changed": bool(begun or continued),
        "results": {name: results[name] for name in (*_RESULTS.values(), _UNPROVEN) if results[name]},
        "achieved": _achieved(told),
        "operations": told[:LONGEST],
        "operations_left_out": max(0, len(told) - LONGEST),
    }


def _achieved(told: Iterable[JsonMap]) -> JsonMap:
    """The operations by verb that no later job has to do again. A thing that was never made is not deleted."""
    again = (_RESULTS[StepStatus.FAILED], _RESULTS[StepStatus.LOST], _RESULTS[StepStatus.OPEN])
    verbs = Counter(
        str(one["op"]) for one in told if one["result"] not in again and (one["id"] or one["op"] != Verb.DELETE)
    )
    return {verb.value: verbs[verb] for verb in Verb if verbs[verb]}


def _result(found: Iterable[StepStatus]) -> str:
    statuses = set(found)
    return next((word for status, word in _RESULTS.items() if status in statuses), "done")


def _operation(operation: Operation, result: str, found: ManagedObject | None) -> JsonMap:
    message = progress_message(found) if found is not None and found.is_phase_failed else ""
    return {
        "op": operation.verb.value,
        "type": operation.type,
        "logical_id": operation.logical_id,
        "id": (found.physical_id if found else None) or operation.physical_id,
        "reason": operation.reason,
        "result": result,
    } | ({"message": message} if message else {})
