"""Contents of images for tests, and uploads of them over HTTP."""

import hashlib
import struct

from front import Http
from town import Town

from tenuto.model.ids import JsonMap

BYTES = {"Content-Type": "application/octet-stream"}


def disk(mark: str = "", size: int = 4096) -> bytes:
    """A raw disk with a partition table, which differs from others by its mark."""
    return mark.encode().ljust(510, b"\0")[:510] + b"\x55\xaa" + bytes(size - 512)


def qcow2_of(size: int) -> bytes:
    """An empty qcow2 image of a disk of so many bytes."""
    return b"QFI\xfb" + struct.pack(">IQIIQIIQQIIQ", 2, 0, 0, 16, size, 0, 1, 512, 0x10000, 1, 0, 0) + bytes(1024)


def with_backing_file() -> bytes:
    """A qcow2 image that names another file."""
    return (
        b"QFI\xfb" + struct.pack(">IQIIQIIQQIIQ", 2, 512, 9, 16, 1 << 30, 0, 1, 0x30000, 0x10000, 1, 0, 0) + bytes(512)
    )


def digest(content: bytes) -> str:
    return hashlib.sha512(content).hexdigest()


def begun(
    http: Http, name: str, content: bytes, *, account: str = "red", is_known: bool = True, **more: object
) -> JsonMap:
    """An upload, or what it has become at once. Without `is_known` its digest is not told."""
    body = {"name": name, "size": len(content), **({"sha512": digest(content)} if is_known else {}), **more}
    answer = http("POST", f"/v1/namespaces/{account}/uploads", body)
    assert answer.status == 201, answer
    return answer.document


def uploaded(http: Http, name: str, content: bytes, *, account: str = "red", **more: object) -> JsonMap:
    """The document of an upload that became a version."""
    document = begun(http, name, content, account=account, **more)
    if document["artifact"] is None:
        path = f"/v1/namespaces/{account}/uploads/{document['id']}"
        sent = http("PATCH", f"{path}?offset=0", content, **BYTES)
        assert sent.status == 200, sent
        answer = http("POST", f"{path}/finish", {})
        assert answer.status == 200, answer
        document = answer.document
    return document


def of_type(town: Town, kind: str, *, live: bool = True) -> list[JsonMap]:
    """The objects of a type, as the owner sees them."""
    found: list[JsonMap] = town.root("GET", f"/v1/objects?type={kind}&live={str(live).lower()}").document["objects"]
    return found
