"""Errors as problem documents (RFC 9457).

`code` is for programs; it is the same word that the error family carries. A fault of ours tells its reader only an id,
and the log everything.
"""

import uuid
from collections.abc import Mapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Any

import structlog

from tenuto.api.requests.json_answer import JsonAnswer
from tenuto.errors import BugError, CompileError, PlanMovedError, ProviderError, TooManyError
from tenuto.service.families import FAMILIES

MEDIA_TYPE = "application/problem+json"

_log = structlog.get_logger("tenuto.api")


class HttpError(Exception):
    """A request that HTTP itself finds fault with: too large, not JSON, no secret."""

    def __init__(self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.headers = headers or {}


def problem_response(error: Exception) -> JsonAnswer:
    """The response for anything that was raised."""
    if isinstance(error, HttpError):
        response = problem(error.status, error.code, HTTPStatus(error.status).phrase, str(error))
        response.headers.update(error.headers)
        return response
    for family, status, code, title in FAMILIES:
        if isinstance(error, family):
            response = problem(status, code, title, str(error), **_extras(error))
            if isinstance(error, TooManyError):
                response.headers["Retry-After"] = str(error.retry_after_s)
            return response
    incident = uuid.uuid4().hex[:12]
    _log.error("api.bug", incident=incident, exc_info=error)
    kind = "An invariant of Tenuto does not hold" if isinstance(error, BugError) else "An unexpected error"
    return problem(
        500,
        "bug",
        "A fault of Tenuto",
        f"{kind}. The Conductor's log has the details under the incident {incident}: please report them.",
        incident=incident,
    )


def problem(status: int, code: str, title: str, detail: str, **extras: Any) -> JsonAnswer:
    """A problem document. `type` is a name, not an address: nothing is to be fetched there."""
    headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
    document = {"type": f"urn:tenuto:problem:{code}", "title": title, "status": status, "detail": detail, "code": code}
    return JsonAnswer(document | extras, status_code=status, media_type=MEDIA_TYPE, headers=headers)


def _extras(error: Exception) -> dict[str, Any]:
    if isinstance(error, CompileError):
        return {"diagnostics": [asdict(diagnostic) for diagnostic in error.diagnostics]}  # type: ignore[call-overload]
    if isinstance(error, PlanMovedError):
        return {"moved": list(error.moved)}
    if isinstance(error, TooManyError):
        return {"limit": error.limit, "retry_after_s": error.retry_after_s}
    if isinstance(error, ProviderError):
        return {"provider_code": error.code, "request_id": error.request_id}
    return {}
