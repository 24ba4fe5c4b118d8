"""The services that the cloud serves: their models, their protocols, and the handler of each of their actions."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from botocore.model import OperationModel, ServiceModel

from tenuto_testing.cloud.call import Call
from tenuto_testing.cloud.families import HANDLERS
from tenuto_testing.cloud.sessions import published_models
from tenuto_testing.cloud.wire.checks import check
from tenuto_testing.cloud.wire.dialect import Protocol, refused, status_of, words_of
from tenuto_testing.cloud.wire.json_body import JsonReader
from tenuto_testing.cloud.wire.messages import HttpAnswer, HttpRequest, Refusal
from tenuto_testing.cloud.wire.query import QueryReader
from tenuto_testing.cloud.wire.rest import RestReader
from tenuto_testing.cloud.wire.shaped import in_json
from tenuto_testing.cloud.wire.xml import XmlWriter
from tenuto_testing.cloud.world import Data

Handler = Callable[[Call], Data]
_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'


class Service:
    """One service: between HTTP and parameters, both ways."""

    def __init__(self, model: ServiceModel, handlers: Mapping[str, Handler]) -> None:
        self.name: str = model.service_name
        self.protocol = Protocol(model.resolved_protocol)
        self.words = words_of(self.name, self.protocol)
        self.handlers = handlers
        self._model = model
        self._namespace: str = model.metadata.get("xmlNamespace", "http://s3.amazonaws.com/doc/2006-03-01/")
        self._read = self._reader()
        self._xml = XmlWriter()

    def _reader(self) -> Callable[[HttpRequest], tuple[OperationModel, Data]]:
        if self.protocol in (Protocol.REST, Protocol.REST_JSON):
            return RestReader(self._model, self.handlers).read
        if self.protocol is Protocol.JSON:
            return JsonReader(self._model).read
        return QueryReader(self._model, is_ec2=self.protocol is Protocol.EC2).read

    def read(self, request: HttpRequest) -> tuple[OperationModel, Data]:
        """The operation and the parameters of a request. Raises Refusal, also for an operation without a handler
        here."""
        operation, parameters = self._read(request)
        if operation.name not in self.handlers:
            raise Refusal(
                self.words.unserved,
                f"The strict cloud does not serve {self.name} {operation.name}.",
                self.words.unserved_status,
            )
        return operation, parameters

    def check(self, action: str, parameters: Data) -> None:
        """Check the parameters against the model. Raises Refusal."""
        check(self._model.operation_model(action).input_shape, parameters, self.words)

    def write(self, action: str, found: Data, request_id: str) -> HttpAnswer:
        """The answer to an action."""
        operation = self._model.operation_model(action)
        headers = {"content-type": self.words.content_type, "x-amzn-requestid": request_id}
        if self.protocol is Protocol.JSON:
            return HttpAnswer(status=200, headers=headers, body=json.dumps(found, default=_shown).encode())
        if self.protocol is Protocol.REST_JSON:
            return self._write_rest_json(operation, found, request_id)
        if self.protocol is Protocol.REST:
            return self._write_rest(operation, found, request_id)
        inside = self._xml.members(operation.output_shape, found)
        if self.protocol is Protocol.EC2:
            text = (
                f'{_XML}<{action}Response xmlns="{self._namespace}"><requestId>{request_id}</requestId>{inside}'
                f"</{action}Response>"
            )
        else:
            result = f"<{action}Result>{inside}</{action}Result>" if operation.output_shape is not None else ""
            text = (
                f'<{action}Response xmlns="{self._namespace}">{result}<ResponseMetadata><RequestId>{request_id}'
                f"</RequestId></ResponseMetadata></{action}Response>"
            )
        return HttpAnswer(status=200, headers=headers, body=text.encode())

    def _write_rest(self, operation: OperationModel, found: Data, request_id: str) -> HttpAnswer:
        shape = operation.output_shape
        headers = {"x-amz-request-id": request_id, "content-type": "application/xml"}
        status = int(operation.http.get("responseCode", 200))
        if shape is None:
            return HttpAnswer(status=status, headers=headers, body=b"")
        inside = dict(found)
        for name, member in shape.members.items():
            if member.serialization.get("location") == "header" and name in inside:
                headers[str(member.serialization["name"]).lower()] = str(inside.pop(name))
        # The length of a recorded body is not that of the one that is written here.
        headers.pop("content-length", None)
        payload = shape.serialization.get("payload")
        if payload:
            return HttpAnswer(status=status, headers=headers, body=self._payload(shape, payload, inside))
        tag = shape.serialization.get("name", shape.name)
        text = f'{_XML}<{tag} xmlns="{self._namespace}">{self._xml.members(shape, inside)}</{tag}>'
        return HttpAnswer(status=status, headers=headers, body=text.encode() if shape.members else b"")

    def _write_rest_json(self, operation: OperationModel, found: Data, request_id: str) -> HttpAnswer:
        shape = operation.output_shape
        headers = {"x-amzn-requestid": request_id, "content-type": self.words.content_type}
        status = int(operation.http.get("responseCode", 200))
        if shape is None:
            return HttpAnswer(status=status, headers=headers, body=b"")
        inside = dict(found)
        for name, member in shape.members.items():
            place = member.serialization.get("location")
            if place == "header" and name in inside:
                headers[str(member.serialization["name"]).lower()] = str(inside.pop(name))
            elif place == "statusCode" and name in inside:
                status = int(inside.pop(name))
        payload = shape.serialization.get("payload")
        if payload and shape.members[payload].type_name != "structure":
            value = inside.get(payload) or b""
            return HttpAnswer(
                status=status, headers=headers, body=value if isinstance(value, bytes) else str(value).encode()
            )
        told = in_json(shape.members[payload], inside.get(payload)) if payload else in_json(shape, inside)
        return HttpAnswer(status=status, headers=headers, body=json.dumps(told).encode())

    def _payload(self, shape: Any, payload: str, found: Data) -> bytes:
        member, value = shape.members[payload], found.get(payload)
        if member.type_name != "structure":
            return value if isinstance(value, bytes) else str(value or "").encode()
        tag = member.serialization.get("name", payload)
        inside = self._xml.members(member, value or {})
        return f'{_XML}<{tag} xmlns="{self._namespace}">{inside}</{tag}>'.encode()

    def refuse(self, refusal: Refusal, request_id: str) -> HttpAnswer:
        """The error document of a refusal."""
        return refused(
            self.protocol,
            self.words,
            refusal,
            status=status_of(refusal, self._status(refusal.code)),
            request_id=request_id,
            namespace=self._namespace,
        )

    def _status(self, code: str) -> int:
        shape = self._model.shape_for_error_code(code) if self.protocol is not Protocol.REST else None
        return int(shape.metadata.get("error", {}).get("httpStatusCode", 0)) if shape is not None else 0


def _shown(value: Any) -> Data:
    """A thing in an answer of JSON."""
    data: Data = value.data
    return data


@lru_cache(maxsize=1)
def services() -> Mapping[str, Service]:
    """All of them, by the name that signatures give them. Loading the models takes half a second, once."""
    known = {name: ServiceModel(published_models().load_service_model(name, "service-2"), name) for name in HANDLERS}
    return {model.signing_name: Service(model, HANDLERS[name]) for name, model in known.items()}
