"""The answer to a request for a service that is not here, in a form that any client of AWS can read.

Without the service's model its protocol is guessed from the request. Where that leaves a choice, the code is in a
header and in a document of XML: the client looks at one of them.
"""

import json
from xml.sax.saxutils import escape

from tenuto_testing.cloud.wire.messages import HttpAnswer, HttpRequest


def unserved(request: HttpRequest, service: str, request_id: str) -> HttpAnswer:
    """The refusal of a whole service."""
    message = f"The strict cloud does not serve {service or 'this service'}."
    headers = {"x-amzn-requestid": request_id, "x-amz-request-id": request_id}
    if "x-amz-target" in request.headers:
        body = json.dumps({"__type": "UnknownOperationException", "message": message})
        return HttpAnswer(
            status=400, headers={**headers, "content-type": "application/x-amz-json-1.1"}, body=body.encode()
        )
    if b"Action=" in request.body:
        return _query(message, headers, request_id)
    body = f"<Error><Code>NotImplemented</Code><Message>{escape(message)}</Message></Error>"
    headers |= {"content-type": "application/xml", "x-amzn-errortype": "NotImplemented"}
    return HttpAnswer(status=501, headers=headers, body=body.encode())


def _query(message: str, headers: dict[str, str], request_id: str) -> HttpAnswer:
    body = (
        f"<ErrorResponse><Error><Type>Sender</Type><Code>InvalidAction</Code><Message>{escape(message)}</Message>"
        f"</Error><RequestId>{request_id}</RequestId></ErrorResponse>"
    )
    return HttpAnswer(status=400, headers={**headers, "content-type": "text/xml"}, body=body.encode())
