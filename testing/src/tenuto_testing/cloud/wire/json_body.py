"""Requests of the JSON protocols: the operation is in a header, the parameters are the body, read along the shape."""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any

from botocore.model import OperationModel, ServiceModel, Shape

from tenuto_testing.cloud.wire.messages import HttpRequest, Refusal


class JsonReader:
    """Reads the requests of one service."""

    def __init__(self, model: ServiceModel) -> None:
        self._model = model
        self._target: str = model.metadata.get("targetPrefix", "")

    def read(self, request: HttpRequest) -> tuple[OperationModel, dict[str, Any]]:
        """The operation and its parameters. Raises Refusal."""
        target, _, name = request.headers.get("x-amz-target", "").rpartition(".")
        if target != self._target or name not in self._model.operation_names:
            raise Refusal("UnknownOperationException", f"There is no operation {target}.{name}.")
        try:
            body = json.loads(request.body or b"{}")
        except ValueError as error:
            raise _unreadable("The body is not JSON") from error
        operation = self._model.operation_model(name)
        return operation, _structure(operation.input_shape, body, "") if operation.input_shape else {}


def _unreadable(why: str) -> Refusal:
    return Refusal("SerializationException", why)


def _structure(shape: Shape, value: Any, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _unreadable(f"{path or 'The body'} is not a structure")
    found = {}
    for name, one in value.items():
        if name not in shape.members:
            raise _unreadable(f"{path}{name} is not a member of {shape.name}")
        if one is not None:
            found[name] = _value(shape.members[name], one, f"{path}{name}")
    return found


def _value(shape: Shape, value: Any, path: str) -> Any:
    kind = shape.type_name
    if kind == "structure":
        return _structure(shape, value, f"{path}.")
    if kind == "list" and isinstance(value, list):
        return [_value(shape.member, one, path) for one in value]
    if kind == "map" and isinstance(value, dict):
        return {key: _value(shape.value, one, f"{path}.{key}") for key, one in value.items()}
    scalar = _SCALARS.get(kind)
    if scalar is None or not scalar(value):
        raise _unreadable(f"{path} is not of the type {kind}")
    return _decoded(value, path) if kind == "blob" else value


def _decoded(text: str, path: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise _unreadable(f"{path} is not in BASE64") from error


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_SCALARS: Mapping[str, Callable[[Any], bool]] = {
    "blob": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "double": _is_number,
    "float": _is_number,
    "integer": _is_whole,
    "long": _is_whole,
    "string": lambda value: isinstance(value, str),
    "timestamp": _is_number,
}
"""The check of a JSON value for each simple type of the models: AWS converts nothing."""
