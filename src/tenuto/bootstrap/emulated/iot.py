"""Tags of rules and policies of IoT, and the refusal to show a rule that is not there."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

from moto.core.responses import ActionResult, EmptyResult
from moto.iot.responses import IoTResponse

_create_rule, _create_policy = IoTResponse.create_topic_rule, IoTResponse.create_policy


def _tags(self: Any, arn: str) -> dict[str, str]:
    everything: dict[str, dict[str, str]] = vars(self.iot_backend).setdefault("tenuto_tags", {})
    return everything.setdefault(arn, {})


def _rule(self: Any) -> Any:
    answer = _create_rule(self)
    arn = self.iot_backend.get_topic_rule(self._get_param("ruleName"))["ruleArn"]
    _tags(self, arn).clear()
    _tags(self, arn).update(parse_qsl(self.headers.get("x-amz-tagging", "")))
    return answer


def _policy(self: Any) -> Any:
    answer = _create_policy(self)
    arn = self.iot_backend.get_policy(self._get_param("policyName")).arn
    _tags(self, arn).clear()
    _tags(self, arn).update({one["Key"]: one.get("Value", "") for one in self._get_param("tags") or ()})
    return answer


def _list(self: Any) -> ActionResult:
    found = _tags(self, self._get_param("resourceArn"))
    return ActionResult({"tags": [{"Key": key, "Value": value} for key, value in found.items()]})


def _tag(self: Any) -> EmptyResult:
    _tags(self, self._get_param("resourceArn")).update(
        {one["Key"]: one.get("Value", "") for one in self._get_param("tags")}
    )
    return EmptyResult()


def _untag(self: Any) -> EmptyResult:
    for key in self._get_param("tagKeys"):
        _tags(self, self._get_param("resourceArn")).pop(key, None)
    return EmptyResult()


def add() -> None:
    """Add the calls."""
    calls: tuple[tuple[str, Callable[[Any], Any]], ...] = (
        ("create_topic_rule", _rule),
        ("create_policy", _policy),
        ("list_tags_for_resource", _list),
        ("tag_resource", _tag),
        ("untag_resource", _untag),
    )
    for name, call in calls:
        setattr(IoTResponse, name, call)
