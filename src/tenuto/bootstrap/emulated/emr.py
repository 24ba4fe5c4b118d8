"""The policy by which a cluster of EMR is scaled."""

import json
from typing import Any

from moto.emr.responses import ElasticMapReduceResponse

from tenuto.bootstrap.emulated.added import added

_POLICY = "ManagedScalingPolicy"
_run: Any = ElasticMapReduceResponse.run_job_flow


def _cluster(self: Any, sent: dict[str, Any]) -> Any:
    return self.backend.describe_cluster(sent["ClusterId"])


def _put(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    setattr(_cluster(self, sent), _POLICY, sent[_POLICY])
    return {}


def _get(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    policy = getattr(_cluster(self, sent), _POLICY, None)
    return {} if policy is None else {_POLICY: policy}


def _remove(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    setattr(_cluster(self, sent), _POLICY, None)
    return {}


def _run_with_policy(self: Any) -> Any:
    answer = _run(self)
    sent = json.loads(self.body)
    if _POLICY in sent:
        _put(self, {"ClusterId": answer.result["JobFlowId"], _POLICY: sent[_POLICY]})
    return answer


def add() -> None:
    """Add the calls."""
    added(
        ElasticMapReduceResponse,
        put_managed_scaling_policy=_put,
        get_managed_scaling_policy=_get,
        remove_managed_scaling_policy=_remove,
    )
    setattr(ElasticMapReduceResponse, "run_job_flow", _run_with_policy)  # noqa: B010
