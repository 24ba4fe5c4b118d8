"""Environments and strategies of deployment of AppConfig, the lists of applications and of versions, and the key of a
profile.
"""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from moto.appconfig import urls
from moto.appconfig.models import Application
from moto.appconfig.responses import AppConfigResponse
from moto.core.exceptions import JsonRESTError

Things = dict[str, dict[str, Any]]
_KEPT = "tenuto_kept"
_KEY = "KmsKeyIdentifier"
_STRATEGY = {"FinalBakeTimeInMinutes": 0, "GrowthType": "LINEAR", "ReplicateTo": "NONE"}
_OWN = {
    "Id": "AppConfig.AllAtOnce",
    "Name": "AppConfig.AllAtOnce",
    "DeploymentDurationInMinutes": 0,
    "GrowthFactor": 100,
}
"""A strategy that AWS brings."""
_make_profile: Any = AppConfigResponse.create_configuration_profile
_update_profile: Any = AppConfigResponse.update_configuration_profile
_show_profile: Any = AppConfigResponse.get_configuration_profile


def _application(self: Any) -> Application:
    found: Application = self.appconfig_backend.get_application(self._get_param("ApplicationId"))
    return found


def _environments(self: Any) -> Things:
    found: Things = vars(_application(self)).setdefault(_KEPT, {})
    return found


def _strategies(self: Any) -> Things:
    found: Things = vars(self.appconfig_backend).setdefault(_KEPT, {_OWN["Id"]: {**_STRATEGY, **_OWN}})
    return found


def _serve(name: str, things: Callable[[Any], Things], born: dict[str, Any], place: str) -> None:
    """Serve the calls about one kind of things; `place` is the path of one."""
    plural = "deployment_strategies" if name == "deployment_strategy" else f"{name}s"
    key = f"{name.title().replace('_', '')}Id"

    def one(self: Any) -> dict[str, Any]:
        found = things(self).get(self._get_param(key))
        if found is None:
            raise JsonRESTError("ResourceNotFoundException", f"There is no {name} {self._get_param(key)}.")
        return found

    def create(self: Any) -> str:
        sent = json.loads(self.body)
        tags = sent.pop("Tags", None) or {}
        made = {**born, **sent, "Id": uuid4().hex[:7]}
        if self._get_param("ApplicationId"):
            made["ApplicationId"] = self._get_param("ApplicationId")
        things(self)[made["Id"]] = made
        where = place.format(made.get("ApplicationId"), made["Id"])
        backend = self.appconfig_backend
        backend.tag_resource(f"arn:aws:appconfig:{backend.region_name}:{backend.account_id}:{where}", tags)
        return json.dumps(made)

    def update(self: Any) -> str:
        found = one(self)
        found.update(json.loads(self.body))
        return json.dumps(found)

    def delete(self: Any) -> str:
        things(self).pop(one(self)["Id"])
        return "{}"

    calls = {
        f"create_{name}": create,
        f"get_{name}": lambda self: json.dumps(one(self)),
        f"update_{name}": update,
        f"delete_{name}": delete,
        f"list_{plural}": lambda self: json.dumps({"Items": list(things(self).values())}),
    }
    for call, act in calls.items():
        setattr(AppConfigResponse, call, act)


def _applications(self: Any) -> str:
    return json.dumps({"Items": [one.to_json() for one in self.appconfig_backend.applications.values()]})


def _versions(self: Any) -> str:
    profile = self.appconfig_backend.get_configuration_profile(
        self._get_param("ApplicationId"), self._get_param("ConfigurationProfileId")
    )
    members = (
        {"VersionNumber": number, "ContentType": one.content_type} for number, one in profile.config_versions.items()
    )
    return json.dumps({"Items": list(members)})


def _with_key(act: Callable[[Any], str]) -> Callable[[Any], str]:
    """An act on a profile, of which the key is kept and shown."""

    def answer(self: Any) -> str:
        shown = json.loads(act(self))
        profile = _application(self).config_profiles[shown["Id"]]
        key = self._get_param(_KEY) or getattr(profile, _KEY, None)
        setattr(profile, _KEY, key)
        return json.dumps({**shown, _KEY: key})

    return answer


def _of_one(look: str, act: Callable[[Any], str]) -> Callable[[Any], str]:
    """An act on a thing that must be there: this call shows it."""

    def answer(self: Any) -> str:
        getattr(self, look)()
        return act(self)

    return answer


def add() -> None:
    """Add them."""
    _serve("environment", _environments, {"State": "READY_FOR_DEPLOYMENT"}, "application/{}/environment/{}")
    _serve("deployment_strategy", _strategies, _STRATEGY, "deploymentstrategy/{1}")
    calls: Any = AppConfigResponse
    calls.list_applications, calls.list_hosted_configuration_versions = _applications, _versions
    calls.create_configuration_profile = _with_key(_make_profile)
    calls.update_configuration_profile = _with_key(_update_profile)
    calls.get_configuration_profile = _with_key(_show_profile)
    for name in ("configuration_profile", "hosted_configuration_version"):
        setattr(calls, f"delete_{name}", _of_one(f"get_{name}", getattr(calls, f"delete_{name}")))
    for path in (
        "applications/(?P<app_id>[^/]+)/environments",
        "applications/(?P<app_id>[^/]+)/environments/(?P<environment_id>[^/]+)",
        "deploymentstrategies",
        "deploymentstrategies/(?P<strategy_id>[^/]+)",
        # The path of the deletion is spelled otherwise.
        "deployementstrategies/(?P<strategy_id>[^/]+)",
    ):
        urls.url_paths[f"{{0}}/{path}$"] = AppConfigResponse.dispatch
