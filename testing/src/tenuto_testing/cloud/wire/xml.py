"""Values into XML by the output shape: one writer per shape, compiled on first use.

A thing of the cloud that appears in an answer (`Rendered`) keeps its text until it changes, so that a page of a
thousand unchanged things is a join of a thousand strings.
"""

import base64
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any, Protocol, runtime_checkable
from xml.sax.saxutils import escape

from botocore.model import Shape

from tenuto.errors import BugError

Writer = Callable[[Any], str]


@runtime_checkable
class Rendered(Protocol):
    """A value that is its own answer, and remembers its rendered text."""

    data: dict[str, Any]
    texts: dict[str, str]


class XmlWriter:
    """Writers for the shapes of one service."""

    def __init__(self) -> None:
        self._writers: dict[str, Writer] = {}

    def members(self, shape: Shape | None, value: dict[str, Any]) -> str:
        """The members of a structure, without the element around them."""
        return self._of(shape)(value) if shape is not None else ""

    def _of(self, shape: Shape) -> Writer:
        writer = self._writers.get(shape.name)
        if writer is None:
            # Shapes can contain themselves: the name is taken before the members are compiled.
            self._writers[shape.name] = partial(self._write, shape.name)
            writer = self._writers[shape.name] = self._compile(shape)
        return writer

    def _write(self, name: str, value: Any) -> str:
        return self._writers[name](value)

    def _compile(self, shape: Shape) -> Writer:
        kind = shape.type_name
        if kind == "structure":
            return self._structure(shape)
        if kind == "timestamp":
            return timestamp
        if kind == "boolean":
            return lambda value: "true" if value else "false"
        if kind == "blob":
            return lambda value: base64.b64encode(value if isinstance(value, bytes) else str(value).encode()).decode()
        if kind == "string":
            return lambda value: escape(str(value))
        return str

    def _structure(self, shape: Shape) -> Writer:
        parts = {name: self._member(name, one) for name, one in shape.members.items()}
        key = shape.name

        def write(value: Any) -> str:
            if isinstance(value, dict):
                return write_members(value)
            text: str | None = value.texts.get(key)
            if text is None:
                text = value.texts[key] = write_members(value.data)
            return text

        def write_members(values: dict[str, Any]) -> str:
            try:
                return "".join([parts[name](value) for name, value in values.items() if value is not None])
            except KeyError as error:
                raise BugError(f"{key} has no member {error}") from error

        return write

    def _member(self, name: str, shape: Shape) -> Writer:
        tag = shape.serialization.get("name", name)
        if shape.type_name == "list":
            return self._list(tag, shape)
        if shape.type_name == "map":
            return self._map(tag, shape)
        opening, closing, inner = f"<{tag}>", f"</{tag}>", self._of(shape)
        attributes = [
            one for one, member in getattr(shape, "members", {}).items() if member.serialization.get("xmlAttribute")
        ]
        if attributes:
            return _with_attribute(tag, shape, attributes[0], inner)
        return lambda value: f"{opening}{inner(value)}{closing}"

    def _list(self, tag: str, shape: Shape) -> Writer:
        inner = self._nested(shape.member)
        if shape.serialization.get("flattened"):
            name = shape.member.serialization.get("name", tag)
            opening, closing = f"<{name}>", f"</{name}>"
            return lambda value: "".join([f"{opening}{inner(one)}{closing}" for one in value])
        item = shape.member.serialization.get("name", "member")
        start, between, end = f"<{tag}><{item}>", f"</{item}><{item}>", f"</{item}></{tag}>"
        empty = f"<{tag}/>"
        return lambda value: f"{start}{between.join([inner(one) for one in value])}{end}" if value else empty

    def _nested(self, shape: Shape) -> Writer:
        if shape.type_name != "list":
            return self._of(shape)
        item, inner = shape.member.serialization.get("name", "member"), self._nested(shape.member)
        return lambda value: "".join([f"<{item}>{inner(one)}</{item}>" for one in value])

    def _map(self, tag: str, shape: Shape) -> Writer:
        inner = self._of(shape.value)
        return lambda value: (
            f"<{tag}>"
            + "".join(
                f"<entry><key>{escape(key)}</key><value>{inner(one)}</value></entry>" for key, one in value.items()
            )
            + f"</{tag}>"
        )


def _with_attribute(tag: str, shape: Shape, name: str, inner: Writer) -> Writer:
    """S3's Grantee says its type in an attribute."""
    attribute = shape.members[name].serialization["name"]

    def write(value: dict[str, Any]) -> str:
        rest = {key: one for key, one in value.items() if key != name}
        namespace = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        return f'<{tag} {namespace} {attribute}="{value[name]}">{inner(rest)}</{tag}>'

    return write


def timestamp(seconds: float) -> str:
    """A moment as AWS writes it in XML."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
