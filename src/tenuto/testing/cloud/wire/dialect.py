"""What the same failure is called in each protocol: codes for bad parameters and throttling, and error documents."""

import json
from dataclasses import dataclass
from enum import Enum
from xml.sax.saxutils import escape

from tenuto.testing.cloud.wire.messages import HttpAnswer, Refusal


class Protocol(Enum):
    """The four protocols that the served types speak."""

    EC2 = "ec2"
    QUERY = "query"
    REST = "rest-xml"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The words of one protocol."""

    missing: str
    invalid: str
    throttled: str
    throttled_message: str
    throttled_status: int
    unavailable: str
    content_type: str = "text/xml;charset=UTF-8"


DIALECTS = {
    Protocol.EC2: Dialect(
        missing="MissingParameter",
        invalid="InvalidParameterValue",
        throttled="RequestLimitExceeded",
        throttled_message="Request limit exceeded.",
        throttled_status=503,
        unavailable="Unavailable",
    ),
    Protocol.QUERY: Dialect(
        missing="ValidationError",
        invalid="ValidationError",
        throttled="Throttling",
        throttled_message="Rate exceeded",
        throttled_status=400,
        unavailable="ServiceUnavailable",
    ),
    Protocol.REST: Dialect(
        missing="MalformedXML",
        invalid="InvalidArgument",
        throttled="SlowDown",
        throttled_message="Please reduce your request rate.",
        throttled_status=503,
        unavailable="ServiceUnavailable",
        content_type="application/xml",
    ),
    Protocol.JSON: Dialect(
        missing="ValidationException",
        invalid="ValidationException",
        throttled="ThrottlingException",
        throttled_message="Rate exceeded",
        throttled_status=400,
        unavailable="InternalServerError",
        content_type="application/x-amz-json-1.1",
    ),
}

_STATUS = {
    "AccessDenied": 403,
    "BucketAlreadyExists": 409,
    "BucketAlreadyOwnedByYou": 409,
    "BucketNotEmpty": 409,
    "InternalError": 500,
    "InternalFailure": 500,
    "InternalServerError": 500,
    "MethodNotAllowed": 405,
    "OperationAborted": 409,
    "ServiceUnavailable": 503,
    "Unavailable": 503,
    "UnauthorizedOperation": 403,
}
"""Codes that do not come with status 400, beside those whose status the service model tells."""


def status_of(refusal: Refusal, model_status: int) -> int:
    """The HTTP status of a refusal: its own, the service model's, or the code's."""
    code = refusal.code
    if refusal.status or model_status:
        return refusal.status or model_status
    is_unset = code.startswith("NoSuch") or code.endswith("NotFoundError")
    return _STATUS.get(code, 404 if is_unset else 400)


def refused(protocol: Protocol, refusal: Refusal, *, status: int, request_id: str, namespace: str) -> HttpAnswer:
    """The error document of a refusal."""
    code, message = escape(refusal.code), escape(refusal.message)
    headers = {"content-type": DIALECTS[protocol].content_type, "x-amz-request-id": request_id}
    if protocol is Protocol.EC2:
        body = (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors><Error><Code>{code}</Code>'
            f"<Message>{message}</Message></Error></Errors><RequestID>{request_id}</RequestID></Response>"
        )
    elif protocol is Protocol.QUERY:
        body = (
            f'<ErrorResponse xmlns="{namespace}"><Error><Type>Sender</Type><Code>{code}</Code>'
            f"<Message>{message}</Message></Error><RequestId>{request_id}</RequestId></ErrorResponse>"
        )
    elif protocol is Protocol.REST:
        body = (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{message}</Message>'
            f"<RequestId>{request_id}</RequestId></Error>"
        )
    else:
        body = json.dumps({"__type": refusal.code, "message": refusal.message})
        headers = {**headers, "x-amzn-requestid": request_id}
    return HttpAnswer(status=status, headers=headers, body=body.encode())
