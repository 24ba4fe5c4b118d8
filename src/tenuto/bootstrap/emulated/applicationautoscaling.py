"""Tags of Application Auto Scaling, and its refusals about things that are not there."""

import json
from collections.abc import Callable
from typing import Any

from moto.applicationautoscaling.responses import ApplicationAutoScalingResponse
from moto.core.exceptions import JsonRESTError

from tenuto.bootstrap.emulated.added import added


def _tags(self: Any, sent: dict[str, Any]) -> dict[str, str]:
    everything: dict[str, dict[str, str]] = vars(self.applicationautoscaling_backend).setdefault("tags_by_arn", {})
    return everything.setdefault(sent["ResourceARN"], {})


def _tag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    _tags(self, sent).update(sent["Tags"])
    return {}


def _untag(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    for key in sent["TagKeys"]:
        _tags(self, sent).pop(key, None)
    return {}


_register = ApplicationAutoScalingResponse.register_scalable_target
_put_policy = ApplicationAutoScalingResponse.put_scaling_policy
_policies = ApplicationAutoScalingResponse.describe_scaling_policies


def _registered(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(_register(self))
    _tags(self, {"ResourceARN": answer["ScalableTargetARN"]}).update(sent.get("Tags") or {})
    return answer


def _named(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    """The policies, narrowed to names: moto does not look at these."""
    answer: dict[str, Any] = json.loads(_policies(self))
    names = sent.get("PolicyNames")
    found = [one for one in answer["ScalingPolicies"] if names is None or one["PolicyName"] in names]
    return {**answer, "ScalingPolicies": found}


def _told(delete: Callable[[Any], str]) -> Callable[[Any, dict[str, Any]], dict[str, Any]]:
    """The deletion with the code that AWS has for a thing that is not there."""

    def act(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(delete(self))
        except JsonRESTError as error:
            raise JsonRESTError("ObjectNotFoundException", str(error.message)) from error
        return answer

    return act


def add() -> None:
    """Add the calls."""
    added(
        ApplicationAutoScalingResponse,
        register_scalable_target=_registered,
        describe_scaling_policies=_named,
        deregister_scalable_target=_told(ApplicationAutoScalingResponse.deregister_scalable_target),
        delete_scaling_policy=_told(ApplicationAutoScalingResponse.delete_scaling_policy),
        list_tags_for_resource=lambda self, sent: {"Tags": _tags(self, sent)},
        tag_resource=_tag,
        untag_resource=_untag,
    )
