"""The description of an application of Elastic Beanstalk and its rules about old versions, and the list narrowed to
names.
"""

from typing import Any

from moto.core.responses import ActionResult
from moto.elasticbeanstalk.exceptions import InvalidParameterValueError
from moto.elasticbeanstalk.responses import EBResponse

_MEMBERS = {"Description": "description", "ResourceLifecycleConfig": "resource_lifecycle_config"}
_make: Any = EBResponse.create_application


def _every() -> dict[str, Any]:
    """The rules of a new application, as AWS shows them."""
    rule = {"Enabled": False, "DeleteSourceFromS3": False}
    return {
        "VersionLifecycleConfig": {
            "MaxAgeRule": {**rule, "MaxAgeInDays": 180},
            "MaxCountRule": {**rule, "MaxCount": 200},
        }
    }


def _changed(self: Any) -> Any:
    name = self._get_param("ApplicationName")
    one = self.elasticbeanstalk_backend.applications.get(name)
    if one is None:
        raise InvalidParameterValueError(f"No Application named '{name}' found.")
    for member, own in _MEMBERS.items():
        if self._get_param(member) is not None:
            setattr(one, own, self._get_param(member))
    return one


def _created(self: Any) -> ActionResult:
    answer: ActionResult = _make(self)
    one = self.elasticbeanstalk_backend.applications[self._get_param("ApplicationName")]
    one.resource_lifecycle_config = _every()
    _changed(self)
    return answer


def _described(self: Any) -> ActionResult:
    names = self._get_param("ApplicationNames")
    every = self.elasticbeanstalk_backend.applications.values()
    return ActionResult({"Applications": [one for one in every if not names or one.application_name in names]})


def _updated(self: Any) -> ActionResult:
    return ActionResult({"Application": _changed(self)})


def _ruled(self: Any) -> ActionResult:
    one = _changed(self)
    return ActionResult(
        {"ApplicationName": one.application_name, "ResourceLifecycleConfig": one.resource_lifecycle_config}
    )


def add() -> None:
    """Add them."""
    calls: Any = EBResponse
    calls.create_application, calls.describe_applications = _created, _described
    calls.update_application, calls.update_application_resource_lifecycle = _updated, _ruled
