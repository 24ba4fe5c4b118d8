"""The words of each protocol for the same failure: codes for bad parameters and throttling, and error documents."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from xml.sax.saxutils import escape

from tenuto_testing.cloud.wire.messages import HttpAnswer, Refusal


class Protocol(Enum):
    """The protocols of the served services, and the one that only replayed services speak."""

    EC2 = "ec2"
    QUERY = "query"
    REST = "rest-xml"
    REST_JSON = "rest-json"
    JSON = "json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The words of one protocol, or of one service where it has its own."""

    missing: str
    invalid: str
    throttled: str
    throttled_message: str
    throttled_status: int
    busy: str
    denied: str = "AccessDenied"
    denied_status: int = 403
    unserved: str = "InvalidAction"
    unserved_status: int = 400
    content_type: str = "text/xml;charset=UTF-8"
    namespace: str = ""
    """The text that JSON writes before its codes."""
    older: Mapping[str, str] = field(default_factory=dict)
    """The codes of a protocol that a service spoke before, which it still tells in a header. Empty: it never did."""


_QUERY = Dialect(
    missing="ValidationError",
    invalid="ValidationError",
    throttled="Throttling",
    throttled_message="Rate exceeded",
    throttled_status=400,
    busy="InternalFailure",
)
_JSON = Dialect(
    missing="ValidationException",
    invalid="ValidationException",
    throttled="ThrottlingException",
    throttled_message="Rate exceeded",
    throttled_status=400,
    busy="InternalServerError",
    denied="AccessDeniedException",
    denied_status=400,
    unserved="UnknownOperationException",
    content_type="application/x-amz-json-1.1",
)
_PROTOCOLS = {
    Protocol.EC2: Dialect(
        missing="MissingParameter",
        invalid="InvalidParameterValue",
        throttled="RequestLimitExceeded",
        throttled_message="Request limit exceeded.",
        throttled_status=503,
        busy="InternalError",
        denied="UnauthorizedOperation",
    ),
    Protocol.QUERY: _QUERY,
    Protocol.REST: Dialect(
        missing="MalformedXML",
        invalid="InvalidArgument",
        throttled="SlowDown",
        throttled_message="Please reduce your request rate.",
        throttled_status=503,
        busy="InternalError",
        unserved="NotImplemented",
        unserved_status=501,
        content_type="application/xml",
    ),
    Protocol.JSON: _JSON,
    Protocol.REST_JSON: replace(_JSON, content_type="application/json", denied_status=403),
}
_SERVICES = {
    "cloudcontrol": replace(
        _JSON,
        missing="InvalidRequestException",
        invalid="InvalidRequestException",
        busy="ServiceInternalErrorException",
        content_type="application/x-amz-json-1.0",
        namespace="com.amazonaws.cloudapiservice#",
    ),
    "dynamodb": replace(
        _JSON,
        throttled_message="Rate of requests exceeds the allowed throughput.",
        content_type="application/x-amz-json-1.0",
        namespace="com.amazonaws.dynamodb.v20120810#",
    ),
    "logs": replace(
        _JSON, missing="InvalidParameterException", invalid="InvalidParameterException", busy="ServiceUnavailable"
    ),
    "sns": replace(_QUERY, invalid="InvalidParameter", denied="AuthorizationError"),
    "sqs": replace(
        _JSON,
        missing="MissingParameter",
        invalid="InvalidAttributeName",
        throttled="RequestThrottled",
        throttled_status=403,
        busy="InternalFailure",
        content_type="application/x-amz-json-1.0",
        namespace="com.amazonaws.sqs#",
        older={
            "AccessDeniedException": "AccessDenied",
            "QueueDeletedRecently": "AWS.SimpleQueueService.QueueDeletedRecently",
            "QueueDoesNotExist": "AWS.SimpleQueueService.NonExistentQueue",
            "QueueNameExists": "QueueAlreadyExists",
            "UnsupportedOperation": "AWS.SimpleQueueService.UnsupportedOperation",
        },
    ),
}


def words_of(service: str, protocol: Protocol) -> Dialect:
    """How a service says things."""
    return _SERVICES.get(service) or _PROTOCOLS[protocol]


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
}
"""Codes that do not come with status 400, beside those whose status the service model tells."""


def status_of(refusal: Refusal, model_status: int) -> int:
    """The HTTP status of a refusal: its own, the service model's, or the code's."""
    code = refusal.code
    if refusal.status or model_status:
        return refusal.status or model_status
    is_unset = code.startswith("NoSuch") or code.endswith("NotFoundError")
    return _STATUS.get(code, 404 if is_unset else 400)


def refused(
    protocol: Protocol, words: Dialect, refusal: Refusal, *, status: int, request_id: str, namespace: str
) -> HttpAnswer:
    """The error document of a refusal."""
    code, message = escape(refusal.code), escape(refusal.message)
    headers = {"content-type": words.content_type, "x-amz-request-id": request_id}
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
        body = json.dumps({"__type": f"{words.namespace}{refusal.code}", "message": refusal.message})
        headers = {**headers, "x-amzn-requestid": request_id}
        if words.older:
            headers["x-amzn-query-error"] = f"{words.older.get(refusal.code, refusal.code)};Sender"
    return HttpAnswer(status=status, headers=headers, body=body.encode())
