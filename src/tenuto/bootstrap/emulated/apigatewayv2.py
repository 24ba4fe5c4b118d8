"""Deployments of APIs of version 2, changes and logs of their stages, and where their domains are reached.

A change of a stage or an integration adds to its maps, and takes a name away whose text is empty. Moto puts the new map
in the place of the old one.
"""

import json
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

from moto.apigateway import urls as earlier
from moto.apigatewayv2 import urls
from moto.apigatewayv2.exceptions import APIGatewayV2Error
from moto.apigatewayv2.models import DomainName, Integration, Stage
from moto.apigatewayv2.responses import ApiGatewayV2Response

from tenuto.bootstrap.emulated.added import added

_PATH = "{0}/v2/apis/(?P<api_id>[^/]+)/deployments"
_ROUTE = "{0}/v2/apis/(?P<api_id>[^/]+)/stages/(?P<stage_name>[^/]+)/routesettings/(?P<route_key>.+)$"
_LOGS = "{0}/v2/apis/(?P<api_id>[^/]+)/stages/(?P<stage_name>[^/]+)/accesslogsettings$"
_MEMBERS = {
    "accessLogSettings": "access_log_settings",
    "autoDeploy": "auto_deploy",
    "clientCertificateId": "client_certificate_id",
    "defaultRouteSettings": "default_route_settings",
    "description": "description",
    "routeSettings": "route_settings",
    "stageVariables": "stage_variables",
}
_ADDED = ("routeSettings", "stageVariables")
_shown = Stage.to_json
_integrate = Integration.update
_domain = DomainName.to_json


class _NotFoundError(APIGatewayV2Error):
    code = 404


def _of(self: Any) -> tuple[dict[str, dict[str, Any]], str]:
    """The deployments of the API that the path names, and the one that it names, if any."""
    parts = self.path.split("/")
    at = parts.index("apis")
    api = self.apigatewayv2_backend.get_api(parts[at + 1])
    return vars(api).setdefault("tenuto_deployments", {}), "".join(parts[at + 3 : at + 4])


def _one(self: Any) -> dict[str, Any]:
    deployments, name = _of(self)
    if name not in deployments:
        raise _NotFoundError("NotFoundException", f"Unable to find Deployment by id {name} within the scope of API")
    return deployments[name]


def _deploy(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    name = uuid4().hex[:6]
    one = {"deploymentId": name, "deploymentStatus": "DEPLOYED", "createdDate": "2026-01-01T00:00:00Z"}
    deployments, _ = _of(self)
    deployments[name] = one | {"autoDeployed": False, "description": sent.get("description") or ""}
    return deployments[name]


def _list(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    deployments, _ = _of(self)
    return {"items": [*deployments.values()]}


def _describe(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    one = _one(self)
    one["description"] = sent.get("description", one["description"])
    return one


def _delete(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    del _of(self)[0][_one(self)["deploymentId"]]
    return {}


def _update_stage(self: Any) -> tuple[int, dict[str, str], str]:
    parts = self.path.split("/")
    stage = self.apigatewayv2_backend.get_stage(parts[-3], parts[-1])
    for name, value in json.loads(self.body).items():
        if name in _ADDED:
            before = getattr(stage, _MEMBERS[name]) or {}
            setattr(stage, _MEMBERS[name], {one: to for one, to in {**before, **value}.items() if to != ""})
        elif name in _MEMBERS:
            setattr(stage, _MEMBERS[name], value)
        stage.config[name] = value
    return 200, {}, json.dumps(stage.to_json())


def _unlogged(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    parts = self.path.split("/")
    self.apigatewayv2_backend.get_stage(parts[-4], parts[-2]).access_log_settings = None
    return {}


def _unset(self: Any, sent: dict[str, Any]) -> dict[str, Any]:
    parts = self.path.split("/")
    at = parts.index("stages")
    stage = self.apigatewayv2_backend.get_stage(parts[at - 1], parts[at + 1])
    stage.route_settings.pop(unquote("/".join(parts[at + 3 :])), None)
    return {}


def _integrated(self: Integration, **more: Any) -> None:
    if more.get("request_parameters") is not None:
        more["request_parameters"] = {**(self.request_parameters or {}), **more["request_parameters"]}
    _integrate(self, **more)


def _told(self: Stage) -> dict[str, Any]:
    deployed = self.config.get("deploymentId")
    return _shown(self) | ({"deploymentId": deployed} if deployed else {})


def _reached(self: DomainName) -> dict[str, Any]:
    shown = _domain(self)
    region = shown["domainNameArn"].split(":")[3]
    where = {
        "apiGatewayDomainName": f"d-0123456789.execute-api.{region}.amazonaws.com",
        "hostedZoneId": "Z1UJRXOUMOOFQ8",
    }
    return {**shown, "domainNameConfigurations": [{**one, **where} for one in shown["domainNameConfigurations"] or ()]}


def add() -> None:
    """Add the calls."""
    DomainName.to_json = _reached  # type: ignore[method-assign]
    Stage.to_json = _told  # type: ignore[method-assign]
    setattr(ApiGatewayV2Response, "update_stage", _update_stage)  # noqa: B010
    added(
        ApiGatewayV2Response,
        create_deployment=_deploy,
        get_deployments=_list,
        get_deployment=_describe,
        update_deployment=_describe,
        delete_deployment=_delete,
        delete_access_log_settings=_unlogged,
        delete_route_settings=_unset,
    )
    setattr(Integration, "update", _integrated)  # noqa: B010
    urls.url_paths[_ROUTE] = ApiGatewayV2Response.dispatch
    urls.url_paths[_LOGS] = ApiGatewayV2Response.dispatch
    for ending in ("$", "/(?P<deployment_id>[^/]+)$"):
        urls.url_paths[_PATH + ending] = ApiGatewayV2Response.dispatch
    # The paths of both versions are looked up among those of the first.
    earlier.url_paths.update(urls.url_paths)
