"""The policies of scaling and of idleness of a cluster of EMR."""

import json
from typing import Any

from moto.emr.responses import ElasticMapReduceResponse

from tenuto.bootstrap.emulated.added import Action, added

_POLICIES = ("ManagedScalingPolicy", "AutoTerminationPolicy")
_run: Any = ElasticMapReduceResponse.run_job_flow


def _cluster(self: Any, sent: dict[str, Any]) -> Any:
    return self.backend.describe_cluster(sent["ClusterId"])


def _put(name: str) -> Action:
    def put(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        policy = sent.get(name, {})
        # A cluster ends after an hour of idleness where nothing else is said.
        kept = {"IdleTimeout": 3600, **policy} if name == "AutoTerminationPolicy" else policy
        setattr(_cluster(self, sent), name, kept)
        return {}

    return put


def _get(name: str) -> Action:
    def get(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        policy = getattr(_cluster(self, sent), name, None)
        return {} if policy is None else {name: policy}

    return get


def _remove(name: str) -> Action:
    def remove(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        setattr(_cluster(self, sent), name, None)
        return {}

    return remove


def _run_with_policies(self: Any) -> Any:
    answer = _run(self)
    sent = json.loads(self.body)
    for name in _POLICIES:
        if name in sent:
            _put(name)(self, {"ClusterId": answer.result["JobFlowId"], name: sent[name]})
    return answer


def add() -> None:
    """Add the calls."""
    calls: dict[str, Action] = {}
    for name, word in zip(_POLICIES, ("managed_scaling_policy", "auto_termination_policy"), strict=True):
        calls |= {f"put_{word}": _put(name), f"get_{word}": _get(name), f"remove_{word}": _remove(name)}
    added(ElasticMapReduceResponse, **calls)
    setattr(ElasticMapReduceResponse, "run_job_flow", _run_with_policies)  # noqa: B010
