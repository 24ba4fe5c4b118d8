"""Changes and deletions of things of CodeDeploy, which moto makes and never changes, and all that a group shows."""

import re
from typing import Any

from moto.codedeploy import responses
from moto.codedeploy.responses import CodeDeployResponse

from tenuto.bootstrap.emulated.added import added

_info: Any = vars(responses)["_deployment_group_info"]


def _group_info(group: Any) -> dict[str, Any]:
    return {
        **_info(group),
        "alarmConfiguration": group.alarm_configuration or {},
        "autoScalingGroups": [{"name": one} for one in group.auto_scaling_groups],
    }


def _delete_application(self: Any, given: dict[str, Any]) -> dict[str, Any]:
    backend, name = self.codedeploy_backend, given["applicationName"]
    for group in list(backend.deployment_groups.pop(name, {})):
        _untag(backend, backend._deployment_group_arn(name, group))
    if backend.applications.pop(name, None) is not None:
        _untag(backend, backend._application_arn(name))
    return {}


def _delete_group(self: Any, given: dict[str, Any]) -> dict[str, Any]:
    backend, name, group = self.codedeploy_backend, given["applicationName"], given["deploymentGroupName"]
    if backend.deployment_groups.get(name, {}).pop(group, None) is not None:
        _untag(backend, backend._deployment_group_arn(name, group))
    return {"hooksNotCleanedUp": []}


def _untag(backend: Any, arn: str) -> None:
    backend.tagger.delete_all_tags_for_resource(arn)


def _update_group(self: Any, given: dict[str, Any]) -> dict[str, Any]:
    group = self.codedeploy_backend.get_deployment_group(given["applicationName"], given["currentDeploymentGroupName"])
    for name, value in given.items():
        attribute = re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", name)
        if hasattr(group, attribute):
            setattr(group, attribute, value)
    return {"hooksNotCleanedUp": []}


def add() -> None:
    """Add the calls."""
    vars(responses)["_deployment_group_info"] = _group_info
    added(
        CodeDeployResponse,
        delete_application=_delete_application,
        delete_deployment_group=_delete_group,
        update_deployment_group=_update_group,
    )
