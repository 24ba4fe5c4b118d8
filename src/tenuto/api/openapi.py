"""The OpenAPI document, made from the table of routes."""

import re

import tenuto
from tenuto.api.bodies import BYTES
from tenuto.api.route import ApiRoute, Parameter
from tenuto.api.routes import ROUTES
from tenuto.model.ids import JsonMap

_PROBLEM: JsonMap = {
    "description": "A problem document (RFC 9457).",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_PROBLEM_SCHEMA: JsonMap = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "diagnostics": {"type": "array", "items": {"type": "object"}},
        "incident": {"type": "string"},
        "moved": {"type": "array", "items": {"type": "string"}},
        "provider_code": {"type": "string"},
        "request_id": {"type": "string"},
        "limit": {"type": "string"},
        "retry_after_s": {"type": "integer"},
    },
}


def openapi_document() -> JsonMap:
    """The whole API as OpenAPI 3.1."""
    paths: dict[str, dict[str, JsonMap]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    paths["/metrics"] = {
        "get": {
            "operationId": "metrics",
            "summary": "The numbers of the Conductor, in the text format of Prometheus.",
            "responses": {"200": {"description": "The page.", "content": {"text/plain": {}}}, "default": _PROBLEM},
        }
    }
    paths["/healthz"] = {
        "get": {
            "operationId": "health",
            "summary": "Whether the Conductor is there. Needs no secret.",
            "security": [],
            "responses": {"200": {"description": "It is."}, "503": {"description": "Its database was taken away."}},
        }
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Tenuto", "version": tenuto.__version__},
        "security": [{"secret": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"secret": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Problem": _PROBLEM_SCHEMA},
        },
    }


def _operation(route: ApiRoute) -> JsonMap:
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in re.findall(r"{(\w+)}", route.path)
    ]
    parameters += [
        {
            "name": one.name,
            "in": "query",
            "description": one.summary,
            "required": one.is_required,
            # A list in a query string is one text, separated by commas.
            "schema": {"type": "string" if one.kind == "array" else one.kind},
        }
        for one in route.query
    ]
    operation: dict[str, object] = {
        "operationId": route.operation,
        "summary": route.summary,
        "description": route.needs,
        "parameters": parameters,
        "responses": {
            str(route.status): {
                "description": "The file; ranges can be asked for." if route.sends_file else "The document.",
                "content": {BYTES: {}} if route.sends_file else {"application/json": {"schema": {"type": "object"}}},
            },
            "default": _PROBLEM,
        },
    }
    if route.takes_bytes:
        operation["requestBody"] = {"required": True, "content": {BYTES: {}}}
    if route.body:
        operation["requestBody"] = {
            "required": any(one.is_required for one in route.body),
            "content": {"application/json": {"schema": _body_schema(route.body)}},
        }
    return operation


def _body_schema(fields: tuple[Parameter, ...]) -> JsonMap:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [one.name for one in fields if one.is_required],
        "properties": {
            one.name: {"type": one.kind, "description": one.summary}
            | ({"items": {"type": "string"}} if one.kind == "array" else {})
            for one in fields
        },
    }
