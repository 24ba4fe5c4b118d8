"""The messages of Auto Scaling groups to topics, which moto has no calls for, and those of lifecycle hooks, of which it
always shows the same queue and role. And settings of groups that it takes and forgets, and devices that a launch
configuration takes away from its image.
"""

from collections.abc import Callable
from typing import Any

from moto.autoscaling.models import FakeLaunchConfiguration
from moto.autoscaling.responses import AutoScalingResponse
from moto.core.responses import ActionResult, EmptyResult

_OF_HOOKS = {
    "notification_metadata": "NotificationMetadata",
    "notification_target_arn": "NotificationTargetARN",
    "role_arn": "RoleARN",
}
_SETTINGS = {
    "CapacityRebalance": "capacity_rebalance",
    "DefaultInstanceWarmup": "default_instance_warmup",
    "InstanceMaintenancePolicy": "instance_maintenance_policy",
    "MaxInstanceLifetime": "max_instance_lifetime",
}
_put_hook = AutoScalingResponse.put_lifecycle_hook
_show_devices: Any = FakeLaunchConfiguration.block_device_mappings.fget  # type: ignore[attr-defined]
_KEPT = "tenuto_messages"
_KINDS = [f"autoscaling:EC2_INSTANCE_{word}" for word in ("LAUNCH", "LAUNCH_ERROR", "TERMINATE", "TERMINATE_ERROR")]


def _messages(self: Any) -> dict[tuple[str, str], list[str]]:
    """The kinds of messages, by group and topic. A group that is gone has none."""
    backend = self.autoscaling_backend
    kept: dict[tuple[str, str], list[str]] = vars(backend).setdefault(_KEPT, {})
    for group, topic in [one for one in kept if one[0] not in backend.autoscaling_groups]:
        del kept[group, topic]
    return kept


def _put(self: Any) -> EmptyResult:
    place = (self._get_param("AutoScalingGroupName"), self._get_param("TopicARN"))
    _messages(self)[place] = self._get_param("NotificationTypes", []) or _KINDS
    return EmptyResult()


def _drop(self: Any) -> EmptyResult:
    _messages(self).pop((self._get_param("AutoScalingGroupName"), self._get_param("TopicARN")), None)
    return EmptyResult()


def _describe(self: Any) -> ActionResult:
    asked = self._get_param("AutoScalingGroupNames", [])
    shown = [
        {"AutoScalingGroupName": group, "TopicARN": topic, "NotificationType": kind}
        for (group, topic), kinds in _messages(self).items()
        for kind in kinds
        if group in asked or not asked
    ]
    return ActionResult({"NotificationConfigurations": shown})


def _put_whole_hook(self: Any) -> Any:
    place = f"{self._get_param('AutoScalingGroupName')}_{self._get_param('LifecycleHookName')}"
    before = self.autoscaling_backend.lifecycle_hooks.get(place)
    answer = _put_hook(self)
    hook = self.autoscaling_backend.lifecycle_hooks[place]
    for name, parameter in _OF_HOOKS.items():
        setattr(hook, name, self._get_param(parameter) or getattr(before, name, None))
    return answer


def _keeping(act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The call, after which a group has the settings that it was given."""

    def call(self: Any) -> Any:
        answer = act(self)
        group = self.autoscaling_backend.autoscaling_groups[self._get_param("AutoScalingGroupName")]
        for name, attribute in _SETTINGS.items():
            if self._get_param(name) is not None:
                setattr(group, attribute, self._get_param(name))
        return answer

    return call


def _devices(self: Any) -> list[dict[str, Any]]:
    """The devices as AWS shows them: of each, the values that were sent. moto compares a truth value with a text, so
    that it shows an empty volume for a device that is taken away."""
    shown: list[dict[str, Any]] = _show_devices(self)
    said = {one["DeviceName"]: one for one in self.block_device_mapping_dict or ()}
    for device in shown:
        if str(said[device["DeviceName"]].get("NoDevice")).casefold() == "true":
            device.pop("Ebs")
            device["NoDevice"] = True
        else:
            device.pop("NoDevice")
    return shown


def add() -> None:
    """Add the calls."""
    setattr(FakeLaunchConfiguration, "block_device_mappings", property(_devices))  # noqa: B010
    for verb in ("create", "update"):
        name = f"{verb}_auto_scaling_group"
        setattr(AutoScalingResponse, name, _keeping(getattr(AutoScalingResponse, name)))
    for word, call in (("put", _put), ("delete", _drop)):
        setattr(AutoScalingResponse, f"{word}_notification_configuration", call)
    setattr(AutoScalingResponse, "put_lifecycle_hook", _put_whole_hook)  # noqa: B010
    setattr(AutoScalingResponse, "describe_notification_configurations", _describe)  # noqa: B010
