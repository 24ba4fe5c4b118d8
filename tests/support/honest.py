"""A watch on the API: every answer is held against the shape that its route publishes.

It stands before the application of every test that has one. What does not fit is no part of the answer: it fails the
test at its end, with the place and the rule that is broken.
"""

import json
import re
from datetime import datetime
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenuto.api.answers.words import PLACE
from tenuto.api.openapi import openapi_document
from tenuto.api.routes.every import ROUTES

_JSON, _PROBLEM, _STREAM = "application/json", "application/problem+json", "text/event-stream"
_PATTERNS = [(one.method, re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(one.path))), one.path) for one in ROUTES]
_PATTERNS.sort(key=lambda one: one[2].count("{"))
_FORMATS = FormatChecker(())


@_FORMATS.checks("date-time", ValueError)
def _is_moment(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


class Honest:
    """An application whose answers are watched. `lies` are those that do not fit, each as one line."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.lies: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith("/v1/"):
            await self._app(scope, receive, send)
            return
        kept: dict[str, Any] = {"status": 0, "type": "", "body": bytearray()}

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept["status"] = message["status"]
                kept["type"] = dict(message["headers"]).get(b"content-type", b"").decode().partition(";")[0]
            elif kept["type"] in (_JSON, _PROBLEM, _STREAM):
                kept["body"] += message.get("body", b"")
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            self._check(scope["method"], scope["path"], kept["status"], kept["type"], bytes(kept["body"]))

    def _check(self, method: str, path: str, status: int, media: str, body: bytes) -> None:
        template = template_of(method, path)
        if media == _STREAM:
            found = [part.partition(b"data: ")[2] for part in body.split(b"\n\n") if b"data: " in part]
            faults = [one for text in found for one in event_faults(json.loads(text))]
        elif media == _PROBLEM:
            faults = problem_faults(json.loads(body))
        elif template and media == _JSON and body:
            faults = faults_of(method, template, status, json.loads(body))
        else:
            return
        self.lies += [f"{method} {path} ({status}): {one}" for one in faults]


def template_of(method: str, path: str) -> str | None:
    """The path of the route that answers a request, as the table has it."""
    return next((one for verb, pattern, one in _PATTERNS if verb == method and pattern.fullmatch(path)), None)


def faults_of(method: str, template: str, status: int, document: Any) -> list[str]:
    """Where a document does not fit what its route publishes for this status."""
    found = _document()["paths"][template][method.lower()]["responses"].get(str(status))
    if found is None:
        return [f"no answer with the status {status} is published"]
    return _faults(json.dumps(found["content"][_JSON]["schema"]), document)


def problem_faults(document: Any) -> list[str]:
    return _faults(json.dumps({"$ref": f"{PLACE}Problem"}), document)


def event_faults(document: Any) -> list[str]:
    name = "Event" if "number" in document else "Problem"
    return _faults(json.dumps({"$ref": PLACE + name}), document)


def _faults(schema: str, document: Any) -> list[str]:
    return [f"{one.json_path}: {one.message[:500]}" for one in _validator(schema).iter_errors(document)]


@lru_cache(maxsize=1)
def _document() -> Any:
    return json.loads(json.dumps(openapi_document()))


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    return Draft202012Validator(
        {**json.loads(schema), "components": _document()["components"]}, format_checker=_FORMATS
    )
