"""Roles of AWS Batch, by name or the one that Batch makes for itself, kinds of environments in any case, and the action
of a queue on jobs that wait too long.

Moto wants the ARN of a role that is there, and `MANAGED`; the CDK writes `managed`, and Batch takes it.
"""

from collections.abc import Callable
from typing import Any

from moto.batch.models import BatchBackend, JobQueue
from moto.batch.responses import BatchResponse

_OWN = "aws-service-role/batch.amazonaws.com/AWSServiceRoleForBatch"
_LIMITS = "jobStateTimeLimitActions"
_create: Any = BatchBackend.create_compute_environment
_describe_queue: Any = JobQueue.describe
_iam: Any = vars(BatchBackend)["iam_backend"]


class _Roles:
    """The roles of the account, as Batch looks them up; everything else as IAM has it."""

    def __init__(self, iam: Any) -> None:
        self._iam = iam

    def __getattr__(self, name: str) -> Any:
        return getattr(self._iam, name)

    def get_role_by_arn(self, role: str) -> Any:
        """The role of an ARN or a name. Batch's own is there when it is needed."""
        if role.endswith(_OWN):
            return None
        return self._iam.get_role_by_arn(role) if role.startswith("arn:") else self._iam.get_role(role)


def _create_environment(self: Any, **given: Any) -> Any:
    role = given.get("service_role") or f"arn:aws:iam::{self.account_id}:role/{_OWN}"
    return _create(self, **{**given, "service_role": role, "_type": given["_type"].upper()})


def _limiting(call: Callable[[Any], Any], parameter: str) -> Callable[[Any], Any]:
    """The creation or the change of a queue, of which the limits are kept."""

    def act(self: Any) -> Any:
        answer = call(self)
        limits = self._get_param(_LIMITS)
        if limits is not None:
            self.batch_backend.get_job_queue(self._get_param(parameter)).tenuto_limits = limits
        return answer

    return act


def _described_queue(self: Any) -> dict[str, Any]:
    return {**_describe_queue(self), _LIMITS: getattr(self, "tenuto_limits", [])}


def add() -> None:
    """Know them."""
    for name, parameter in (("createjobqueue", "jobQueueName"), ("updatejobqueue", "jobQueue")):
        setattr(BatchResponse, name, _limiting(getattr(BatchResponse, name), parameter))
    setattr(JobQueue, "describe", _described_queue)  # noqa: B010
    setattr(BatchBackend, "iam_backend", property(lambda self: _Roles(_iam.fget(self))))  # noqa: B010
    setattr(BatchBackend, "create_compute_environment", _create_environment)  # noqa: B010
