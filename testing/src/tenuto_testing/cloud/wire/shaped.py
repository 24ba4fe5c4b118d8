"""Values into JSON by the output shape: the names on the wire, moments in the format of the shape, blobs.

XML has a writer of its own (`wire.xml`), which is written for speed; this is for answers that are replayed.
"""

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from botocore.model import Shape

from tenuto.kit.times import moment_of


def fitted(shape: Shape | None, value: Any) -> Any:
    """The value without members that the model does not know, and with moments as seconds: recordings may be older or
    newer than the SDK, and hold moments as texts."""
    if shape is None or value is None:
        return value
    if shape.type_name == "timestamp" and isinstance(value, str):
        return moment_of(value)
    if shape.type_name == "string" and isinstance(value, Mapping):
        # The SDK parses the policies of IAM, which come in the escapes of URLs.
        text = json.dumps(value)
        return quote(text) if shape.name == "policyDocumentType" else text
    if shape.type_name == "structure" and isinstance(value, Mapping):
        return {
            name: fitted(shape.members[name], one)
            for name, one in value.items()
            if name in shape.members and one is not None
        }
    if shape.type_name == "list" and isinstance(value, list):
        return [fitted(shape.member, one) for one in value]
    if shape.type_name == "map" and isinstance(value, Mapping):
        return {name: fitted(shape.value, one) for name, one in value.items()}
    return value


def in_json(shape: Shape | None, value: Any) -> Any:
    """The value as the members of a JSON document."""
    if shape is None or value is None:
        return value
    match shape.type_name:
        case "structure":
            return {
                shape.members[name].serialization.get("name", name): in_json(shape.members[name], one)
                for name, one in value.items()
            }
        case "list":
            return [in_json(shape.member, one) for one in value]
        case "map":
            return {name: in_json(shape.value, one) for name, one in value.items()}
        case "timestamp":
            return _moment(value, str(shape.serialization.get("timestampFormat", "unixTimestamp")))
        case "blob":
            return base64.b64encode(_bytes(value)).decode()
        case _:
            return value


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _moment(seconds: float, form: str) -> Any:
    return datetime.fromtimestamp(seconds, UTC).isoformat() if form == "iso8601" else seconds
