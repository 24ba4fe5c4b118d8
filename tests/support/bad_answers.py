"""The answers that a cloud, or something between, gives on a bad day, in the words of each protocol."""

import json
import random
from collections.abc import Callable
from xml.etree import ElementTree

Json = dict[str, object]


def protocol_of(service: str) -> str:
    """How a service speaks."""
    if service in ("ec2", "s3"):
        return service
    return "query" if service in ("iam", "sns", "sts") else "json"


def refusal(service: str, code: str, message: str) -> tuple[str, bytes]:
    """The content type and body of an error of AWS."""
    match protocol_of(service):
        case "ec2":
            error = f"<Errors><Error><Code>{code}</Code><Message>{message}</Message></Error></Errors>"
            return "text/xml", f"<Response>{error}<RequestID>0</RequestID></Response>".encode()
        case "s3":
            return "application/xml", f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode()
        case "query":
            error = f"<Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>"
            return "text/xml", f"<ErrorResponse>{error}<RequestId>0</RequestId></ErrorResponse>".encode()
        case _:
            return "application/x-amz-json-1.0", json.dumps({"__type": code, "message": message}).encode()


def emptied(service: str, content: bytes) -> bytes:
    """The same answer with nothing in its lists."""
    if protocol_of(service) == "json":
        found = json.loads(content)
        return json.dumps({name: [] if isinstance(value, list) else value for name, value in found.items()}).encode()
    return _edited(content, _clear_lists)


def shortened(service: str, content: bytes, chance: random.Random) -> bytes:
    """The same answer, well formed, without the second half of something in it."""
    if protocol_of(service) == "json":
        found = json.loads(content)
        return json.dumps(dict(list(found.items())[: len(found) // 2])).encode()
    depth = chance.randrange(4)

    def cut(root: ElementTree.Element) -> None:
        node = root
        for _ in range(depth):
            inner = [child for child in node if len(child)]
            if not inner:
                break
            node = chance.choice(inner)
        for child in list(node)[len(node) // 2 :]:
            node.remove(child)

    return _edited(content, cut)


def _edited(content: bytes, edit: Callable[[ElementTree.Element], None]) -> bytes:
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError:
        return content
    if root.tag.startswith("{"):
        ElementTree.register_namespace("", root.tag[1:].split("}")[0])
    edit(root)
    return ElementTree.tostring(root)


def _clear_lists(root: ElementTree.Element) -> None:
    for node in root.iter():
        for child in list(node):
            if child.tag.split("}")[-1] in ("item", "member", "Bucket"):
                node.remove(child)
