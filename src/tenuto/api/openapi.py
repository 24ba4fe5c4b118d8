"""The OpenAPI document, made from the table of routes."""

import re
from collections.abc import Mapping
from http import HTTPStatus

import tenuto
from tenuto.api.answers.checks import PROBLEM
from tenuto.api.answers.plans import PLAN
from tenuto.api.answers.words import PLACE, Record, schema_of
from tenuto.api.requests.route import ApiRoute, Parameter
from tenuto.api.routes.every import ROUTES
from tenuto.api.transport.bodies import BYTES
from tenuto.model.ids import JsonMap

_PROBLEM: JsonMap = {
    "description": "A problem document (RFC 9457).",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_EVENT_STREAM = "text/event-stream"


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
            "schemas": answer_schemas(),
        },
    }


def answer_schemas() -> dict[str, JsonMap]:
    """The JSON schemas of all documents that the API answers with, by name."""
    found: dict[str, JsonMap] = {}
    for shape in (PROBLEM, *(one for route in ROUTES for shapes in answers_of(route).values() for one in shapes)):
        schema_of(shape, found)
    return {name: found[name] for name in sorted(found)}


def answers_of(route: ApiRoute) -> Mapping[int, tuple[Record, ...]]:
    """The shapes of the documents that answer a request, by status: of a command, also that of its dry run."""
    if route.answer is None:
        return {}
    if not route.has_dry_run:
        return {route.status: (route.answer,)}
    answered, rehearsed = HTTPStatus(route.status), HTTPStatus.OK
    if answered == rehearsed:
        return {answered: (route.answer, PLAN)}
    return {rehearsed: (PLAN,), answered: (route.answer,)}


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
        "responses": {**_responses(route), "default": _PROBLEM},
    }
    if route.takes_bytes:
        operation["requestBody"] = {"required": True, "content": {BYTES: {}}}
    if route.body:
        operation["requestBody"] = {
            "required": any(one.is_required for one in route.body),
            "content": {"application/json": {"schema": _body_schema(route.body)}},
        }
    return operation


def _responses(route: ApiRoute) -> JsonMap:
    if route.sends_file:
        return {str(route.status): {"description": "The file; ranges can be asked for.", "content": {BYTES: {}}}}
    made: dict[str, JsonMap] = {}
    for status, shapes in answers_of(route).items():
        found: list[JsonMap] = [{"$ref": PLACE + one.name} for one in shapes]
        content: dict[str, JsonMap] = {
            "application/json": {"schema": found[0] if len(found) == 1 else {"anyOf": found}},
        }
        if any(one.name == "follow" for one in route.query):
            content[_EVENT_STREAM] = {"schema": {"type": "string"}}
        words = " or ".join(one.name for one in shapes)
        made[str(status)] = {"description": f"The document: {words}.", "content": content}
    return made


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
