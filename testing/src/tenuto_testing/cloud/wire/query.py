"""Requests of the query protocols (EC2, IAM, STS): flat `A.1.B=c` parameters into the structure of the input shape.

The dotted names are first made a tree; the tree is then read along the shape, so that only the sent members cost
anything, however many members the shape has.
"""

import base64
import binascii
from collections.abc import Callable
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from botocore.model import OperationModel, ServiceModel, Shape

from tenuto_testing.cloud.wire.messages import HttpRequest, Refusal

_ENVELOPE = ("Action", "Version")
Tree = dict[str, Any]
_Number = TypeVar("_Number", int, float)


class QueryReader:
    """Reads the requests of one service. `is_ec2` is EC2's own dialect: other names, and no `member` in lists."""

    def __init__(self, model: ServiceModel, *, is_ec2: bool) -> None:
        self._model = model
        self._is_ec2 = is_ec2
        self._names: dict[str, dict[str, str]] = {}

    def read(self, request: HttpRequest) -> tuple[OperationModel, dict[str, Any]]:
        """The operation and its parameters. Raises Refusal."""
        flat = dict(parse_qsl(request.body.decode("utf-8", "replace"), keep_blank_values=True))
        action = flat.get("Action", "")
        if action not in self._model.operation_names:
            raise Refusal("InvalidAction", f"The action {action} is not valid for this web service.")
        operation = self._model.operation_model(action)
        tree = _tree({name: value for name, value in flat.items() if name not in _ENVELOPE})
        if operation.input_shape is None:
            return operation, {}
        return operation, self._structure(operation.input_shape, tree, "")

    def _structure(self, shape: Shape, tree: Tree, path: str) -> dict[str, Any]:
        names = self._names.get(shape.name)
        if names is None:
            names = {self._wire_name(one, name): name for name, one in shape.members.items()}
            self._names[shape.name] = names
        found = {}
        for wire_name, node in tree.items():
            name = names.get(wire_name)
            if name is None:
                raise Refusal("UnknownParameter", f"The parameter {path}{wire_name} is not recognized")
            found[name] = self._value(shape.members[name], node, f"{path}{wire_name}")
        return found

    def _wire_name(self, shape: Shape, name: str) -> str:
        if not self._is_ec2:
            return str(shape.serialization.get("name", name))
        if "queryName" in shape.serialization:
            return str(shape.serialization["queryName"])
        wire_name = str(shape.serialization.get("name", name))
        return wire_name[0].upper() + wire_name[1:]

    def _value(self, shape: Shape, node: Any, path: str) -> Any:
        kind = shape.type_name
        if kind == "structure":
            return self._structure(shape, _branch(node, path), f"{path}.")
        if kind == "list":
            return self._list(shape, node, path)
        if kind == "map":
            return self._map(shape, _branch(node, path), path)
        if not isinstance(node, str):
            raise Refusal("InvalidParameterValue", f"Unexpected list or structure for parameter {path}")
        return scalar(kind, node, path)

    def _list(self, shape: Shape, node: Any, path: str) -> list[Any]:
        if node == "":
            return []
        branch = _branch(node, path)
        if not self._is_ec2 and not shape.serialization.get("flattened"):
            branch = _branch(branch.get(shape.member.serialization.get("name", "member"), {}), path)
        if any(not index.isdigit() for index in branch):
            raise Refusal("InvalidParameterValue", f"The list {path} is not numbered")
        return [self._value(shape.member, branch[index], f"{path}.{index}") for index in sorted(branch, key=int)]

    def _map(self, shape: Shape, branch: Tree, path: str) -> dict[str, Any]:
        entries = branch if shape.serialization.get("flattened") else _branch(branch.get("entry", {}), path)
        return {entry["key"]: self._value(shape.value, entry["value"], path) for entry in entries.values()}


def scalar(kind: str, text: str, path: str) -> Any:
    """A value as the shape's type. Raises Refusal when the text is none of it."""
    if kind in ("integer", "long"):
        return _read(int, text, path)
    if kind in ("float", "double"):
        return _read(float, text, path)
    if kind == "boolean":
        if text.casefold() not in ("true", "false"):
            raise Refusal("InvalidParameterValue", f"Invalid value '{text}' for {path}: it must be true or false")
        return text.casefold() == "true"
    if kind == "timestamp":
        return _read(_moment, text, path)
    if kind == "blob":
        try:
            return base64.b64decode(text, validate=True)
        except binascii.Error as error:
            raise Refusal("InvalidParameterValue", f"Invalid BASE64 encoding of {path}") from error
    return text


def _read(reader: Callable[[str], _Number], text: str, path: str) -> _Number:
    try:
        return reader(text)
    except ValueError as error:
        raise Refusal("InvalidParameterValue", f"Invalid value '{text}' for {path}") from error


def _moment(text: str) -> float:
    """Seconds since the epoch, of the form that bodies have or that of headers."""
    is_of_a_header = "," in text
    read = parsedate_to_datetime(text) if is_of_a_header else datetime.fromisoformat(text.replace("Z", "+00:00"))
    return read.timestamp()


def _tree(flat: dict[str, str]) -> Tree:
    root: Tree = {}
    for name, value in flat.items():
        *path, last = name.split(".")
        node = root
        for step in path:
            child = node.setdefault(step, {})
            if not isinstance(child, dict):
                raise Refusal("InvalidParameterCombination", f"The parameter {name} is given in two ways")
            node = child
        node[last] = value
    return root


def _branch(node: Any, path: str) -> Tree:
    if not isinstance(node, dict):
        raise Refusal("InvalidParameterValue", f"Unexpected simple value for parameter {path}")
    return node
