"""The OpenAPI document and the reference page, both made from the table of routes.

`python -m tenuto.api.openapi > docs/reference/api.md` writes the page; a test compares it.
"""

import re
import sys
from collections.abc import Iterator

import tenuto
from tenuto.api.routes import ROUTES, ApiRoute, Parameter
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
    },
}


def openapi_document() -> JsonMap:
    """The whole API as OpenAPI 3.1."""
    paths: dict[str, dict[str, JsonMap]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    paths["/healthz"] = {
        "get": {
            "operationId": "health",
            "summary": "Whether the Conductor is there. Needs no secret.",
            "security": [],
            "responses": {"200": {"description": "It is."}},
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
        "parameters": parameters,
        "responses": {
            str(route.status): {
                "description": "The document.",
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            "default": _PROBLEM,
        },
    }
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


def reference_page() -> str:
    """docs/reference/api.md."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    yield "# HTTP API"
    yield ""
    yield "The command line is a client of this API; everything it does can be done here. The Conductor serves it on"
    yield "`TENUTO_LISTEN` (default `127.0.0.1:8686`). `GET /v1/openapi.json` is the same as this page for programs."
    yield ""
    yield "* Every request except `GET /healthz` needs `Authorization: Bearer SECRET`. The secret is in the credentials"
    yield "  file that the Conductor wrote at its first start."
    yield "* Bodies are JSON objects (`Content-Type: application/json`, at most 8 MiB); fields that are not listed are"
    yield "  refused. `{process}` is an alias or a FID."
    yield "* Errors are problem documents (RFC 9457, `application/problem+json`) with a stable `code`:"
    yield "  `compile` (422, with `diagnostics`), `not-found` (404), `not-allowed` and `conflict` (409), `permission`"
    yield "  (401, 403), `user` (400), `provider-unavailable` and `store-unavailable` (503), `provider-refused` (502),"
    yield "  `bug` (500, with the `incident` that the Conductor's log explains)."
    yield "* `GET /v1/events?follow=true` answers with server-sent events; `id` is the number of the event, and"
    yield "  `Last-Event-ID` (or `after`) goes on behind it."
    for route in ROUTES:
        yield ""
        yield f"## `{route.method} {route.path}`"
        yield ""
        yield route.summary
        for title, fields in (("Query", route.query), ("Body", route.body)):
            if fields:
                yield ""
                yield f"{title}:"
                yield ""
                for one in fields:
                    yield f"* `{one.name}` ({one.kind}{', required' if one.is_required else ''}): {one.summary}"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
