"""Definitions of APIs in the form of Swagger 2.0, which moto refuses, and the stages of usage plans with limits.

The parts that moto makes of a definition of OpenAPI 3 are in both forms: paths, methods, integrations and answers. Of
the rest it makes nothing. A method for all verbs has a name of its own in a definition.

An integration may call with the rights of its caller (`arn:aws:iam::*:user/*`). Moto takes it for a role of another
account.

A definition that is refused changes nothing. Moto keeps the parts that it had made of it by then.

An integration that answers by itself has no address, and a definition leaves it out. Moto breaks in the middle of one.

A stage is taken out of a usage plan by its name. Moto looks for a stage that has nothing else, and breaks where it has
limits for methods.

The settings of methods of a stage are removed by the path of the methods. Moto keeps them.

A policy of an API is shown with a backslash before each quotation mark, and with the whole ARN for a resource that it
calls `execute-api:/…`. Moto shows it as it was sent.
"""

import json
import re
from typing import Any

from moto.apigateway.models import APIGatewayBackend, RestAPI, Stage, UsagePlan
from moto.utilities.utils import get_partition

_ANY = "x-amazon-apigateway-any-method"
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", _ANY)
_CALLER = re.compile(r"arn:[\w-]+:iam::\*:user/\*")
_put_integration: Any = APIGatewayBackend.put_integration
_put_rest_api = APIGatewayBackend.put_rest_api
_patch_plan = UsagePlan.apply_patch_operations
_patch_stage = Stage.apply_operations
_shown = RestAPI.to_dict


def _methods(path: dict[str, Any]) -> dict[str, Any]:
    return {"any" if name == _ANY else name: method or {} for name, method in path.items() if name.lower() in _METHODS}


def _read(self: Any, function_id: str, api_doc: dict[str, Any], fail_on_warnings: bool, mode: str = "merge") -> Any:
    is_swagger = str(api_doc.get("swagger", "")).startswith("2")
    read = {name: value for name, value in api_doc.items() if name != "swagger"}
    read["paths"] = {path: _methods(one or {}) for path, one in (api_doc.get("paths") or {}).items()}
    if is_swagger:
        return _put_rest_api(self, function_id, {**read, "openapi": "3.0.1"}, False, mode)
    return _put_rest_api(self, function_id, {**api_doc, "paths": read["paths"]}, fail_on_warnings, mode)


def _put(self: Any, function_id: str, *given: Any, **more: Any) -> Any:
    """Take a definition whole, or leave the API as it was."""
    api = self.get_rest_api(function_id)
    default, methods = api.default, {one: dict(held.resource_methods) for one, held in api.resources.items()}
    before = dict(api.resources)
    try:
        return _read(self, function_id, *given, **more)
    except Exception:
        api.default, api.resources = default, before
        for one, held in before.items():
            held.resource_methods = methods[one]
        raise


def _integrated(self: Any, *given: Any, credentials: str | None = None, **more: Any) -> Any:
    if not given:
        more = {"uri": None, "integration_method": None, **more}
    if not _CALLER.fullmatch(credentials or ""):
        return _put_integration(self, *given, credentials=credentials, **more)
    # Any role of this account passes.
    role = f"arn:{get_partition(self.region_name)}:iam::{self.account_id}:role/caller"
    integration = _put_integration(self, *given, credentials=role, **more)
    integration.credentials = credentials
    return integration


def _patched(self: UsagePlan, operations: list[dict[str, Any]]) -> None:
    for one in operations:
        if (one["op"], one["path"]) == ("remove", "/apiStages"):
            api, _, stage = one["value"].partition(":")
            self.api_stages = [at for at in self.api_stages if (at["apiId"], at["stage"]) != (api, stage)]
        else:
            _patch_plan(self, [one])


def _set(self: Stage, patch_operations: list[dict[str, Any]]) -> Stage:
    for one in patch_operations:
        if one["op"] == "remove":
            self.method_settings.pop(one["path"].removeprefix("/"), None)
    return _patch_stage(self, patch_operations)


def _told(self: RestAPI) -> dict[str, Any]:
    found = _shown(self)
    if policy := found["policy"]:
        whole = f"arn:{get_partition(self.region_name)}:execute-api:{self.region_name}:{self.account_id}:{self.id}/"
        found["policy"] = json.dumps(policy.replace("execute-api:/", whole))[1:-1]
    return found


def add() -> None:
    """Take them."""
    RestAPI.to_dict = _told  # type: ignore[method-assign]
    Stage.apply_operations = _set  # type: ignore[method-assign]
    UsagePlan.apply_patch_operations = _patched  # type: ignore[method-assign, assignment]
    APIGatewayBackend.put_integration = _integrated  # type: ignore[method-assign]
    APIGatewayBackend.put_rest_api = _put  # type: ignore[method-assign]
