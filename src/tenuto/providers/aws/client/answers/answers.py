"""The check that an answer is one of AWS, and to this very call. Answers that the SDK takes without a word are checked
again here.

Theory of operation. The SDK reads leniently: of a page of HTML, of an empty body and of the answer to another client's
call it makes an answer in which nothing is set, and "nothing" then means an empty list, a thing without tags, or a
creation without an id. So an answer with a 2xx is held against the call: XML must be named after the operation where
AWS does that, a body must be there where the operation answers with one, and something in it must be known. A deletion
that is answered with nothing at all, which any server can do, must carry the request id that AWS gives to each answer.
Of any other call that is answered with nothing, the next sweep shows whether it was done.

An answer that passes may still lack a member. AWS never leaves out those that we rely on, so reading one that is
missing raises the error of any damaged answer, instead of a `KeyError` that would count as a bug of ours and fail a
phase.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn
from xml.etree import ElementTree

from botocore.model import ListShape, OperationModel, Shape, StructureShape
from botocore.parsers import PROTOCOL_PARSERS, ResponseParserError

from tenuto.providers.aws.client.answers.faults import not_of_aws
from tenuto.providers.aws.client.answers.readable import parsed_xml
from tenuto.providers.aws.client.botocore_internals import hooked

_ROOT = re.compile(rb"\s*(?:<\?[^>]*>\s*|<!--.*?-->\s*)*<(?:[\w.-]+:)?([\w.-]+)", re.DOTALL)
_SIGNS = ("x-amzn-requestid", "x-amz-request-id")
"""Headers with the request id: of the JSON protocols, and of S3."""
_CBOR = "smithy-rpc-v2-cbor"
_CBOR_MAP = 5
"""The major type of a map in CBOR (RFC 8949), the first three bits of its first byte."""
_ELSEWHERE = ("header", "headers", "statusCode", "uri", "querystring")


class Answer(dict[str, Any]):
    """A structure of an answer. Reading a member that it lacks raises TransientError."""

    __slots__ = ()

    def __missing__(self, key: str) -> NoReturn:
        raise not_of_aws(f"{key} is missing")


def joined(*answers: Mapping[str, Any]) -> Answer:
    """Return several answers about one thing as one; the later one wins."""
    found = Answer()
    for answer in answers:
        found.update(answer)
    return found


def only(answer: Mapping[str, Any], members: str) -> Any:
    """Return the one member of a list in the answer about one thing. Raises TransientError for a list that lacks, and
    for one of another length."""
    found: Sequence[Any] = answer.get(members) or ()
    if len(found) != 1:
        raise not_of_aws(f"{members} shows {len(found)} things instead of one")
    return found[0]


def careful(parser: type[Any]) -> type[Any]:
    """Return the parser of botocore with structures that raise an error of ours when a missing member is read."""

    return hooked(parser, read_xml=parsed_xml, made=Answer)


CAREFUL: Mapping[str, type[Any]] = {name: careful(parser) for name, parser in PROTOCOL_PARSERS.items()}


def check(http_response: Any, model: OperationModel, **_: object) -> None:
    """The SDK's `after-call`: raise ResponseParserError for a response that is no answer to the call."""
    if http_response.status_code >= 300:
        return
    protocol = str(model.service_model.resolved_protocol)
    body = http_response.content if not model.has_streaming_output else b""
    if protocol in ("ec2", "query"):
        root = _ROOT.match(body)
        if root is None or root[1].decode() != f"{model.name}Response":
            raise ResponseParserError(f"this is no answer to {model.name}")
    elif (expected := _expected(model)) and not _is_known(protocol, body, expected):
        raise ResponseParserError(f"nothing of an answer to {model.name} is in it")
    elif not expected and model.name.startswith("Delete") and not any(name in http_response.headers for name in _SIGNS):
        raise ResponseParserError(f"it says nothing of {model.name}, and carries no request id of AWS")
    elif not expected and b"<html" in body[:500].lower():
        raise ResponseParserError(f"this is a page, and no answer to {model.name}")


def _expected(model: OperationModel) -> frozenset[str]:
    """The words that the body of an answer may name; none for operations that answer without one, or with a text."""
    shape = model.output_shape
    if shape is None or model.has_streaming_output or model.http.get("method") == "HEAD":
        return frozenset()
    payload = shape.serialization.get("payload")
    if payload is not None:
        shape = shape.members[payload]
    members = shape.members.items() if isinstance(shape, StructureShape) else ()
    return frozenset(
        word
        for name, member in members
        if member.serialization.get("location") not in _ELSEWHERE
        for word in (member.serialization.get("name", name), _word_of_members(member))
        if word
    )


def _word_of_members(member: Shape) -> str:
    """The name of the members of a list without an element of its own."""
    return str(member.member.serialization.get("name", "")) if isinstance(member, ListShape) else ""


def _is_known(protocol: str, body: bytes, expected: frozenset[str]) -> bool:
    """Whether the body is well formed, and names something that is known if it names anything."""
    if protocol == _CBOR:
        return bool(body) and body[0] >> 5 == _CBOR_MAP
    try:
        if protocol in ("json", "rest-json"):
            found = json.loads(body)
            words = list(found) if isinstance(found, dict) else ["?"]
        else:
            words = [child.tag.rpartition("}")[2] for child in parsed_xml(ElementTree.fromstring, body)]
    except (ValueError, ElementTree.ParseError):
        return False
    return not words or not expected.isdisjoint(words)
