"""Requests of S3's REST protocol: method, path and query string name the operation and carry parameters of it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl
from xml.etree import ElementTree

from botocore.model import OperationModel, ServiceModel, Shape

from tenuto_testing.cloud.wire.messages import HttpRequest, Refusal
from tenuto_testing.cloud.wire.query import scalar


@dataclass(frozen=True, slots=True, kw_only=True)
class _Route:
    operation: OperationModel
    method: str
    path: re.Pattern[str]
    query: Mapping[str, str]
    needs: frozenset[str]
    """The names that its parameters must have in the query string."""


class RestReader:
    """Reads the requests of one service, for those of its operations that are served."""

    def __init__(self, model: ServiceModel, operations: Iterable[str]) -> None:
        routes = [_route(model.operation_model(name)) for name in operations]
        # The route that asks most of the query string goes first.
        self._routes = sorted(routes, key=lambda route: -len(route.query) - len(route.needs))

    def read(self, request: HttpRequest) -> tuple[OperationModel, dict[str, Any]]:
        """The operation and its parameters. Raises Refusal."""
        query, path = request.query, request.path.rstrip("/") or "/"
        for route in self._routes:
            match = route.path.fullmatch(path)
            if route.method == request.method and match and _has(query, route.query) and route.needs <= query.keys():
                return route.operation, _parameters(route.operation, request, match.groupdict(), query)
        raise Refusal("NotImplemented", f"{request.method} {request.target} is not served here.", 501)


def _route(operation: OperationModel) -> _Route:
    path, _, query = operation.http["requestUri"].partition("?")
    pattern = re.sub(r"\{(\w+)\+\}", r"(?P<\1>.+)", path)
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern)
    shape = operation.input_shape
    members = [shape.members[name] for name in shape.required_members] if shape is not None else []
    return _Route(
        operation=operation,
        method=operation.http["method"],
        path=re.compile(pattern.rstrip("/") or "/"),
        query=dict(parse_qsl(query, keep_blank_values=True)),
        needs=frozenset(
            one.serialization["name"] for one in members if one.serialization.get("location") == "querystring"
        ),
    )


def _has(query: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    return all(query.get(name) == value for name, value in wanted.items())


def _parameters(
    operation: OperationModel, request: HttpRequest, path: Mapping[str, str], query: Mapping[str, str]
) -> dict[str, Any]:
    shape = operation.input_shape
    found: dict[str, Any] = {}
    for name, member in (shape.members if shape is not None else {}).items():
        place = member.serialization.get("location")
        key = str(member.serialization.get("name", name))
        sources = {"uri": path, "querystring": query, "header": request.headers}
        if place in sources:
            text = sources[place].get(key.lower() if place == "header" else key)
            if text is not None:
                found[name] = scalar(member.type_name, text, key)
    payload = shape.serialization.get("payload") if shape is not None else None
    if payload and request.body:
        found[payload] = _payload(shape.members[payload], _unwrapped(request))
    return found


def _unwrapped(request: HttpRequest) -> bytes:
    """The body without the chunks that the SDK cuts even small ones into, to put a checksum behind them."""
    if "aws-chunked" not in request.headers.get("content-encoding", ""):
        return request.body
    length = int(request.headers.get("x-amz-decoded-content-length") or 0)
    return request.body.partition(b"\r\n")[2][:length]


def _payload(shape: Shape, body: bytes) -> Any:
    if shape.type_name != "structure":
        return body if shape.type_name == "blob" else body.decode(errors="replace")
    try:
        return _element(shape, ElementTree.fromstring(body))
    except (ElementTree.ParseError, KeyError) as error:
        raise Refusal(
            "MalformedXML",
            "The XML you provided was not well-formed or did not validate against our published schema",
            400,
        ) from error


def _element(shape: Shape, node: ElementTree.Element) -> Any:
    kind = shape.type_name
    if kind == "structure":
        return _structure(shape, node)
    if kind == "list":
        return [_element(shape.member, child) for child in node]
    return scalar(kind, node.text or "", _plain(node.tag))


def _structure(shape: Shape, node: ElementTree.Element) -> dict[str, Any]:
    names = {str(one.serialization.get("name", name)).split(":")[-1]: name for name, one in shape.members.items()}
    flattened = {
        str(one.member.serialization.get("name", one.serialization.get("name", name))): name
        for name, one in shape.members.items()
        if one.type_name == "list" and one.serialization.get("flattened")
    }
    found: dict[str, Any] = {names[_plain(key)]: value for key, value in node.attrib.items() if _plain(key) in names}
    for child in node:
        tag = _plain(child.tag)
        many = flattened.get(tag) or flattened.get(str(names.get(tag)))
        if tag not in names and many is None:
            raise KeyError(tag)
        name = many or names[tag]
        member = shape.members[name]
        if member.type_name == "list" and member.serialization.get("flattened"):
            found.setdefault(name, []).append(_element(member.member, child))
        else:
            found[name] = _element(member, child)
    return found


def _plain(tag: str) -> str:
    return tag.rpartition("}")[2]
