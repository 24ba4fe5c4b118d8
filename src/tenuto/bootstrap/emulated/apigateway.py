"""Definitions of APIs in the form of Swagger 2.0, which API Gateway takes and moto refuses.

What moto makes of a definition of OpenAPI 3 is in both forms: paths, methods, integrations and answers. Of the rest it
makes nothing. A method for all verbs has a name of its own in a definition.
"""

from typing import Any

from moto.apigateway.models import APIGatewayBackend

_ANY = "x-amazon-apigateway-any-method"
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", _ANY)
_put_rest_api = APIGatewayBackend.put_rest_api


def _methods(path: dict[str, Any]) -> dict[str, Any]:
    return {"any" if name == _ANY else name: method or {} for name, method in path.items() if name.lower() in _METHODS}


def _put(self: Any, function_id: str, api_doc: dict[str, Any], fail_on_warnings: bool, mode: str = "merge") -> Any:
    is_swagger = str(api_doc.get("swagger", "")).startswith("2")
    read = {name: value for name, value in api_doc.items() if name != "swagger"}
    read["paths"] = {path: _methods(one or {}) for path, one in (api_doc.get("paths") or {}).items()}
    if is_swagger:
        return _put_rest_api(self, function_id, {**read, "openapi": "3.0.1"}, False, mode)
    return _put_rest_api(self, function_id, {**api_doc, "paths": read["paths"]}, fail_on_warnings, mode)


def add() -> None:
    """Take them."""
    APIGatewayBackend.put_rest_api = _put  # type: ignore[method-assign]
