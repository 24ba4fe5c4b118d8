"""Transitions of CodePipeline, and the mask of its tokens."""

import json
from typing import Any

from moto.codepipeline.responses import CodePipelineResponse

from tenuto.bootstrap.emulated.added import added


def _stages(self: Any, sent: dict[str, Any]) -> list[dict[str, Any]]:
    """The stages of a pipeline as its state shows them."""
    self.codepipeline_backend.get_pipeline(sent.get("name") or sent["pipelineName"])
    pipeline = self.codepipeline_backend.pipelines[sent.get("name") or sent["pipelineName"]]
    states = vars(pipeline).setdefault("states", {})
    names = [stage["name"] for stage in pipeline.pipeline["stages"]]
    return [states.setdefault(name, {"stageName": name, "inboundTransitionState": {"enabled": True}}) for name in names]


def _transit(self: Any, sent: dict[str, Any], *, enabled: bool) -> dict[str, Any]:
    reason = {} if enabled else {"disabledReason": sent["reason"]}
    for stage in _stages(self, sent):
        if stage["stageName"] == sent["stageName"]:
            stage["inboundTransitionState"] = {"enabled": enabled, **reason}
    return {}


_get_pipeline = CodePipelineResponse.get_pipeline


def _masked(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    """A pipeline as CodePipeline shows it: tokens as asterisks."""
    answer: dict[str, Any] = json.loads(_get_pipeline(self))
    for action in (one for stage in answer["pipeline"]["stages"] for one in stage["actions"]):
        action["configuration"] |= dict.fromkeys(action["configuration"].keys() & {"OAuthToken", "SecretToken"}, "****")
    return answer


def add() -> None:
    """Add the calls."""
    added(
        CodePipelineResponse,
        get_pipeline=_masked,
        get_pipeline_state=lambda self, sent: {"pipelineName": sent["name"], "stageStates": _stages(self, sent)},
        disable_stage_transition=lambda self, sent: _transit(self, sent, enabled=False),
        enable_stage_transition=lambda self, sent: _transit(self, sent, enabled=True),
    )
